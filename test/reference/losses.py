"""Values and gradients of the losses, written from the equations of Hu et al. 2023 with plain loops."""
import torch
from reference import uniform, write

TAU = 0.25


def sim(u, v):
    """The paper's similarity: the cosine."""
    return torch.dot(u, v) / (u.norm() * v.norm())


def retrieval(queries, documents, leave_out=None, tau=TAU):
    """Eq. 1, with a temperature and an optional mask of negatives to leave out."""
    total = 0.0
    for i in range(len(queries)):
        kept = [j for j in range(len(documents)) if leave_out is None or not leave_out[i, j]]
        total = total - torch.log(torch.exp(sim(queries[i], documents[i]) / tau) / sum(torch.exp(sim(queries[i], documents[j]) / tau) for j in kept))
    return total / len(queries)


def symmetric(queries, documents, leave_out=None):
    first = documents[: len(queries)]
    turned = None if leave_out is None else leave_out[:, : len(queries)].T
    return 0.5 * retrieval(queries, documents, leave_out) + 0.5 * retrieval(first, queries, turned)


def semantic(sources, targets):
    """Eq. 2: 2N sentences, k over all but the sentence itself."""
    n = len(sources)
    z = torch.cat([sources, targets])
    total = 0.0
    for pair in range(n):
        for i, j in ((pair, pair + n), (pair + n, pair)):
            total = total + torch.log(torch.exp(sim(z[i], z[j]) / TAU) / sum(torch.exp(sim(z[i], z[k]) / TAU) for k in range(2 * n) if k != i))
    return -total / (2 * n)


def language(sources, targets, others=None, tau=TAU):
    """Eq. 3: k over every sentence of the batch but i and j; N is the number of sentences."""
    pairs = len(sources)
    z = torch.cat([sources, targets] if others is None else [sources, targets, others])
    n = len(z)
    total = 0.0
    for i in range(pairs):
        j = i + pairs
        for k in range(n):
            if k in (i, j):
                continue
            e_i, e_j = torch.exp(sim(z[i], z[k]) / tau), torch.exp(sim(z[j], z[k]) / tau)
            total = total + torch.log(e_i / (e_i + e_j)) + torch.log(e_j / (e_i + e_j))
    return -total / (n * (n - 2))


def vectors(**rows):
    return {name: uniform(count, 5) for name, count in rows.items()}


MASK = torch.tensor([[False, True, False, False], [False, False, False, True], [True, True, False, False]])

CASES = {
    "retrieval": lambda: (vectors(queries=3, documents=3), retrieval),
    "retrieval paper": lambda: (vectors(queries=3, documents=3), lambda queries, documents: retrieval(queries, documents, tau=1.0)),
    "retrieval hard negatives": lambda: (vectors(queries=2, documents=5), retrieval),
    "retrieval left out": lambda: ({**vectors(queries=3, documents=4), "leaveOut": MASK}, retrieval),
    "retrieval symmetric": lambda: (vectors(queries=3, documents=4), symmetric),
    "retrieval symmetric left out": lambda: ({**vectors(queries=3, documents=4), "leaveOut": MASK}, symmetric),
    "semantic": lambda: (vectors(sources=4, targets=4), semantic),
    "language": lambda: (vectors(sources=3, targets=3, others=2), language),
    "language pairs only": lambda: (vectors(sources=3, targets=3), language),
    "language paper": lambda: (vectors(sources=2, targets=2, others=3), lambda sources, targets, others: language(sources, targets, others, 1.0)),
    "joint": lambda: (vectors(sources=3, targets=3), lambda sources, targets: 0.5 * semantic(sources, targets) + 2.0 * language(sources, targets)),
}

write("losses", CASES)
