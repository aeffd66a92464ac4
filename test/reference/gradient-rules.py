"""Values and gradients of every operator that has a gradient rule: run with a python3 that has torch."""
import torch
import torch.nn.functional as F
from reference import uniform, whole, write


def positive(*shape):
    return uniform(*shape, low=0.25, high=3.0)


def unary(function, make=uniform):
    return lambda: ({"x": make(2, 3)}, lambda x: function(x))


def binary(function, a=(2, 3), b=(2, 3), make_a=uniform, make_b=uniform):
    return lambda: ({"a": make_a(*a), "b": make_b(*b)}, function)


def gemm(trans_a, trans_b, bias_shape=None):
    def make():
        inputs = {"a": uniform(*((4, 2) if trans_a else (2, 4))), "b": uniform(*((3, 4) if trans_b else (4, 3)))}
        if bias_shape is not None:
            inputs["c"] = uniform(*bias_shape)

        def function(a, b, c=None):
            product = 0.5 * (a.T if trans_a else a) @ (b.T if trans_b else b)
            return product if c is None else product + 2.0 * c

        return inputs, function

    return make


def tied():
    """Rows in which the largest and smallest elements occur twice."""
    return torch.tensor([[1.5, 1.5, -0.25, -0.25], [0.5, -1.0, -1.0, 0.5]], dtype=torch.float64)


def scatter_elements(add):
    def make():
        inputs = {"x": uniform(3, 4), "indices": whole([0, 3], [1, 2], [3, 0]), "updates": uniform(3, 2)}
        if add:
            return inputs, lambda x, indices, updates: x.scatter_add(1, indices, updates)
        return inputs, lambda x, indices, updates: x.scatter(1, indices, updates)

    return make


def scatter_nd(add):
    def make():
        inputs = {"x": uniform(4, 3), "indices": whole([2], [0]) if not add else whole([2], [2]), "updates": uniform(2, 3)}
        return inputs, lambda x, indices, updates: x.index_put((indices[:, 0],), updates, accumulate=add)

    return make


