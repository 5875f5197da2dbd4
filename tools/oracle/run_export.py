"""Lets Hugging Face transformers run launches in an exported model, and records what it writes.

    qgpu model synthesize small --shape small --seed 5
    qgpu run dot.cu --trace dot.trace --arg ...              # one trace for each launch
    qgpu export --hf merged --model small --tokens dot.trace --tokens ...
    python tools/oracle/run_export.py merged dot.trace ... --out model/testdata/export.json

For every trace the prompt is some text and then the host's tokens, up to the first CTA. Two ways:

    bf16   the whole model as from_pretrained loads it, greedy decoding with its cache: transformers
           writes every token, until HALT or TRAP
    fp32   one layer at a time, which is all that fits: the prompt and our tokens as one sequence; the
           largest logit at each of them must be the next. (Greedy decoding would write the same.)

--only bf16 or fp32 runs one of them. --follow runs bf16 as fp32, in one pass over the prompt and our
tokens: a long launch takes no more time than its prompt. --widen multiplies matrices in fp32 and rounds the product to
bf16, which is the sum that PyTorch's bf16 kernels make too; theirs are many times slower on processors
without bf16 instructions. The record holds host tokens, what transformers wrote, and the
versions of all packages. It never holds what we wrote: ctest compares. A record that is there keeps what
this run does not write.
"""

import argparse
import json
import pathlib
import time

import safetensors
import tokenizers
import torch
import transformers
from transformers import PreTrainedTokenizerFast, Qwen3_5ForCausalLM, Qwen3_5TextConfig
from transformers.models.qwen3_5.modeling_qwen3_5 import (Qwen3_5DecoderLayer, Qwen3_5RMSNorm,
                                                          Qwen3_5TextRotaryEmbedding)

TEXT = [72, 101, 108, 108, 111, 257, 10, 300]  # ids of the small base: before every launch
ENDS = ("HALT", "TRAP")
LIMIT = 2000  # tokens that a launch may write


def read_trace(path):
    lines = [l for l in path.read_text().splitlines() if l and not l.startswith("#")]
    first_cta = next(i for i, l in enumerate(lines) if l.startswith("CTA "))
    return {"name": path.stem, "host": lines[:first_cta + 1], "ours": lines[first_cta + 1:]}


class Vocabulary:
    def __init__(self, folder, config):
        self.names = (folder / "machine_tokens.txt").read_text().splitlines()
        self.first = config.vocab_size - len(self.names)
        self.ids = {name: self.first + i for i, name in enumerate(self.names)}

    def encode(self, names):
        return [self.ids[name] for name in names]

    def name(self, token):
        return self.names[token - self.first] if token >= self.first else f"text {token}"


def check_tokenizer(folder, vocabulary):
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    text = "".join(f"<|{name}|>" for name in vocabulary.names)
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert ids == [vocabulary.ids[name] for name in vocabulary.names], "tokenizer.json has other ids"


def widened(linear, x):
    return torch.nn.functional.linear(x.float(), linear.weight.float()).to(x.dtype)


def decode(model, trace, vocabulary):
    prompt = TEXT + vocabulary.encode(trace["host"])
    output = model(input_ids=torch.tensor([prompt]), use_cache=True, logits_to_keep=1)
    written = []
    while len(written) < LIMIT:
        written.append(vocabulary.name(int(torch.argmax(output.logits[0, -1]))))
        if written[-1] in ENDS or written[-1] not in vocabulary.ids:
            break
        output = model(input_ids=torch.tensor([vocabulary.encode(written[-1:])]),
                       past_key_values=output.past_key_values, use_cache=True)
    return written


def follow(model, trace, vocabulary):
    tokens = TEXT + vocabulary.encode(trace["host"] + trace["ours"][:-1])
    output = model(input_ids=torch.tensor([tokens]), logits_to_keep=len(trace["ours"]))
    return [vocabulary.name(t) for t in torch.argmax(output.logits[0], dim=-1).tolist()]


def run_bf16(folder, traces, vocabulary, way):
    model, info = Qwen3_5ForCausalLM.from_pretrained(
        folder, dtype=torch.bfloat16, attn_implementation="eager", output_loading_info=True)
    assert not info["missing_keys"] and not info["mismatched_keys"] and not info["unexpected_keys"], info
    model.eval()
    for trace in traces:
        start = time.time()
        written = way(model, trace, vocabulary)
        trace["bf16"] = written
        print(trace["name"], "bf16", len(written), "tokens", f"{time.time() - start:.0f} s",
              "as ours" if written == trace["ours"] else "OTHER THAN OURS", flush=True)


