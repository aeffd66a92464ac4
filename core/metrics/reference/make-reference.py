"""Makes run.txt, qrels.txt and expected.json: what trec_eval 9.0 prints for that run (-c, recip_rank cut at k, recall_k, ndcg_cut_10).

trec_eval itself could not be installed where this was made, so its definitions are written down again here, from its source
(form_res_rels.c: order; m_recip_rank.c, m_recall.c, m_ndcg_cut.c: measures), apart from the TypeScript they check.
Usage: python3 make-reference.py   (writes beside itself; standard library only)
"""
import json, math, os, random, struct

here = os.path.dirname(os.path.abspath(__file__))
rng = random.Random(20261120)
as_c_float = lambda x: struct.unpack("f", struct.pack("f", x))[0]

documents = [f"d{i}" for i in range(300)] + [f"D-{i:03d}" for i in range(40)] + ["é1", "ไทย", "\uff5e9", "\U0001f600"]
qrels, run = {}, {}
for q in range(40):
    query = f"q{q}"
    judged = rng.sample(documents, rng.randint(1, 25))
    qrels[query] = {d: rng.choice([0, 0, 1, 1, 2, 3]) for d in judged}
    if q % 13 == 5:
        continue  # a query without results
    found = set(rng.sample(documents, rng.randint(1, 140))) | set(judged[: rng.randint(0, len(judged))])
    rows = []
    for d in sorted(found):
        score = rng.choice([rng.uniform(-2, 9), float(rng.randint(0, 6)), 3 + rng.choice([0, 1e-9, 2e-8, 1e-6])])
        rows.append((d, score))
    rng.shuffle(rows)
    run[query] = rows
run["q-unjudged"] = [("d1", 1.0)]

def order(rows):  # score as float, larger first; then docno by bytes, larger first
    return [d for d, s in sorted(rows, key=lambda r: (as_c_float(r[1]), r[0].encode("utf-8")), reverse=True)]

def measures(ranked, grades):
    relevant = sum(1 for g in grades.values() if g >= 1)
    gains = [grades.get(d, 0) for d in ranked]
    first = next((i for i, g in enumerate(gains) if g >= 1), None)
    rr = lambda k: 1.0 / (first + 1) if first is not None and first < k else 0.0
    rec = lambda k: sum(1 for g in gains[:k] if g >= 1) / relevant if relevant else 0.0
    dcg = lambda gs: sum(g / math.log2(i + 2) for i, g in enumerate(gs[:10]) if g > 0)
    ideal = dcg(sorted(grades.values(), reverse=True))
    return {"MRR@100": rr(100), "MRR@10": rr(10), "R@1": rec(1), "R@10": rec(10), "R@100": rec(100), "nDCG@10": dcg(gains) / ideal if ideal > 0 else 0.0}

per_query = {q: measures(order(run.get(q, [])), g) for q, g in qrels.items()}
mean = {m: sum(v[m] for v in per_query.values()) / len(per_query) for m in next(iter(per_query.values()))}
with open(os.path.join(here, "run.txt"), "w", encoding="utf-8") as f:
    for q, rows in run.items():
        for d, s in rows:
            f.write(f"{q} Q0 {d} 0 {s!r} reference\n")
with open(os.path.join(here, "qrels.txt"), "w", encoding="utf-8") as f:
    for q, g in qrels.items():
        for d, r in g.items():
            f.write(f"{q} 0 {d} {r}\n")
with open(os.path.join(here, "expected.json"), "w", encoding="utf-8") as f:
    json.dump({"mean": mean, "perQuery": per_query}, f, indent=1)
print(mean)