CASES = {
    "Neg": unary(lambda x: -x),
    "Abs": unary(torch.abs),
    "Relu": unary(torch.relu),
    "Sqrt": unary(torch.sqrt, positive),
    "Exp": unary(torch.exp),
    "Log": unary(torch.log, positive),
    "Sin": unary(torch.sin),
    "Cos": unary(torch.cos),
    "Erf": unary(torch.erf),
    "Tanh": unary(torch.tanh),
    "Sigmoid": unary(torch.sigmoid),
    "Softplus": unary(F.softplus),
    "Reciprocal": unary(torch.reciprocal, positive),
    "Gelu": unary(F.gelu),
    "Gelu tanh": unary(lambda x: F.gelu(x, approximate="tanh")),
    "Identity": unary(lambda x: x.clone()),
    "Cast": unary(lambda x: x.float().double()),
    "Clip": unary(lambda x: torch.clamp(x, -0.51, 0.77)),
    "Add": binary(lambda a, b: a + b, (2, 3), (3,)),
    "Sub": binary(lambda a, b: a - b, (2, 1), (1, 3)),
    "Mul": binary(lambda a, b: a * b, (2, 3), ()),
    "Mul itself": unary(lambda x: x * x),
    "Div": binary(lambda a, b: a / b, (2, 3), (2, 1), make_b=positive),
    "Max": lambda: ({"a": tied(), "b": tied().roll(1, 1)}, torch.maximum),
    "Min": lambda: ({"a": tied(), "b": tied().roll(1, 1)}, torch.minimum),
    "Max apart": binary(torch.maximum, (2, 3), (3,)),
    "Min apart": binary(torch.minimum, (2, 3), (2, 1)),
    "ReduceMax apart": unary(lambda x: x.amax(0)),
    "ReduceMin apart": unary(lambda x: x.amin(1, keepdim=True)),
    "Pow": binary(torch.pow, (2, 3), (3,), make_a=positive),
    "Pow constant": unary(lambda x: x**3),
    "Where": lambda: ({"condition": torch.tensor([[True], [False]]), "a": uniform(2, 3), "b": uniform(3)}, lambda condition, a, b: torch.where(condition, a, b)),
    "ReduceSum": unary(lambda x: x.sum(1)),
    "ReduceSum kept": unary(lambda x: x.sum(0, keepdim=True)),
    "ReduceSum all": unary(lambda x: x.sum()),
    "ReduceMean": lambda: ({"x": uniform(2, 3, 4)}, lambda x: x.mean((0, 2))),
    "ReduceMax": lambda: ({"x": tied()}, lambda x: x.amax(1)),
    "ReduceMin": lambda: ({"x": tied()}, lambda x: x.amin(1)),
    "ReduceSumSquare": unary(lambda x: (x * x).sum(1)),
    "ReduceL2": unary(lambda x: x.norm(dim=1)),
    "ReduceLogSumExp": unary(lambda x: x.logsumexp(1)),
    "logSumExp composed": unary(lambda x: x.logsumexp(0, keepdim=True)),
    "CumSum": lambda: ({"x": uniform(2, 3, 2)}, lambda x: x.cumsum(1)),
    "CumSum exclusive reverse": lambda: ({"x": uniform(2, 3)}, lambda x: x.flip(1).cumsum(1).flip(1) - x),
    "Softmax": lambda: ({"x": uniform(2, 3, 2)}, lambda x: x.softmax(1)),
    "LogSoftmax": unary(lambda x: x.log_softmax(-1)),
    "LayerNormalization": lambda: ({"x": uniform(2, 3, 4), "scale": uniform(4), "bias": uniform(4)}, lambda x, scale, bias: F.layer_norm(x, (4,), scale, bias, 1e-3)),
    "LayerNormalization two axes": lambda: ({"x": uniform(2, 3, 4), "scale": uniform(3, 4), "bias": uniform(3, 4)}, lambda x, scale, bias: F.layer_norm(x, (3, 4), scale, bias, 1e-3)),
    "MatMul": binary(torch.matmul, (2, 3, 4), (4, 2)),
    "MatMul batches": binary(torch.matmul, (2, 1, 3, 4), (3, 4, 2)),
    "Gemm": gemm(False, False, (3,)),
    "Gemm transA": gemm(True, False, (2, 1)),
    "Gemm transB": gemm(False, True),
    "Gemm transA transB": gemm(True, True, (2, 3)),
    "Gemm a aT": unary(lambda x: 0.5 * x @ x.T),
    "Gemm aT a": unary(lambda x: 0.5 * x.T @ x),
    "Transpose": lambda: ({"x": uniform(2, 3, 4)}, lambda x: x.permute(2, 0, 1)),
    "Reshape": unary(lambda x: x.reshape(3, 2)),
    "Expand": lambda: ({"x": uniform(2, 1)}, lambda x: x.expand(3, 2, 4)),
    "Unsqueeze": unary(lambda x: x[:, None, :, None]),
    "Squeeze": lambda: ({"x": uniform(2, 1, 3)}, lambda x: x[:, 0]),
    "Concat": lambda: ({"a": uniform(2, 3), "b": uniform(2, 1), "c": uniform(2, 2)}, lambda a, b, c: torch.cat([a, b, c], 1)),
    "Split": lambda: ({"x": uniform(2, 6)}, lambda x: x[:, 0:1] * x[:, 3:6]),
    "Slice": lambda: ({"x": uniform(4, 5)}, lambda x: x[1:3, -4:-1]),
    "Slice steps": lambda: ({"x": uniform(3, 7)}, lambda x: x[:, 1:6:2]),
    "Gather": lambda: ({"x": uniform(4, 3), "indices": whole([0, 2], [2, -1])}, lambda x, indices: x[indices]),
    "Gather columns": lambda: ({"x": uniform(2, 4, 3), "indices": whole(3, 1, 3)}, lambda x, indices: x[:, indices]),
    "GatherElements": lambda: ({"x": uniform(3, 4), "indices": whole([0, 0], [3, 1], [2, 2])}, lambda x, indices: x.gather(1, indices)),
    "GatherND": lambda: ({"x": uniform(3, 4, 2), "indices": whole([0, 1], [2, 3], [0, 1])}, lambda x, indices: x[indices[:, 0], indices[:, 1]]),
    "ScatterND": scatter_nd(False),
    "ScatterND add": scatter_nd(True),
    "ScatterElements": scatter_elements(False),
    "ScatterElements add": scatter_elements(True),
    "l2Normalise": unary(lambda x: F.normalize(x, dim=1)),
    "diagonal": lambda: ({"x": uniform(3, 5)}, lambda x: x.diagonal()),
    "used twice": unary(lambda x: x.exp() * x.sigmoid() + x),
}

write("gradient-rules", CASES)
