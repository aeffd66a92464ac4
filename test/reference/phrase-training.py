"""Algorithm 1 of Zheng et al. 2022 step by step, from its equations with plain loops: a table of token rows with weights, a head, a momentum copy, queues."""
import json

import torch
from reference import uniform

torch.set_default_dtype(torch.float64)
SEED = 20221107
TAU, MU, RATE, QUEUE = 0.25, 0.75, 0.0625, 3
BETA1, BETA2, EPSILON = 0.9, 0.98, 1e-8  # of the program's static encoder
VOCABULARY, WIDTH, HIDDEN = 6, 3, 4
NAMES = ["table", "log-weights", "phrase.first.weight", "phrase.first.bias", "phrase.second.weight", "phrase.second.bias"]

# Phrases as sentences of token ids with the place of the phrase [from, to): two pairs a step, every token in every step, and none always alone: without a head its weight would not count, and Adam would follow the rounding.
STEPS = [
    {"sources": [[([0, 1, 2], 0, 2), ([3, 0, 1], 1, 3)], [([2, 4], 0, 2)]], "targets": [[([5, 3], 0, 2)], [([2, 1, 4], 0, 3), ([3, 2, 0], 0, 2)]]},
    {"sources": [[([4, 5, 0], 0, 3)], [([1, 2], 0, 2), ([1], 0, 1), ([3, 1, 5], 1, 3)]], "targets": [[([0, 2, 3], 1, 3)], [([5, 4], 0, 2)]]},
    {"sources": [[([2, 0], 0, 2)], [([5, 1], 0, 2)]], "targets": [[([3, 4, 0], 0, 2), ([4, 3, 2], 0, 2)], [([1, 5, 2], 0, 3)]]},
]
PLACEMENTS = ["phrase", "token", "none"]


def head(x, p):
    hidden = [torch.relu(torch.dot(p["phrase.first.weight"][f], x) + p["phrase.first.bias"][f]) for f in range(HIDDEN)]
    return torch.stack([sum(p["phrase.second.weight"][o, f] * hidden[f] for f in range(HIDDEN)) + p["phrase.second.bias"][o] for o in range(WIDTH)])


def represent(sentences, p, placement):
    """Equation 1 is the weighted row of a token; equation 2 the mean over the phrase; then the mean over sentences."""
    means = []
    for ids, start, end in sentences:
        states = [torch.exp(p["log-weights"][t]) * p["table"][t] for t in ids[start:end]]
        if placement == "token":
            states = [head(h, p) for h in states]
        means.append(sum(states) / len(states))
    mean = sum(means) / len(means)
    return head(mean, p) if placement == "phrase" else mean


def cosine(u, v):
    return torch.dot(u, v) / (u.norm() * v.norm())


def direction(rows, candidates, queue):
    total = 0.0
    for i, row in enumerate(rows):
        terms = [torch.exp(cosine(row, c) / TAU) for c in list(candidates) + list(queue)]
        total = total - torch.log(terms[i] / sum(terms))
    return total / len(rows)


def loss_of(step, p, slow, queues, placement):
    sources, targets = [[represent(s, p, placement) for s in step[side]] for side in ("sources", "targets")]
    if slow is None:
        slow_sources, slow_targets = sources, targets
    else:
        with torch.no_grad():
            slow_sources, slow_targets = [[represent(s, slow, placement) for s in step[side]] for side in ("sources", "targets")]
    return direction(sources, slow_targets, queues[1]) + direction(targets, slow_sources, queues[0]), slow_sources, slow_targets


def run(placement, momentum, queue, seed):
    torch.manual_seed(seed)
    shapes = [(VOCABULARY, WIDTH), (VOCABULARY,), (HIDDEN, WIDTH), (HIDDEN,), (WIDTH, HIDDEN), (WIDTH,)]
    names = NAMES if placement != "none" else NAMES[:2]
    p = {name: uniform(*shape).requires_grad_(True) for name, shape in zip(names, shapes)}
    start = {name: value.detach().clone() for name, value in p.items()}
    slow = None if momentum is None else {name: value.detach().clone() for name, value in p.items()}
    moments = {name: (torch.zeros_like(value), torch.zeros_like(value)) for name, value in p.items()}
    queues, losses = ([], []), []
    first_gradients = None
    for count, step in enumerate(STEPS, 1):
        loss, slow_sources, slow_targets = loss_of(step, p, slow, queues, placement)
        gradients = dict(zip(p, torch.autograd.grad(loss, list(p.values()))))
        first_gradients = first_gradients or gradients
        losses.append(loss.item())
        with torch.no_grad():
            for name, value in p.items():
                m, v = moments[name]
                m.mul_(BETA1).add_((1 - BETA1) * gradients[name])
                v.mul_(BETA2).add_((1 - BETA2) * gradients[name] ** 2)
                value.sub_(RATE * (m / (1 - BETA1**count)) / (torch.sqrt(v / (1 - BETA2**count)) + EPSILON))
            if slow is not None:
                for name in slow:
                    slow[name] = MU * slow[name] + (1 - MU) * p[name].detach()
        if queue:
            queues[0].extend(x.detach() for x in slow_sources)
            queues[1].extend(x.detach() for x in slow_targets)
            queues = (queues[0][-QUEUE:], queues[1][-QUEUE:])
    flat = lambda tensors: {name: value.detach().reshape(-1).tolist() for name, value in tensors.items()}
    return {
        "placement": placement, "momentum": momentum, "queue": queue, "start": flat(start), "losses": losses, "firstGradients": flat(first_gradients),
        "end": flat(p), "slow": None if slow is None else flat(slow), "queues": [[row.tolist() for row in side] for side in queues],
    }


cases = [run(placement, momentum, queue, SEED + i) for i, (placement, momentum, queue) in enumerate(
    [(placement, MU, QUEUE) for placement in PLACEMENTS] + [("phrase", MU, 0), ("token", None, 0), ("none", None, 0)])]
with open("phrase-training.json", "w") as file:
    json.dump({"torch": torch.__version__, "seed": SEED, "temperature": TAU, "rate": RATE, "vocabulary": VOCABULARY, "width": WIDTH, "hidden": HIDDEN, "steps": STEPS, "cases": cases}, file, separators=(",", ":"))
    file.write("\n")
