"""An encoder as other tools write it: a small PyTorch transformer exported to ONNX, with its output and gradients."""
import json
import torch
from reference import HERE, SEED, plain, uniform

torch.manual_seed(SEED)
WIDTH, INNER, HEADS, VOCABULARY = 8, 12, 2, 10


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(VOCABULARY, WIDTH)
        self.up = torch.nn.Linear(WIDTH, INNER)
        self.down = torch.nn.Linear(INNER, WIDTH)
        self.norm = torch.nn.LayerNorm(WIDTH)
        self.qkv = torch.nn.Linear(WIDTH, 3 * WIDTH)

    def forward(self, ids, mask):
        x = self.table(ids)
        b, length, _ = x.shape
        q, k, v = (part.reshape(b, length, HEADS, WIDTH // HEADS).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        scores = q @ k.transpose(2, 3) / (WIDTH // HEADS) ** 0.5
        scores = scores.masked_fill(~mask[:, None, None, :], -1e9)
        x = x + (scores.softmax(-1) @ v).transpose(1, 2).reshape(b, length, WIDTH)
        x = self.norm(x + self.down(torch.nn.functional.gelu(self.up(x))))
        weights = mask[:, :, None].float()
        return (x * weights).sum(1) / weights.sum(1)


encoder = Encoder()
for parameter in encoder.parameters():
    parameter.data = uniform(*parameter.shape, low=-1.0, high=1.0).float()
ids = torch.tensor([[1, 4, 2], [7, 7, 0]])
mask = torch.tensor([[True, True, True], [True, True, False]])
torch.onnx.export(encoder, (ids, mask), str(HERE / "exported-encoder.onnx"), opset_version=17, do_constant_folding=True, input_names=["ids", "mask"], output_names=["embedding"], dynamic_axes={"ids": {0: "B", 1: "L"}, "mask": {0: "B", 1: "L"}, "embedding": {0: "B"}})
encoder = encoder.double()
y = encoder(ids, mask)
weights = uniform(*y.shape)
(weights * y).sum().backward()
content = {
    "torch": torch.__version__, "seed": SEED, "script": "test/reference/exported-encoder.py", "inputs": {"ids": plain(ids), "mask": plain(mask)},
    "weights": plain(weights), "value": plain(y), "gradients": {name: plain(p.grad) for name, p in encoder.named_parameters()},
}
(HERE / "exported-encoder.json").write_text(json.dumps(content) + "\n")
