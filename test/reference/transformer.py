"""Vectors and gradients of transformer encoders of the BERT family, one sequence at a time, so that there is no padding to be wrong about."""
import json

import torch
import torch.nn.functional as F
from reference import HERE, SEED, plain, uniform

BASE = {"vocabularySize": 11, "width": 8, "layers": 2, "heads": 2, "feedForwardWidth": 12, "positions": 9, "positionOffset": 0, "tokenTypes": 2, "activation": "gelu", "layerNormEpsilon": 1e-12, "padTokenId": 0}
SHAPES = {
    "bert": BASE,
    "roberta": {**BASE, "positions": 10, "positionOffset": 2, "tokenTypes": 1, "layerNormEpsilon": 1e-5, "padTokenId": 1},
    "distilbert": {**BASE, "tokenTypes": 0, "heads": 4},
    "gelu-tanh": {**BASE, "activation": "gelu-tanh", "layers": 1},
    "relu": {**BASE, "activation": "relu", "layers": 1, "heads": 1},
}
ACTIVATIONS = {"gelu": F.gelu, "gelu-tanh": lambda x: F.gelu(x, approximate="tanh"), "relu": F.relu}
MIXED = [[3, 5, 7, 2, 9, 4], [3, 4], [3, 6, 6, 8, 4], [3, 10, 2, 4], [3, 8, 9, 4], [3, 7, 4]]
EQUAL = [[3, 5, 4], [3, 9, 4], [3, 5, 5]]
POOLINGS = {"cls": {"mode": "cls", "back": 0}, "mean": {"mode": "mean", "back": 0}, "cls of a lower layer": {"mode": "cls", "back": 1}}


def parameters(s):
    h, f = s["width"], s["feedForwardWidth"]
    small = lambda *shape: uniform(*shape, low=-0.5, high=0.5)
    p = {"embeddings.token": small(s["vocabularySize"], h), "embeddings.position": small(s["positions"], h)}
    if s["tokenTypes"]:
        p["embeddings.type"] = small(s["tokenTypes"], h)
    norm = lambda name: {f"{name}.scale": uniform(h, low=0.5, high=1.5), f"{name}.bias": small(h)}
    p |= norm("embeddings.norm")
    for i in range(s["layers"]):
        for name, out, into in (("query", h, h), ("key", h, h), ("value", h, h), ("output", h, h), ("up", f, h), ("down", h, f)):
            p[f"layer.{i}.{name}.weight"], p[f"layer.{i}.{name}.bias"] = small(out, into), small(out)
        p |= norm(f"layer.{i}.attentionNorm") | norm(f"layer.{i}.outputNorm")
    return p


def states(s, p, tokens, layers):
    h, epsilon = s["width"], s["layerNormEpsilon"]
    norm = lambda x, name: F.layer_norm(x, (h,), p[f"{name}.scale"], p[f"{name}.bias"], epsilon)
    x = p["embeddings.token"][tokens] + p["embeddings.position"][torch.arange(len(tokens)) + s["positionOffset"]]
    if s["tokenTypes"]:
        x = x + p["embeddings.type"][0]
    x = norm(x, "embeddings.norm")
    for i in range(layers):
        at = lambda name: p[f"layer.{i}.{name}"]
        weight, bias = (torch.cat([at(f"{part}.{kind}") for part in ("query", "key", "value")]) for kind in ("weight", "bias"))
        turned = x[:, None, :]
        attended, _ = F.multi_head_attention_forward(turned, turned, turned, h, s["heads"], weight, bias, None, None, False, 0.0, at("output.weight"), at("output.bias"), training=False, need_weights=False)
        x = norm(x + attended[:, 0], f"layer.{i}.attentionNorm")
        inner = ACTIVATIONS[s["activation"]](F.linear(x, at("up.weight"), at("up.bias")))
        x = norm(x + F.linear(inner, at("down.weight"), at("down.bias")), f"layer.{i}.outputNorm")
    return x


def pooled(s, p, sequences, pooling):
    each = [states(s, p, sequence, s["layers"] - pooling["back"]) for sequence in sequences]
    return torch.stack([x[0] if pooling["mode"] == "cls" else x.mean(0) for x in each])


def masked_loss(s, p, sequences, places, labels):
    """Mean cross-entropy of guessing `labels` at `places`, decoder tied to the token table."""
    losses = []
    for sequence, at, label in zip(sequences, places, labels):
        if not at:
            continue
        x = F.linear(states(s, p, sequence, s["layers"])[at], p["mlm.transform.weight"], p["mlm.transform.bias"])
        x = F.layer_norm(ACTIVATIONS[s["activation"]](x), (s["width"],), p["mlm.norm.scale"], p["mlm.norm.bias"], s["layerNormEpsilon"])
        losses.append(F.cross_entropy(F.linear(x, p["embeddings.token"], p["mlm.bias"]), torch.tensor(label), reduction="sum"))
    return sum(losses) / sum(map(len, labels))


def case(s, sequences, function, extra=None):
    leaves = {name: tensor.requires_grad_(True) for name, tensor in (parameters(s) | (extra or {})).items()}
    value = function(leaves)
    weights = uniform(*value.shape) if value.dim() else torch.ones((), dtype=torch.float64)
    (weights * value).sum().backward()
    gradients = {name: plain(t.grad if t.grad is not None else torch.zeros_like(t)) for name, t in leaves.items()}
    return {"shape": s, "sequences": sequences, "parameters": {n: plain(t) for n, t in leaves.items()}, "weights": plain(weights), "value": plain(value), "gradients": gradients}


torch.manual_seed(SEED)
cases = {}
for family, shape in SHAPES.items():
    for name, pooling in POOLINGS.items():
        if name != "cls" and family not in ("bert", "roberta"):
            continue
        for kind, sequences in (("mixed", MIXED), ("equal", EQUAL)):
            if kind == "equal" and family != "bert":
                continue
            made = case(shape, sequences, lambda p: pooled(shape, p, sequences, pooling))
            cases[f"{family}, {name}, {kind}"] = {**made, "pooling": {"mode": pooling["mode"], "layers": shape["layers"] - pooling["back"]}}

PLACES, LABELS = [[1, 3], [1], [2, 3, 4], [], [0], [1]], [[6, 2], [9], [7, 7, 1], [], [3], [8]]
h, v = BASE["width"], BASE["vocabularySize"]
head = {"mlm.transform.weight": uniform(h, h, low=-0.5, high=0.5), "mlm.transform.bias": uniform(h), "mlm.norm.scale": uniform(h, low=0.5, high=1.5), "mlm.norm.bias": uniform(h), "mlm.bias": uniform(v)}
cases["masked language model"] = {**case(BASE, MIXED, lambda p: masked_loss(BASE, p, MIXED, PLACES, LABELS), head), "places": PLACES, "labels": LABELS}

content = {"torch": torch.__version__, "dtype": "float64", "seed": SEED, "script": "test/reference/transformer.py"}
lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(c)}" for k, c in cases.items())
(HERE / "transformer.json").write_text(f'{json.dumps(content)[:-1]}, "cases": {{\n{lines}\n}}}}\n')
