"""Tiny random models in the layouts of pretrained ones, with PyTorch's hidden states, embeddings and gradients in float64.

Plain torch, no transformers: the forward pass is written from the papers. Tokenizers come from pretrained-tokenizers.py (tokenizers/).
Writes backbones/<name>/ (the model as it is downloaded) and backbones/<name>.reference.safetensors (float32).
"""
import json
import math
import pathlib
import shutil
import struct
import torch
from reference import HERE, SEED, uniform

FOLDER = HERE / "backbones"
TOKENIZERS = HERE / "tokenizers"
WIDTH, LAYERS, HEADS, INNER, POSITIONS = 8, 2, 2, 12, 24
CODES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


def safetensors(path, tensors, dtype="F32"):
    header, blobs, offset = {"__metadata__": {"format": "pt", "torch": torch.__version__, "script": "test/reference/backbones.py", "seed": str(SEED)}}, [], 0
    for name, tensor in tensors.items():
        if tensor.dtype == torch.int64:
            kind, blob = "I64", tensor.numpy().tobytes()
        else:
            kind = dtype
            stored = tensor.detach().to(CODES[dtype]).contiguous()
            blob = (stored.view(torch.int16) if dtype == "BF16" else stored).numpy().tobytes()
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [offset, offset + len(blob)]}
        offset += len(blob)
        blobs.append(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def small(*shape):
    return uniform(*shape, low=-0.5, high=0.5)


def parameters(vocabulary, positions, types, head):
    p = {"embeddings.token": small(vocabulary, WIDTH), "embeddings.position": small(positions, WIDTH)}
    if types:
        p["embeddings.type"] = small(types, WIDTH)
    p["embeddings.norm.scale"], p["embeddings.norm.bias"] = 1 + small(WIDTH), small(WIDTH)
    for i in range(LAYERS):
        for part, out, into in (("query", WIDTH, WIDTH), ("key", WIDTH, WIDTH), ("value", WIDTH, WIDTH), ("output", WIDTH, WIDTH), ("up", INNER, WIDTH), ("down", WIDTH, INNER)):
            p[f"layer.{i}.{part}.weight"], p[f"layer.{i}.{part}.bias"] = small(out, into), small(out)
        for part in ("attentionNorm", "outputNorm"):
            p[f"layer.{i}.{part}.scale"], p[f"layer.{i}.{part}.bias"] = 1 + small(WIDTH), small(WIDTH)
    if head:
        p["mlm.transform.weight"], p["mlm.transform.bias"] = small(WIDTH, WIDTH), small(WIDTH)
        p["mlm.norm.scale"], p["mlm.norm.bias"] = 1 + small(WIDTH), small(WIDTH)
        p["mlm.bias"] = small(vocabulary)
    return p


ACTIVATIONS = {"gelu": torch.nn.functional.gelu, "gelu_new": lambda x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))), "relu": torch.relu}


