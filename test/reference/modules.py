"""Values and gradients of the encoder modules, with PyTorch's own layers where it has them."""
import torch
import torch.nn.functional as F
from reference import uniform, whole, write

HEADS = 2
EPSILON = 1e-5
MASK = torch.tensor([[True, True, True], [True, True, False]])
BLOCK = {
    "query.weight": (4, 4), "query.bias": (4,), "key.weight": (4, 4), "key.bias": (4,), "value.weight": (4, 4), "value.bias": (4,),
    "output.weight": (4, 4), "output.bias": (4,), "attentionNorm.scale": (4,), "attentionNorm.bias": (4,),
    "up.weight": (6, 4), "up.bias": (6,), "down.weight": (4, 6), "down.bias": (4,), "outputNorm.scale": (4,), "outputNorm.bias": (4,),
}


def attention(x, mask, p):
    weight = torch.cat([p["query.weight"], p["key.weight"], p["value.weight"]])
    bias = torch.cat([p["query.bias"], p["key.bias"], p["value.bias"]])
    turned = x.transpose(0, 1)
    y, _ = F.multi_head_attention_forward(turned, turned, turned, 4, HEADS, weight, bias, None, None, False, 0.0, p["output.weight"], p["output.bias"], training=False, key_padding_mask=~mask, need_weights=False)
    return y.transpose(0, 1)


def block(x, mask, *parameters):
    p = dict(zip(BLOCK, parameters))
    h = F.layer_norm(x + attention(x, mask, p), (4,), p["attentionNorm.scale"], p["attentionNorm.bias"], EPSILON)
    inner = F.linear(F.gelu(F.linear(h, p["up.weight"], p["up.bias"])), p["down.weight"], p["down.bias"])
    return F.layer_norm(h + inner, (4,), p["outputNorm.scale"], p["outputNorm.bias"], EPSILON)


def bags(rows, logWeights, tokens, texts):
    return torch.stack([sum((torch.exp(logWeights[t]) * rows[t] for t, b in zip(tokens, texts) if b == text), torch.zeros(3, dtype=torch.float64)) for text in range(3)])


TOKENS, TEXTS = whole(0, 2, 2, 3, 1, 0), whole(0, 0, 0, 2, 2, 2)  # text 1 has no token


def bag_inputs():
    return {"rows": uniform(4, 3), "logWeights": uniform(4), "tokens": TOKENS, "texts": TEXTS}


CASES = {
    "l2Normalise": lambda: ({"x": uniform(3, 4)}, lambda x: F.normalize(x, dim=1)),
    "linear": lambda: ({"x": uniform(2, 4), "weight": uniform(3, 4), "bias": uniform(3)}, F.linear),
    "linear tokens": lambda: ({"x": uniform(2, 3, 4), "weight": uniform(2, 4), "bias": uniform(2)}, F.linear),
    "layerNorm": lambda: ({"x": uniform(2, 3, 4), "scale": uniform(4), "bias": uniform(4)}, lambda x, scale, bias: F.layer_norm(x, (4,), scale, bias, EPSILON)),
    "meanPooling": lambda: ({"x": uniform(2, 3, 4), "mask": MASK}, lambda x, mask: (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)),
    "clsPooling": lambda: ({"x": uniform(2, 3, 4)}, lambda x: x[:, 0]),
    "projectionHead": lambda: ({"x": uniform(2, 3), "w1": uniform(5, 3), "b1": uniform(5), "w2": uniform(2, 5), "b2": uniform(2)}, lambda x, w1, b1, w2, b2: F.linear(torch.relu(F.linear(x, w1, b1)), w2, b2)),
    "sumStaticEmbeddings": lambda: (bag_inputs(), bags),
    "staticEmbeddings": lambda: (bag_inputs(), lambda *a: F.normalize(bags(*a), dim=1)),
    "transformerBlock": lambda: ({"x": uniform(2, 3, 4), "mask": MASK, **{n: uniform(*s, low=-1.0, high=1.0) for n, s in BLOCK.items()}}, block),
}

write("modules", CASES)
