"""Values and gradients of the projection head of Wu et al. 2022, with its batch normalisation written out."""
import torch
from reference import uniform, write


def normed(column, mean, variance):
    return (column - mean) / torch.sqrt(variance + 1e-5)


def head_in_training(x, w1, b1, scale, bias, w2, b2):
    inner = x @ w1.T + b1
    columns = []
    for f in range(inner.shape[1]):
        mean = sum(inner[:, f]) / len(inner)
        columns.append(normed(inner[:, f], mean, sum((value - mean) ** 2 for value in inner[:, f]) / len(inner)) * scale[f] + bias[f])
    return torch.relu(torch.stack(columns, 1)) @ w2.T + b2


def head_in_evaluation(x, w1, b1, scale, bias, mean, variance, w2, b2):
    inner = x @ w1.T + b1
    return torch.relu(torch.stack([normed(inner[:, f], mean[f], variance[f]) * scale[f] + bias[f] for f in range(inner.shape[1])], 1)) @ w2.T + b2


def head_inputs(running):
    moments = {"mean": uniform(5), "variance": uniform(5, low=0.5)} if running else {}
    return {"x": uniform(4, 3), "w1": uniform(5, 3), "b1": uniform(5), "scale": uniform(5), "bias": uniform(5), **moments, "w2": uniform(2, 5), "b2": uniform(2)}


CASES = {
    "head in training": lambda: (head_inputs(False), head_in_training),
    "head in evaluation": lambda: (head_inputs(True), head_in_evaluation),
}

write("batch-normalisation", CASES)