class Weights:
    """Tensors of a sharded checkpoint, each read when it is asked for."""

    def __init__(self, folder):
        self.folder = folder
        self.map = json.loads((folder / "model.safetensors.index.json").read_text())["weight_map"]

    def read(self, name):
        with safetensors.safe_open(self.folder / self.map[name], framework="pt") as file:
            return file.get_tensor(name).to(torch.float32)

    def make(self, prefix, kind, *arguments):
        with torch.device("meta"):  # no random weights first
            module = kind(*arguments)
        state = {name: self.read(prefix + name) for name, _ in module.named_parameters()}
        module.load_state_dict(state, assign=True)
        return module.eval()


def run_fp32(folder, config, traces, vocabulary):
    start = time.time()
    weights = Weights(folder)
    config._attn_implementation = "eager"
    embedding = weights.read("model.embed_tokens.weight")
    sequences = [torch.tensor([TEXT + vocabulary.encode(t["host"] + t["ours"])]) for t in traces]
    hidden = [embedding[s] for s in sequences]
    rotary = Qwen3_5TextRotaryEmbedding(config)
    for i in range(config.num_hidden_layers):
        layer = weights.make(f"model.layers.{i}.", Qwen3_5DecoderLayer, config, i)
        for j, x in enumerate(hidden):
            length = x.shape[1]
            positions = torch.arange(length)[None]
            mask = torch.full((length, length), torch.finfo(torch.float32).min).triu(1)[None, None]
            full = config.layer_types[i] == "full_attention"
            y = layer(x, position_embeddings=rotary(x, positions[None].expand(3, -1, -1)),
                      attention_mask=mask if full else None, position_ids=positions)
            hidden[j] = y[0] if isinstance(y, tuple) else y
        print("fp32 layer", i, f"{time.time() - start:.0f} s", flush=True)
        del layer
    norm = weights.make("model.norm.", Qwen3_5RMSNorm, config.hidden_size, config.rms_norm_eps)
    head = weights.read("lm_head.weight")
    for trace, x in zip(traces, hidden):
        best = torch.argmax(norm(x)[0] @ head.T, dim=-1).tolist()
        after = len(TEXT) + len(trace["host"]) - 1
        trace["fp32"] = [vocabulary.name(t) for t in best[after:after + len(trace["ours"])]]
        print(trace["name"], "fp32", len(trace["fp32"]), "tokens",
              "as ours" if trace["fp32"] == trace["ours"] else "OTHER THAN OURS", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("export", type=pathlib.Path)
    parser.add_argument("traces", type=pathlib.Path, nargs="+")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only", choices=["bf16", "fp32"])
    parser.add_argument("--follow", action="store_true")
    parser.add_argument("--widen", action="store_true")
    arguments = parser.parse_args()
    if arguments.widen:
        torch.nn.Linear.forward = widened
    torch.use_deterministic_algorithms(True)
    config = Qwen3_5TextConfig.from_pretrained(arguments.export)
    vocabulary = Vocabulary(arguments.export, config)
    check_tokenizer(arguments.export, vocabulary)
    traces = [read_trace(path) for path in arguments.traces]
    with torch.no_grad():
        if arguments.only != "bf16":
            run_fp32(arguments.export, config, traces, vocabulary)
        if arguments.only != "fp32":
            run_bf16(arguments.export, traces, vocabulary, follow if arguments.follow else decode)
    for trace in traces:
        del trace["ours"]
    record = json.loads(arguments.out.read_text()) if arguments.out and arguments.out.exists() else {}
    launches = {launch["name"]: launch for launch in record.get("launches", [])}
    for trace in traces:
        launches[trace["name"]] = {**launches.get(trace["name"], {}), **trace}
    record = {"versions": {"torch": torch.__version__, "transformers": transformers.__version__,
                           "tokenizers": tokenizers.__version__,
                           "safetensors": safetensors.__version__},
              "hidden_size": config.hidden_size, "layers": config.num_hidden_layers,
              "vocab_size": config.vocab_size,
              "launches": list(launches.values())}
    if arguments.out:
        arguments.out.write_text(json.dumps(record, indent=0) + "\n")


if __name__ == "__main__":
    main()