def forward(p, ids, mask, *, offset, epsilon, activation):
    """Hidden states 0..LAYERS of Devlin et al. 2019; padding is hidden by -1e9 before the softmax."""
    linear = lambda x, name: x @ p[f"{name}.weight"].T + p[f"{name}.bias"]
    norm = lambda x, name: torch.nn.functional.layer_norm(x, (WIDTH,), p[f"{name}.scale"], p[f"{name}.bias"], epsilon)
    batch, length = ids.shape
    x = p["embeddings.token"][ids] + p["embeddings.position"][torch.arange(length) + offset]
    if "embeddings.type" in p:
        x = x + p["embeddings.type"][0]
    x = norm(x, "embeddings.norm")
    states = [x]
    for i in range(LAYERS):
        heads = [linear(x, f"layer.{i}.{part}").reshape(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2) for part in ("query", "key", "value")]
        scores = heads[0] @ heads[1].transpose(2, 3) / math.sqrt(WIDTH // HEADS)
        scores = scores.masked_fill(mask[:, None, None, :] == 0, -1e9)
        context = (scores.softmax(-1) @ heads[2]).transpose(1, 2).reshape(batch, length, WIDTH)
        x = norm(x + linear(context, f"layer.{i}.output"), f"layer.{i}.attentionNorm")
        x = norm(x + linear(ACTIVATIONS[activation](linear(x, f"layer.{i}.up")), f"layer.{i}.down"), f"layer.{i}.outputNorm")
        states.append(x)
    return states


def pool(state, mask, mode, dense, normalise):
    y = state[:, 0] if mode == "cls" else (state * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
    if dense is not None:
        y = torch.tanh(y @ dense["linear.weight"].T + dense["linear.bias"])
    return y / y.norm(dim=1, keepdim=True) if normalise else y


BERT = {"query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value", "output": "attention.output.dense", "attentionNorm": "attention.output.LayerNorm", "up": "intermediate.dense", "down": "output.dense", "outputNorm": "output.LayerNorm"}
DISTIL = {"query": "attention.q_lin", "key": "attention.k_lin", "value": "attention.v_lin", "output": "attention.out_lin", "attentionNorm": "sa_layer_norm", "up": "ffn.lin1", "down": "ffn.lin2", "outputNorm": "output_layer_norm"}
EMBEDDINGS = {"embeddings.token": "embeddings.word_embeddings.weight", "embeddings.position": "embeddings.position_embeddings.weight", "embeddings.type": "embeddings.token_type_embeddings.weight", "embeddings.norm.scale": "embeddings.LayerNorm.weight", "embeddings.norm.bias": "embeddings.LayerNorm.bias"}
HEADS_OF = {
    "bert": {"mlm.transform": "cls.predictions.transform.dense", "mlm.norm": "cls.predictions.transform.LayerNorm", "mlm.bias": "cls.predictions.bias"},
    "roberta": {"mlm.transform": "lm_head.dense", "mlm.norm": "lm_head.layer_norm", "mlm.bias": "lm_head.bias"},
    "distilbert": {"mlm.transform": "vocab_transform", "mlm.norm": "vocab_layer_norm", "mlm.bias": "vocab_projector.bias"},
}


def stored_name(name, family):
    if name in EMBEDDINGS:
        return EMBEDDINGS[name]
    if name.startswith("mlm."):
        heads = HEADS_OF["roberta" if "roberta" in family else family]
        if name == "mlm.bias":
            return heads[name]
        stem, kind = name.rsplit(".", 1)
        return f"{heads[stem]}.{'bias' if kind == 'bias' else 'weight'}"
    _, i, part, kind = name.split(".")
    stem, parts = ("transformer.layer", DISTIL) if family == "distilbert" else ("encoder.layer", BERT)
    return f"{stem}.{i}.{parts[part]}.{'bias' if kind == 'bias' else 'weight'}"


def model(name, *, family, tokenizer, vocabulary, prefix="", head=False, dtype="F32", gamma=False, shards=1, pooler=False, mode="mean", dense=False, normalise=True, modules=True, positions=POSITIONS, types=0, pad=0, epsilon=1e-12, activation="gelu", files=None, extra=None):
    torch.manual_seed(SEED + len(name))
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for source, target in tokenizer.items():
        shutil.copy(TOKENIZERS / source, folder / target)
    offset = pad + 1 if "roberta" in family else 0
    p = parameters(vocabulary, positions, types, head)
    stored = {(prefix if not n.startswith("mlm.") else "") + stored_name(n, family): t for n, t in p.items()}
    if pooler:
        stored[f"{prefix}pooler.dense.weight"], stored[f"{prefix}pooler.dense.bias"] = small(WIDTH, WIDTH), small(WIDTH)
    stored[f"{prefix}embeddings.position_ids"] = torch.arange(positions)[None]
    if gamma:
        stored = {n.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): t for n, t in stored.items()}
    if shards == 1:
        safetensors(folder / "model.safetensors", stored, dtype)
    else:
        names = list(stored)
        weight_map = {}
        for shard in range(shards):
            own = names[shard::shards]
            file = f"model-{shard + 1:05}-of-{shards:05}.safetensors"
            safetensors(folder / file, {n: stored[n] for n in own}, dtype)
            weight_map.update({n: file for n in own})
        (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {"total_size": 0}, "weight_map": weight_map}) + "\n")
    sizes = {"dim": WIDTH, "n_layers": LAYERS, "n_heads": HEADS, "hidden_dim": INNER, "activation": activation} if family == "distilbert" else {"hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": INNER, "hidden_act": activation, "layer_norm_eps": epsilon, "type_vocab_size": types, "position_embedding_type": "absolute"}
    (folder / "config.json").write_text(json.dumps({"model_type": family, "vocab_size": vocabulary, "max_position_embeddings": positions, "pad_token_id": pad, "hidden_dropout_prob": 0.1, "torch_dtype": "float32", **sizes}, indent=1) + "\n")
    for file, content in (files or {}).items():
        (folder / file).write_text(content if isinstance(content, str) else json.dumps(content) + "\n")
    dense_weights = {"linear.weight": small(6, WIDTH), "linear.bias": small(6)} if dense else None
    if modules:
        rows = ["Transformer", "Pooling"] + (["Dense"] if dense else []) + (["Normalize"] if normalise else [])
        (folder / "modules.json").write_text(json.dumps([{"idx": i, "name": str(i), "path": "" if i == 0 else f"{i}_{kind}", "type": f"sentence_transformers.models.{kind}"} for i, kind in enumerate(rows)]) + "\n")
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling/config.json").write_text(json.dumps({"word_embedding_dimension": WIDTH, "pooling_mode_cls_token": mode == "cls", "pooling_mode_mean_tokens": mode == "mean", "pooling_mode_max_tokens": False, "pooling_mode_mean_sqrt_len_tokens": False}) + "\n")
        if dense:
            (folder / "2_Dense").mkdir()
            (folder / "2_Dense/config.json").write_text(json.dumps({"in_features": WIDTH, "out_features": 6, "bias": True, "activation_function": "torch.nn.modules.activation.Tanh"}) + "\n")
            safetensors(folder / "2_Dense/model.safetensors", dense_weights)
    ids = torch.randint(5, vocabulary, (2, 6))
    mask = torch.tensor([[1] * 6, [1] * 4 + [0] * 2])
    ids[mask == 0] = pad
    leaves = {n: t.clone().requires_grad_(True) for n, t in p.items() if not n.startswith("mlm.")}
    states = forward(leaves, ids, mask, offset=offset, epsilon=epsilon, activation=activation)
    embedding = pool(states[-1], mask, mode, dense_weights, normalise)
    weights = uniform(*embedding.shape, low=-1.0, high=1.0)
    (weights * embedding).sum().backward()
    reference = {"ids": ids, "mask": mask, "weights": weights, "embedding": embedding, **{f"hidden.{i}": s for i, s in enumerate(states)}, **{f"gradient.{n}": t.grad for n, t in leaves.items()}, **{f"parameter.{n}": t for n, t in p.items() if n.startswith(("mlm.", "embeddings.norm"))}}
    safetensors(FOLDER / f"{name}.reference.safetensors", reference)


