"""The PyTorch side of the training benchmark: a plain eager implementation, as a PyTorch user would write it without needless work.

Reads one JSON object per line on stdin, answers with one per line on stdout. Sequences come as lists of token ids.
  {"do": "open", "shape": {...}, "seed": n, "threads": n, "learningRate": x, "pooling": "cls"|"mean", "training": bool,
   "device": "cpu"|"cuda", "precision": "float32"|"bfloat16"}   device and precision may be left out; bfloat16 is autocast
  {"do": "step", "queries": [[...]], "documents": [[...]], "together": bool}  forward, retrieval and semantic loss, backward, AdamW;
                                                            together: questions and passages padded as one batch
  {"do": "encode", "batches": [[[...]]]}                    vectors, without gradients
  {"do": "openProduct", "size": n, "threads": n}, then {"do": "product"}: a square matrix product
Answers: {"wallMs", "cpuMs", "peakMB", "loss"}.
"""
import json
import math
import resource
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F


class Layer(nn.Module):
    def __init__(self, s):
        super().__init__()
        width, inner = s["width"], s["feedForwardWidth"]
        self.heads, self.size = s["heads"], width // s["heads"]
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.attention_norm = nn.LayerNorm(width, eps=s["layerNormEpsilon"])
        self.output_norm = nn.LayerNorm(width, eps=s["layerNormEpsilon"])

    def forward(self, x, mask):
        b, length, width = x.shape
        split = lambda y: y.view(b, length, self.heads, self.size).transpose(1, 2)
        scores = torch.matmul(split(self.query(x)), split(self.key(x)).transpose(-1, -2)) / math.sqrt(self.size)
        if mask is not None:
            scores = scores + mask
        context = torch.matmul(torch.softmax(scores, dim=-1), split(self.value(x))).transpose(1, 2).reshape(b, length, width)
        x = self.attention_norm(x + self.output(context))
        return self.output_norm(x + self.down(F.gelu(self.up(x))))


class Encoder(nn.Module):
    def __init__(self, s, pooling):
        super().__init__()
        self.pooling, self.offset = pooling, s["positionOffset"]
        self.token = nn.Embedding(s["vocabularySize"], s["width"])
        self.position = nn.Embedding(s["positions"], s["width"])
        self.kind = nn.Embedding(s["tokenTypes"], s["width"])
        self.norm = nn.LayerNorm(s["width"], eps=s["layerNormEpsilon"])
        self.layers = nn.ModuleList(Layer(s) for _ in range(s["layers"]))
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.02)

    def forward(self, ids, mask):
        """ids int64 [B, L]; mask bool [B, L] or None when nothing is padding."""
        positions = torch.arange(self.offset, self.offset + ids.shape[1])
        x = self.norm(self.token(ids) + (self.position(positions) + self.kind.weight[0]))
        added = None if mask is None else torch.zeros(mask.shape).masked_fill_(~mask, -1e9)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, added)
        if self.pooling == "cls":
            return x[:, 0]
        if mask is None:
            return x.mean(1)
        return (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)


def padded(sequences, pad):
    longest = max(map(len, sequences))
    ids = torch.full((len(sequences), longest), pad, dtype=torch.int64)
    for row, sequence in zip(ids, sequences):
        row[: len(sequence)] = torch.tensor(sequence)
    lengths = torch.tensor([len(s) for s in sequences])
    mask = torch.arange(longest)[None, :] < lengths[:, None]
    return ids, (None if bool(mask.all()) else mask)


def retrieval_loss(queries, documents, temperature):
    logits = F.normalize(queries, dim=1) @ F.normalize(documents, dim=1).T / temperature
    return F.cross_entropy(logits, torch.arange(len(logits)))


def semantic_loss(sources, targets, temperature):
    z = F.normalize(torch.cat([sources, targets]), dim=1)
    logits = (z @ z.T / temperature).masked_fill(torch.eye(len(z), dtype=torch.bool), float("-inf"))
    n = len(sources)
    return F.cross_entropy(logits, torch.arange(2 * n).roll(n))


class Peer:
    def open(self, task):
        torch.set_num_threads(task["threads"])
        torch.manual_seed(task["seed"])
        self.device = task.get("device", "cpu")
        self.autocast = task.get("precision", "float32") == "bfloat16"
        if self.device != "cpu":
            torch.set_default_device(self.device)  # PyTorch 2; on the CPU nothing is set
        self.pad, self.task = task["shape"]["padTokenId"], task
        self.model = Encoder(task["shape"], task["pooling"])
        if task["training"]:
            decayed = [p for p in self.model.parameters() if p.dim() > 1]
            others = [p for p in self.model.parameters() if p.dim() <= 1]
            groups = [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
            self.optimizer = torch.optim.AdamW(groups, lr=task["learningRate"], betas=(0.9, 0.999), eps=1e-8)
        return 0.0

    def step(self, task):
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.autocast):
            loss = self.loss(task)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        if self.device == "cuda":
            torch.cuda.synchronize()
        return float(loss)

    def loss(self, task):
        parts = [task["queries"], task["documents"]]
        if task.get("together", False) or all(len(s) == len(parts[0][0]) for part in parts for s in part):
            both = self.model(*padded(parts[0] + parts[1], self.pad))  # of one length, one forward pass is fastest
            queries, documents = both[: len(parts[0])], both[len(parts[0]) :]
        else:
            queries, documents = (self.model(*padded(part, self.pad)) for part in parts)
        return retrieval_loss(queries, documents, 0.05) + 0.01 * semantic_loss(queries, documents, 0.1)

    def openProduct(self, task):
        torch.set_num_threads(task["threads"])
        self.factor = torch.ones(task["size"], task["size"])
        return self.product(task)

    def product(self, task):
        return float((self.factor @ self.factor)[0, 0])

    def encode(self, task):
        with torch.inference_mode():
            return float(sum(self.model(*padded(batch, self.pad)).sum() for batch in task["batches"]))


peer = Peer()
for line in sys.stdin:
    task = json.loads(line)
    wall, cpu = time.perf_counter(), time.process_time()
    loss = getattr(peer, task["do"])(task)
    answer = {"wallMs": 1e3 * (time.perf_counter() - wall), "cpuMs": 1e3 * (time.process_time() - cpu), "loss": loss}
    answer["peakMB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(answer), flush=True)
