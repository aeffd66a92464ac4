"""Steps of contrastive context prediction (Wu et al. 2022, Algorithm 1) with PyTorch's own layers, batch normalisation and optimizer, in float64.

The head is torch.nn.Linear, BatchNorm1d, ReLU, Linear; one side goes through it in eval(), then the other in train(), in turn; the bank is a
plain list per language. Embeddings are given, so what is tested is everything behind the encoder.
"""
import json
import torch
from reference import HERE, SEED, plain, uniform

H, F, P, N, CAPACITY = 4, 5, 3, 3, 4
TAU = 0.5
LEARNING_RATE, WEIGHT_DECAY, BETAS = 0.05, 0.1, (0.9, 0.98)
EPSILON = 0.01  # large: a gradient that is zero but for rounding (of a bias before a normalisation) then moves nothing
LANGUAGES = [0, 1, 0, 0, 1, 0]


class Head(torch.nn.Module):
    def __init__(self, normalisation):
        super().__init__()
        self.first = torch.nn.Linear(H, F)
        self.norm = torch.nn.BatchNorm1d(F) if normalisation != "none" else torch.nn.Identity()
        self.second = torch.nn.Linear(F, P)

    def forward(self, x):
        inner = self.first(x)
        if isinstance(self.norm, torch.nn.BatchNorm1d) and not self.training:
            # With copies of the running moments: PyTorch's backward reads the buffers as they are by then, which train() has changed meanwhile.
            inner = torch.nn.functional.batch_norm(inner, self.norm.running_mean.clone(), self.norm.running_var.clone(), self.norm.weight, self.norm.bias, training=False, eps=self.norm.eps)
        else:
            inner = self.norm(inner)
        return self.second(torch.relu(inner))


def similarity(u, v, kind):
    return torch.dot(u, v) / (u.norm() * v.norm()) if kind == "cosine" else torch.dot(u, v)


def loss_of(centres, contexts, bank, kind):
    n, total = len(centres), 0.0
    for a, b in ((centres, contexts), (contexts, centres)):
        for c in range(n):
            scores = torch.stack([similarity(a[c], row, kind) for row in list(b) + bank]) / TAU
            total = total - scores[c] + torch.log(torch.exp(scores).sum())
    return total / (2 * n)


def run(normalisation, kind, capacity):
    torch.manual_seed(SEED)
    head = Head(normalisation).double()
    with torch.no_grad():
        for p in head.parameters():
            p.copy_(uniform(*p.shape, low=-1, high=1))
    start = {name: plain(p) for name, p in head.named_parameters()}
    matrices = [p for p in head.parameters() if p.dim() == 2]
    rest = [p for p in head.parameters() if p.dim() != 2]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": WEIGHT_DECAY}, {"params": rest, "weight_decay": 0.0}], lr=LEARNING_RATE, betas=BETAS, eps=EPSILON)
    banks = {language: [] for language in LANGUAGES}
    steps = []
    for step, language in enumerate(LANGUAGES):
        inputs = [uniform(N, H).requires_grad_(True) for _ in range(2)]
        centres_trained = (step + step // 2) % 2 == 0  # two languages: turns from batch to batch and from round to round
        order = [1, 0] if centres_trained else [0, 1]  # the side in evaluation mode first: it sees the moments of earlier batches alone
        projected = [None, None]
        for side in order:
            head.train(normalisation == "batch" or side == order[1])
            projected[side] = head(inputs[side])
        loss = loss_of(projected[0], projected[1], banks[language], kind)
        optimizer.zero_grad()
        loss.backward()
        steps.append({"language": language, "centresTrained": centres_trained, "centres": plain(inputs[0]), "contexts": plain(inputs[1]), "loss": float(loss.detach()),
                      "gradients": [plain(x.grad) for x in inputs]})
        optimizer.step()
        banks[language] = (banks[language] + [row.detach() for row in projected[1]])[-capacity:] if capacity > 0 else []
    after = {name: plain(p) for name, p in head.named_parameters()}
    running = {"mean": plain(head.norm.running_mean), "variance": plain(head.norm.running_var)} if normalisation == "asymmetric" else None
    return {"normalisation": normalisation, "similarity": kind, "bank": capacity, "start": start, "steps": steps, "after": after, "running": running,
            "banks": {str(language): [row.tolist() for row in rows] for language, rows in banks.items()}}


CASES = [run("asymmetric", "cosine", CAPACITY), run("asymmetric", "cosine", 0), run("batch", "cosine", CAPACITY), run("none", "cosine", CAPACITY), run("asymmetric", "dot", CAPACITY)]
content = {"torch": torch.__version__, "dtype": "float64", "seed": SEED, "script": "test/reference/context-prediction.py", "temperature": TAU,
           "optimizer": {"learningRate": LEARNING_RATE, "weightDecay": WEIGHT_DECAY, "beta1": BETAS[0], "beta2": BETAS[1], "epsilon": EPSILON}, "sizes": {"width": H, "hidden": F, "projected": P}, "cases": CASES}
(HERE / "context-prediction.json").write_text(json.dumps(content) + "\n")
