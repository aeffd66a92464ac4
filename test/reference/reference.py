"""How are reference values written? PyTorch in float64, seeded, with its version in the file."""
import json
import pathlib
import torch

SEED = 20261120
GRID = 64  # inputs are multiples of 1/64, so that float32 holds them exactly

HERE = pathlib.Path(__file__).resolve().parent


def uniform(*shape, low=-2.0, high=2.0):
    """A float64 tensor of multiples of 1/64 between low and high."""
    return (torch.empty(shape, dtype=torch.float64).uniform_(low, high) * GRID).round() / GRID


def whole(*rows):
    """An int64 tensor."""
    return torch.tensor(rows, dtype=torch.int64)


def plain(tensor):
    """A tensor as JSON: shape and elements in row-major order."""
    numbers = tensor.detach().reshape(-1).tolist()
    return {"shape": list(tensor.shape), "data": [int(n) if isinstance(n, bool) or float(n).is_integer() else n for n in numbers]}


def case(inputs, function):
    """Value, output weights w and the gradients of sum(w * value) for every float input."""
    leaves = {name: t.clone().requires_grad_(True) if t.is_floating_point() else t for name, t in inputs.items()}
    value = function(*leaves.values())
    weights = uniform(*value.shape) if value.dim() > 0 else torch.ones((), dtype=torch.float64)
    (weights * value).sum().backward()
    gradients = {name: plain(t.grad if t.grad is not None else torch.zeros_like(t)) for name, t in leaves.items() if t.is_floating_point()}
    return {"inputs": {n: plain(t) for n, t in inputs.items()}, "weights": plain(weights), "value": plain(value), "gradients": gradients}


def write(name, cases):
    """cases: name -> function without arguments that gives (inputs, function)."""
    torch.manual_seed(SEED)
    content = {"torch": torch.__version__, "dtype": "float64", "seed": SEED, "script": f"test/reference/{name}.py", "cases": {}}
    for key, make in cases.items():
        content["cases"][key] = case(*make())
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in content.pop("cases").items())
    head = json.dumps(content)[:-1]
    (HERE / f"{name}.json").write_text(f'{head}, "cases": {{\n{lines}\n}}}}\n')
