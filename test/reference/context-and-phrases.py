"""Values and gradients of the losses of Wu et al. 2022 and Zheng et al. 2022, from their equations with plain loops."""
import torch
from reference import uniform, write

TAU = 0.25


def sim(u, v):
    return torch.dot(u, v) / (u.norm() * v.norm())


def pick(row, right, wrong):
    """-log of the share of the right candidate."""
    e = lambda candidate: torch.exp(sim(row, candidate) / TAU)
    return -torch.log(e(right) / (e(right) + sum((e(w) for w in wrong), torch.zeros((), dtype=torch.float64))))


def context(centres, contexts, bank=None, leave_out=None):
    n = len(centres)
    rows = [] if bank is None else list(bank)
    total = 0.0
    for c in range(n):
        bank_kept = [b for m, b in enumerate(rows) if leave_out is None or not leave_out[c, n + m]]
        total = total + pick(centres[c], contexts[c], [contexts[j] for j in range(n) if j != c and (leave_out is None or not leave_out[c, j])] + bank_kept)
        total = total + pick(contexts[c], centres[c], [centres[j] for j in range(n) if j != c and (leave_out is None or not leave_out[j, c])] + bank_kept)
    return total / (2 * n)


def phrases(sources, targets, slowSources, slowTargets, sourceQueue=(), targetQueue=()):
    n = len(sources)
    forward = sum(pick(sources[i], slowTargets[i], [slowTargets[j] for j in range(n) if j != i] + list(targetQueue)) for i in range(n))
    backwards = sum(pick(targets[i], slowSources[i], [slowSources[j] for j in range(n) if j != i] + list(sourceQueue)) for i in range(n))
    return (forward + backwards) / n


def distillation(teacher, sources, targets):
    total = 0.0
    for i in range(len(teacher)):
        for h in range(teacher.shape[1]):
            total = total + (teacher[i, h] - sources[i, h]) ** 2 + (teacher[i, h] - targets[i, h]) ** 2
    return total / teacher.numel()


def vectors(**rows):
    return {name: uniform(count, 5) for name, count in rows.items()}


# Rows 0 and 2 are of one language, 1 and 3 of another; the bank's first two of the first language, the third of the second.
OTHER_LANGUAGE = torch.tensor([[False, True, False, True, False, False, True], [True, False, True, False, True, True, False], [False, True, False, True, False, False, True], [True, False, True, False, True, True, False]])


CASES = {
    "context": lambda: (vectors(centres=3, contexts=3), context),
    "context with bank": lambda: (vectors(centres=3, contexts=3, bank=4), context),
    "context by language": lambda: ({**vectors(centres=4, contexts=4, bank=3), "leaveOut": OTHER_LANGUAGE}, context),
    "phrases": lambda: (vectors(sources=3, targets=3, slowSources=3, slowTargets=3), phrases),
    "phrases with queues": lambda: (vectors(sources=3, targets=3, slowSources=3, slowTargets=3, sourceQueue=2, targetQueue=4), phrases),
    "distillation": lambda: (vectors(teacher=3, sources=3, targets=3), distillation),
}

write("context-and-phrases", CASES)
