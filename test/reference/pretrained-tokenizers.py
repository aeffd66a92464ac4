"""Small tokenizers in the layouts of pretrained models, with the ids that the libraries `tokenizers` (Rust) and `sentencepiece` (C++) give.

Needs: pip install tokenizers==0.23.2 sentencepiece==0.2.2 (no model is fetched). Writes tokenizers/ and pretrained-tokenizers.json.
"""
import base64
import io
import json
import os
import pathlib
import sentencepiece
import tokenizers
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "tokenizers"
FOLDER.mkdir(exist_ok=True)
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
BERT = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]

# Written for Isogloss (core/text/test-texts.ts has the same).
TEXTS = [
    "The women carried water from the river before the sun rose over the hills.",
    "Wanawake walibeba maji kutoka mtoni kabla ya jua kuchomoza juu ya vilima.",
    "Mtoto anasoma kitabu; watoto wanasoma vitabu vyao shuleni kila siku.",
    "Don't forget the farmer's seeds: 25 bags, 1,300 shillings, and 3 o'clock!",
    "Las mujeres llevaban agua del río antes de que saliera el sol sobre las colinas.",
    "महिलाएँ सूरज निकलने से पहले नदी से पानी लाती थीं। लड़का लड़के लड़की पढ़ते हैं।",
    "ผู้หญิงตักน้ำจากแม่น้ำก่อนพระอาทิตย์ขึ้นเหนือเนินเขาทุกวันทุกวันที่หมู่บ้าน",
    "حملت النساء الماء من النهر قبل شروق الشمس فوق التلال في كل يوم.",
    "Οι γυναίκες κουβαλούσαν νερό από το ποτάμι πριν ανατείλει ο ήλιος.",
    "Женщины носили воду из реки до восхода солнца над холмами.",
    "女人们在太阳升起之前从河里打水。女の人たちは川から水を運んだ。",
]
EDGES = [
    "", " ", "  a  b\t\nc ", "ΟΔΟΣ ΣΟΦΙΑΣ", "İSTANBUL Straße ÅNGSTRÖM", "ﬁ ① ㎏ ｶﾞ Ａｂｃ １２３", "e\u0301 a\u0308o n\u0303", "don't I'll we've 'S", "a\u00a0b\u2003c\u3000d", "x\u200by\u00adz",
    "水を𠀀運 汉字ok", "😀👨‍👩‍👧 ☃☃ ☃", "$5+<6>=`7`^|~ «quoted» — dash… ¿qué?", "a" * 120 + " b", "the [MASK] ran [SEP] off", "the <mask> ran</s>off <unk>", "▁a▁b", "\u0000a\ufffdb\u0085c", "water,water;water.Water", "ก็ น้ำ เ\u0301", "1,300 25", "\u0928\u093c \u095c", "가각힣 한국어", "\r\n a\r\nb",
]
RULES = [("\u00a0", " "), ("\u2003", " "), ("\u3000", " "), ("\t", " "), ("\n", " "), ("\r", " "), ("ﬁ", "fi"), ("①", "1"), ("Ａ", "A"), ("ｂ", "b"), ("ｃ", "c"), ("e\u0301", "é"), ("a\u0308", "ä"), ("n\u0303", "ñ"), ("ｶ", "カ"), ("ｶﾞ", "ガ"), ("\u200b", " "), ("\u00ad", ""), ("…", "..."), ("\u0928\u093c", "\u0929"), ("１", "1"), ("๋", "")]


def save(name, tokenizer):
    (FOLDER / f"{name}.tokenizer.json").write_text(json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False) + "\n")
    return {text: tokenizer.encode(text).ids for text in TEXTS + EDGES}


def bert(lowercase):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(TEXTS, trainers.WordPieceTrainer(vocab_size=420, special_tokens=BERT, show_progress=False))
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1", special_tokens=[("[CLS]", tokenizer.token_to_id("[CLS]")), ("[SEP]", tokenizer.token_to_id("[SEP]"))])
    return tokenizer, [piece for piece, _ in vocabulary]


def byte_level():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(TEXTS, trainers.BpeTrainer(vocab_size=400, special_tokens=ROBERTA, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    tokenizer.add_special_tokens([tokenizers.AddedToken("<mask>", lstrip=True, special=True)])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", tokenizer.token_to_id("</s>")), ("<s>", tokenizer.token_to_id("<s>")), True, False)
    return tokenizer


def sentence_piece(kind):
    os.chdir(FOLDER)  # the name of the rules is written into the model: a bare one names no machine
    rules = pathlib.Path("rules.tsv")
    rules.write_text("".join(f"{' '.join(f'{ord(c):X}' for c in a)}\t{' '.join(f'{ord(c):X}' for c in b)}\n" for a, b in RULES))
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(TEXTS * 4), model_writer=model, vocab_size=330, model_type=kind, character_coverage=1.0, normalization_rule_tsv=str(rules), minloglevel=2, num_threads=1, hard_vocab_limit=False)
    rules.unlink()
    (FOLDER / f"{kind}.sentencepiece.bpe.model").write_bytes(model.getvalue())
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def charsmap_of(proto):
    """Field 2 (charsmap) of field 3 (normaliser) of the model, by hand."""
    def fields(data):
        at = 0
        while at < len(data):
            tag, at = varint(data, at)
            if tag & 7 == 2:
                size, at = varint(data, at)
                yield tag >> 3, data[at:at + size]
                at += size
            elif tag & 7 == 0:
                _, at = varint(data, at)
            elif tag & 7 == 5:
                at += 4
            else:
                at += 8

    def varint(data, at):
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value, at

    return dict(fields(dict(fields(proto))[3]))[2]


def xlm_roberta(processor):
    """As transformers converts such a model (convert_slow_tokenizer.py, XLMRobertaConverter)."""
    pieces = [(processor.id_to_piece(i), processor.get_score(i)) for i in range(3, processor.get_piece_size())]
    vocabulary = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)] + pieces + [("<mask>", 0.0)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Precompiled(charsmap_of(processor.serialized_model_proto())), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")])
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.add_special_tokens([tokenizers.AddedToken(t, lstrip=t == "<mask>", special=True) for t in ROBERTA])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    return tokenizer


cases = {}
for name, lowercase in (("bert-cased", False), ("bert-uncased", True)):
    tokenizer, vocabulary = bert(lowercase)
    (FOLDER / f"{name}.vocab.txt").write_text("".join(f"{piece}\n" for piece in vocabulary))
    cases[name] = save(name, tokenizer)
cases["byte-level"] = save("byte-level", byte_level())
unigram = sentence_piece("unigram")
cases["unigram"] = save("unigram", xlm_roberta(unigram))
pairs = sentence_piece("bpe")
cases["sentencepiece-bpe"] = {text: [0] + [i + 1 if i > 0 else 3 for i in pairs.encode(text)] + [2] for text in TEXTS}
(HERE / "pretrained-tokenizers.json").write_text(json.dumps({"tokenizers": tokenizers.__version__, "sentencepiece": sentencepiece.__version__, "script": "test/reference/pretrained-tokenizers.py", "cases": cases}, ensure_ascii=False) + "\n")
