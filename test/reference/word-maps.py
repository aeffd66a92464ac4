"""The further steps of VecMap (Artetxe et al. 2018, AAAI, "Generalizing and improving bilingual word embedding mappings"), one after the other with numpy in float64:
whiten, rotate by the SVD, weight by the root of the singular values, undo the whitening. Its signs are free, so similarities across the two spaces are compared."""
import json
import pathlib

import numpy

SEED, WIDTH, PAIRS, WORDS = 20261120, 4, 25, 9
random = numpy.random.RandomState(SEED)


def rows(count):
    return random.normal(size=(count, WIDTH)).astype("float32").astype("float64")


def whitening(m):
    u, s, vt = numpy.linalg.svd(m, full_matrices=False)
    return vt.T @ numpy.diag(1 / s) @ vt


x = rows(PAIRS)
turn, _ = numpy.linalg.qr(random.normal(size=(WIDTH, WIDTH)))
z = (x @ turn + 0.5 * rows(PAIRS)).astype("float32").astype("float64")
source_words, target_words = rows(WORDS), rows(WORDS + 2)

white_x, white_z = whitening(x), whitening(z)
u, s, vt = numpy.linalg.svd((x @ white_x).T @ (z @ white_z))
v = vt.T


def mapped(words, white, side):
    out = words @ white  # whitened
    out = out @ side  # rotated
    out = out * numpy.sqrt(s)  # weighted
    return out @ side.T @ numpy.linalg.inv(white) @ side  # whitening undone, in the rotated axes


similarities = mapped(source_words, white_x, u) @ mapped(target_words, white_z, v).T
content = {"numpy": numpy.__version__, "seed": SEED, "script": "test/reference/word-maps.py", "width": WIDTH, "sources": x.tolist(), "targets": z.tolist(),
           "sourceWords": source_words.tolist(), "targetWords": target_words.tolist(), "similarities": similarities.tolist()}
(pathlib.Path(__file__).resolve().parent / "word-maps.json").write_text(json.dumps(content) + "\n")
