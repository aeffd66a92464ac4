"""Tokens of English sentences by NLTK's word tokenizer (pip install nltk; no data needed)."""
import json
import pathlib

import nltk
from nltk.tokenize.destructive import NLTKWordTokenizer

SENTENCES = [
    "The river is 1,200 km long, and flows into Lake Victoria.",
    "It was founded in 1865 (some say 1866) by J. R. Smith.",
    '"Who goes there?" he asked; nobody answered...',
    "She said: 'I can't, won't and shouldn't go.'",
    "They're gonna wanna see it, 'cause it's the dogs' bowl.",
    "'Tis the season -- or 'twas -- of U.S. elections.",
    "Prices rose by 3.5% to $4.20 [see note 2] & fell again!",
    "“Curly quotes” and ‘single ones’, «chevrons» too.",
    "A list: one, two; three* and #4 @home.",
    "The years 1914–1918 — the Great War",
    "Washington, D.C., is the capital.",
    "He cannot lemme gimme more'n that, d'ye see.",
    "Écrit par François, d'après l'œuvre de Müller.",
    "The temperature reached -40° (−40 °F).",
    "Email me at: name@example.org, or visit http://example.org/a?b=c.",
    "No final stop",
    "A quote at the end \"like this.\"",
    "Ends in brackets (really).",
    "10:30 a.m. is 10:30, not 10: 30.",
    "``Old style'' quotes and ''strange'' ones",
    "O'Neill's brother-in-law's car; I'd've said it'll do.",
    "She'd gotta go, hasn't she?!",
    "",
    "…",
    "x...y..z",
    "The answer,however,has no spaces:none.",
]

tokenizer = NLTKWordTokenizer()
content = {"nltk": nltk.__version__, "script": "test/reference/penn-tokens.py", "cases": [{"sentence": s, "tokens": tokenizer.tokenize(s)} for s in SENTENCES]}
(pathlib.Path(__file__).resolve().parent / "penn-tokens.json").write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n")
