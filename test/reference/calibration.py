"""Cross-lingual calibration (Wu et al. 2022, section 3.2) and CSLS (Conneau et al. 2018, section 2.3), with numpy in float64 from the equations."""
import json
import pathlib

import numpy

SEED, WIDTH, TEXTS, PAIRS, NEIGHBOURS = 20261120, 5, 40, 30, 3
random = numpy.random.RandomState(SEED)


def unit(rows):
    return rows / numpy.linalg.norm(rows, axis=1, keepdims=True)


def cloud(count, spread, offset):
    return unit(random.normal(size=(count, WIDTH)) * spread + offset).astype("float32").astype("float64")


def calibrated(rows, mean, deviation, rotation):
    moved = rows if mean is None else rows - mean
    moved = moved if deviation is None else moved / deviation
    return unit(moved if rotation is None else moved @ rotation)


texts = {"en": cloud(TEXTS, numpy.array([1, 0.8, 0.6, 0.5, 0.4]), 0.3), "sw": cloud(TEXTS, numpy.array([0.4, 1, 0.5, 0.9, 0.6]), -0.2)}
pairs = {"foreign": cloud(PAIRS, 0.7, 0.1), "pivot": cloud(PAIRS, 0.7, -0.1)}
cases = []
for shift, scale, rotate in [(True, False, False), (True, True, False), (False, True, False), (False, False, True), (True, True, True)]:
    moments = {language: (rows.mean(axis=0) if shift else None, numpy.sqrt(((rows - rows.mean(axis=0)) ** 2).mean(axis=0)) if scale else None) for language, rows in texts.items()}
    rotation = None
    if rotate:
        x, y = calibrated(pairs["foreign"], *moments["sw"], None), calibrated(pairs["pivot"], *moments["en"], None)
        u, _, vt = numpy.linalg.svd(x.T @ y)
        rotation = u @ vt
    cases.append({"steps": {"shift": shift, "scale": scale, "rotate": "pairs" if rotate else "none"},
                  "calibrated": {"en": calibrated(texts["en"], *moments["en"], None).tolist(), "sw": calibrated(texts["sw"], *moments["sw"], rotation).tolist()}})

cosines = texts["sw"] @ texts["en"].T
dense_sources = numpy.sort(cosines, axis=1)[:, -NEIGHBOURS:].mean(axis=1)
dense_targets = numpy.sort(cosines, axis=0)[-NEIGHBOURS:, :].mean(axis=0)
csls = 2 * cosines - dense_sources[:, None] - dense_targets[None, :]
content = {"numpy": numpy.__version__, "seed": SEED, "script": "test/reference/calibration.py", "width": WIDTH, "texts": {language: rows.tolist() for language, rows in texts.items()},
           "pairs": {side: rows.tolist() for side, rows in pairs.items()}, "cases": cases,
           "csls": {"neighbours": NEIGHBOURS, "targetOf": csls.argmax(axis=1).tolist(), "sourceOf": csls.argmax(axis=0).tolist(), "targetScores": csls.max(axis=1).tolist()}}
(pathlib.Path(__file__).resolve().parent / "calibration.json").write_text(json.dumps(content) + "\n")