def pieces(file):
    """The number of pieces of a tokenizer file."""
    content = json.loads((TOKENIZERS / f"{file}.tokenizer.json").read_text())
    return max([len(content["model"]["vocab"])] + [t["id"] + 1 for t in content["added_tokens"]])


BERT_NAMES = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "unk_token": "[UNK]", "mask_token": "[MASK]"}
E5_CARD = '---\nlicense: mit\nlanguage:\n- multilingual\n---\n\nEach text should begin with "query: " or "passage: ".\n'
FOLDER.mkdir(exist_ok=True)
model("bert", family="bert", tokenizer={"bert-uncased.vocab.txt": "vocab.txt"}, vocabulary=pieces("bert-uncased"), prefix="bert.", head=True, gamma=True, pooler=True, types=2, modules=False, files={"tokenizer_config.json": {"do_lower_case": True, "model_max_length": 16, "tokenizer_class": "BertTokenizer", **BERT_NAMES}})
model("roberta", family="roberta", tokenizer={"byte-level.tokenizer.json": "tokenizer.json"}, vocabulary=pieces("byte-level"), prefix="roberta.", head=True, dtype="F16", types=1, pad=1, epsilon=1e-5, modules=False)
model("xlm-roberta", family="xlm-roberta", tokenizer={"unigram.sentencepiece.bpe.model": "sentencepiece.bpe.model"}, vocabulary=pieces("unigram"), dtype="BF16", shards=2, types=1, pad=1, epsilon=1e-5, modules=False)
model("distilbert", family="distilbert", tokenizer={"bert-cased.tokenizer.json": "tokenizer.json"}, vocabulary=pieces("bert-cased"), prefix="distilbert.", head=True, modules=False, activation="gelu_new", files={"tokenizer_config.json": BERT_NAMES})
model("labse", family="bert", tokenizer={"bert-cased.tokenizer.json": "tokenizer.json", "bert-cased.vocab.txt": "vocab.txt"}, vocabulary=pieces("bert-cased") + 3, types=2, pooler=True, mode="cls", dense=True, files={"README.md": "---\nlicense: apache-2.0\n---\n# LaBSE\n", "sentence_bert_config.json": {"max_seq_length": 20, "do_lower_case": False}, "tokenizer_config.json": {"do_lower_case": False, **BERT_NAMES}})
model("multilingual-e5", family="xlm-roberta", tokenizer={"unigram.tokenizer.json": "tokenizer.json"}, vocabulary=pieces("unigram"), dtype="F16", types=1, pad=1, epsilon=1e-5, files={"README.md": E5_CARD, "sentence_bert_config.json": {"max_seq_length": 512}})
model("minilm", family="bert", tokenizer={"unigram.tokenizer.json": "tokenizer.json"}, vocabulary=pieces("unigram"), types=2, normalise=False, activation="relu", files={"config_sentence_transformers.json": {"prompts": {"query": "find: ", "document": "text: "}}, "sentence_bert_config.json": {"max_seq_length": 12, "do_lower_case": False}})
