"""Encoders as the exporters of Hugging Face models write them (operator sets 14 and 17), with PyTorch's states and gradients in float64.

Written like transformers' BertModel and XLMRobertaModel: mask as 1 - mask times the smallest float, positions from a buffer or from the
cumulative sum of the mask, sizes read off the inputs. Writes onnx/<name>/ with a tokenizer and <name>.reference.json.
"""
import json
import shutil
import torch
from reference import HERE, SEED, plain, uniform

FOLDER = HERE / "onnx"
TOKENIZERS = HERE / "tokenizers"
WIDTH, INNER, HEADS, LAYERS, POSITIONS = 8, 12, 2, 2, 20


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.dense = (torch.nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = torch.nn.Linear(WIDTH, INNER), torch.nn.Linear(INNER, WIDTH)
        self.norm, self.output = torch.nn.LayerNorm(WIDTH, eps=1e-12), torch.nn.LayerNorm(WIDTH, eps=1e-12)

    def split(self, x):
        return x.view(x.size()[:-1] + (HEADS, WIDTH // HEADS)).permute(0, 2, 1, 3)

    def forward(self, x, mask):
        scores = torch.matmul(self.split(self.query(x)), self.split(self.key(x)).transpose(-1, -2)) / (WIDTH // HEADS) ** 0.5
        context = torch.matmul(torch.softmax(scores + mask, -1), self.split(self.value(x))).permute(0, 2, 1, 3).contiguous()
        x = self.norm(self.dense(context.view(context.size()[:-2] + (WIDTH,))) + x)
        return self.output(self.down(torch.nn.functional.gelu(self.up(x))) + x)


class Encoder(torch.nn.Module):
    def __init__(self, vocabulary, roberta):
        super().__init__()
        self.roberta = roberta
        self.words = torch.nn.Embedding(vocabulary, WIDTH)
        self.positions = torch.nn.Embedding(POSITIONS, WIDTH)
        self.types = torch.nn.Embedding(1 if roberta else 2, WIDTH)
        self.norm = torch.nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = torch.nn.ModuleList(Layer() for _ in range(LAYERS))
        self.pooler = torch.nn.Linear(WIDTH, WIDTH)
        self.register_buffer("position_ids", torch.arange(POSITIONS)[None])

    def forward(self, input_ids, attention_mask, token_type_ids=None):
        length = input_ids.size(1)
        if self.roberta:
            real = input_ids.ne(1).int()
            positions = ((torch.cumsum(real, dim=1).type_as(real)) * real).long() + 1
            types = torch.zeros(input_ids.size(), dtype=torch.long)
        else:
            positions, types = self.position_ids[:, :length], token_type_ids
        x = self.norm(self.words(input_ids) + self.types(types) + self.positions(positions))
        mask = (1.0 - attention_mask[:, None, None, :].to(x.dtype)) * torch.finfo(torch.float32).min
        for layer in self.layers:
            x = layer(x, mask)
        return x, torch.tanh(self.pooler(x[:, 0]))


class FusedLayer(torch.nn.Module):
    """Normalised before each part; queries, keys and values in one product; gelu by tanh, written out."""

    def __init__(self):
        super().__init__()
        self.before, self.between = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)
        self.joined, self.dense = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.up, self.down = torch.nn.Linear(WIDTH, INNER), torch.nn.Linear(INNER, WIDTH)

    def forward(self, x, mask):
        batch, length, _ = x.shape
        query, key, value = (part.view(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2) for part in self.joined(self.before(x)).chunk(3, -1))
        scores = (query @ key.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5).masked_fill(mask[:, None, None, :] == 0, float("-inf"))
        x = x + self.dense((scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, length, WIDTH))
        h = self.up(self.between(x))
        return x + self.down(0.5 * h * (1 + torch.tanh(0.7978845608 * (h + 0.044715 * h**3))))


class SentenceEncoder(torch.nn.Module):
    """With the pooling of sentence-transformers inside, as its exports have it."""

    def __init__(self, vocabulary):
        super().__init__()
        self.words, self.positions = torch.nn.Embedding(vocabulary, WIDTH), torch.nn.Embedding(POSITIONS, WIDTH)
        self.layers = torch.nn.ModuleList(FusedLayer() for _ in range(LAYERS))
        self.norm = torch.nn.LayerNorm(WIDTH)

    def forward(self, input_ids, attention_mask):
        x = self.words(input_ids) + self.positions(torch.arange(input_ids.shape[1]))[None]
        for layer in self.layers:
            x = layer(x, attention_mask)
        x = self.norm(x)
        mask = attention_mask.unsqueeze(-1).expand(x.size()).to(x.dtype)
        return torch.nn.functional.normalize((x * mask).sum(1) / torch.clamp(mask.sum(1), min=1e-9), p=2, dim=1)


def write_sentence(name, tokenizer, vocabulary, opset):
    torch.manual_seed(SEED)
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(TOKENIZERS / tokenizer, folder / "tokenizer.json")
    encoder = SentenceEncoder(vocabulary).eval()
    for parameter in encoder.parameters():
        parameter.data = uniform(*parameter.shape, low=-0.5, high=0.5).float()
    mask = torch.tensor([[1] * 6, [1] * 4 + [0] * 2])
    ids = torch.randint(5, vocabulary, (2, 6)) * mask
    axes = {0: "batch_size", 1: "sequence_length"}
    torch.onnx.export(encoder, (ids, mask), str(folder / "model.onnx"), opset_version=opset, do_constant_folding=True, input_names=["input_ids", "attention_mask"], output_names=["sentence_embedding"], dynamic_axes={"input_ids": axes, "attention_mask": axes, "sentence_embedding": {0: "batch_size"}})
    encoder = encoder.double()
    vectors = encoder(ids, mask)
    weights = uniform(*vectors.shape, low=-1.0, high=1.0)
    (weights * vectors).sum().backward()
    gradients = {n: plain(p.grad) for n, p in encoder.named_parameters() if n in ("words.weight", "positions.weight", "norm.weight") or n.endswith("bias")}
    (FOLDER / f"{name}.reference.json").write_text(json.dumps({"torch": torch.__version__, "seed": SEED, "opset": opset, "script": "test/reference/onnx-encoders.py", "inputs": {"input_ids": plain(ids), "attention_mask": plain(mask)}, "weights": plain(weights), "vectors": plain(vectors), "gradients": gradients}) + "\n")


def write(name, tokenizer, vocabulary, roberta, opset):
    torch.manual_seed(SEED)
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(TOKENIZERS / tokenizer, folder / "tokenizer.json")
    encoder = Encoder(vocabulary, roberta).eval()
    for parameter in encoder.parameters():
        parameter.data = uniform(*parameter.shape, low=-0.5, high=0.5).float()
    ids = torch.randint(5, vocabulary, (2, 6))
    mask = torch.tensor([[1] * 6, [1] * 4 + [0] * 2])
    ids[mask == 0] = 1 if roberta else 0
    inputs = (ids, mask) if roberta else (ids, mask, torch.zeros_like(ids))
    names = ["input_ids", "attention_mask", "token_type_ids"][: len(inputs)]
    axes = {0: "batch_size", 1: "sequence_length"}
    torch.onnx.export(encoder, inputs, str(folder / "model.onnx"), opset_version=opset, do_constant_folding=True, input_names=names, output_names=["last_hidden_state", "pooler_output"], dynamic_axes={**{n: axes for n in names}, "last_hidden_state": axes, "pooler_output": {0: "batch_size"}})
    encoder = encoder.double()
    states, _ = encoder(*inputs)
    weights = uniform(*states.shape, low=-1.0, high=1.0) * mask[:, :, None]
    (weights * states).sum().backward()
    gradients = {n: plain(p.grad) for n, p in encoder.named_parameters() if p.grad is not None and (n in ("words.weight", "positions.weight", "norm.weight", "norm.bias") or n.endswith("bias"))}
    (FOLDER / f"{name}.reference.json").write_text(json.dumps({"torch": torch.__version__, "seed": SEED, "opset": opset, "script": "test/reference/onnx-encoders.py", "inputs": {n: plain(t) for n, t in zip(names, inputs)}, "weights": plain(weights), "states": plain(states), "gradients": gradients}) + "\n")


def pieces(file):
    content = json.loads((TOKENIZERS / file).read_text())
    return max([len(content["model"]["vocab"])] + [t["id"] + 1 for t in content["added_tokens"]])


FOLDER.mkdir(exist_ok=True)
write("bert-opset14", "bert-cased.tokenizer.json", pieces("bert-cased.tokenizer.json"), False, 14)
write("roberta-opset17", "unigram.tokenizer.json", pieces("unigram.tokenizer.json"), True, 17)
write_sentence("sentence-opset15", "bert-cased.tokenizer.json", pieces("bert-cased.tokenizer.json"), 15)
