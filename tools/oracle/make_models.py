"""Records what Hugging Face transformers computes with small random Qwen3.5 checkpoints.

    python tools/oracle/make_models.py model/testdata/models

For every case it writes a checkpoint folder (config.json, weights in bf16, as transformers stores
them) and a reference.safetensors with

    tokens                     the prompt
    {fp32,bf16}.residual.{i}   the residual stream after the embedding (0) and after layer i - 1
    {fp32,bf16}.logits         after every token of the prompt
    {fp32,bf16}.greedy         the tokens that greedy decoding, with the cache, writes after it
    {fp32,bf16}.greedy_logits  the logits behind each of them
    {fp32,bf16}.margin         by how much each of them leads over the second best
    {fp32,bf16}.state.{i}      the recurrent state of linear layer i after the prompt
    {fp32,bf16}.keys.{i}       the keys of attention layer i after the prompt

Attention is the eager implementation: its roundings are defined, those of the fused kernels are not.
Beside them sampling.safetensors: random logits and the probabilities that transformers' logits
processors make of them with a temperature, top_k and top_p (cases "i.temperature.k.p").

The versions of all packages are recorded in the metadata of each file.
"""

import json
import math
import pathlib
import sys

import safetensors.torch
import tokenizers
import torch
import transformers
from transformers import (Qwen3_5ForCausalLM, Qwen3_5TextConfig, TemperatureLogitsWarper,
                          TopKLogitsWarper, TopPLogitsWarper)

L, F = "linear_attention", "full_attention"

CASES = {
    # More value heads than key heads; a prompt that crosses the reference's chunks of 64.
    "grouped": dict(
        seed=1, prompt=70, greedy=24, nested=False,
        config=dict(
            vocab_size=96, hidden_size=32, intermediate_size=48, layer_types=[L, L, L, F],
            num_attention_heads=4, num_key_value_heads=2, head_dim=16,
            linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=8,
            linear_value_head_dim=8, tie_word_embeddings=True)),
    # No width is a multiple of 16, keys and values differ in size, the head is not tied.
    "odd": dict(
        seed=2, prompt=21, greedy=24, nested=False,
        config=dict(
            vocab_size=67, hidden_size=40, intermediate_size=56, layer_types=[L, F, L],
            num_attention_heads=3, num_key_value_heads=1, head_dim=24,
            linear_num_key_heads=3, linear_num_value_heads=3, linear_key_head_dim=12,
            linear_value_head_dim=20, tie_word_embeddings=False)),
    # The nesting, prefix, shards and F32 vectors of a multimodal checkpoint.
    "nested": dict(
        seed=3, prompt=33, greedy=24, nested=True,
        config=dict(
            vocab_size=160, hidden_size=64, intermediate_size=96, layer_types=[L, L, F, L, F],
            num_attention_heads=4, num_key_value_heads=1, head_dim=32,
            linear_num_key_heads=2, linear_num_value_heads=2, linear_key_head_dim=32,
            linear_value_head_dim=32, tie_word_embeddings=True)),
}


def make_config(fields):
    return Qwen3_5TextConfig(
        num_hidden_layers=len(fields["layer_types"]), linear_conv_kernel_dim=4,
        max_position_embeddings=512, rms_norm_eps=1e-6, attn_implementation="eager",
        rope_parameters=dict(rope_type="default", rope_theta=1e7, partial_rotary_factor=0.25,
                             mrope_section=[1, 1, 0], mrope_interleaved=True), **fields)


def randomise(model, seed):
    """Weights that keep every activation alive, all representable in bf16."""
    generator = torch.Generator().manual_seed(seed)

    def normal(shape, scale, mean=0.0):
        return mean + scale * torch.randn(shape, generator=generator)

    for name, parameter in model.named_parameters():
        shape = parameter.shape
        if name.endswith("linear_attn.norm.weight"):
            value = normal(shape, 0.2, 1.0)
        elif name.endswith("norm.weight"):
            value = normal(shape, 0.2)
        elif name.endswith("A_log"):
            value = normal(shape, 1.0, -0.5)
        elif name.endswith("dt_bias"):
            value = normal(shape, 1.0, -1.0)
        elif name.endswith("conv1d.weight"):
            value = normal(shape, 0.5)
        elif name.endswith("embed_tokens.weight"):
            value = normal(shape, 1.0)
        else:
            value = normal(shape, 1.5 / math.sqrt(shape[1]))
        parameter.data = value.to(torch.bfloat16).to(torch.float32)


def save(model, folder, nested):
    """As transformers stores it; `nested` as the multimodal checkpoints of the family do."""
    folder.mkdir(parents=True, exist_ok=True)
    stored = Qwen3_5ForCausalLM(model.config).to(torch.bfloat16)
    stored.load_state_dict(model.state_dict())
    if not nested:
        stored.save_pretrained(folder)
        (folder / "generation_config.json").unlink()
        return
    tensors = {}
    for name, tensor in stored.state_dict().items():
        if name == "lm_head.weight":
            continue
        if name.endswith(("A_log", "linear_attn.norm.weight")):
            tensor = tensor.to(torch.float32)
        tensors[name.replace("model.", "model.language_model.", 1)] = tensor.contiguous()
    tensors["mtp.norm.weight"] = torch.zeros(4, dtype=torch.bfloat16)
    tensors["model.visual.pos_embed.weight"] = torch.zeros(2, 3, dtype=torch.bfloat16)
    names = sorted(tensors)
    half = len(names) // 2
    index = {}
    for i, shard in enumerate((names[:half], names[half:]), start=1):
        file = f"model.safetensors-0000{i}-of-00002.safetensors"
        safetensors.torch.save_file({n: tensors[n] for n in shard}, folder / file, {"format": "pt"})
        index.update({n: file for n in shard})
    total = sum(t.numel() * t.element_size() for t in tensors.values())
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {"total_size": total}, "weight_map": index}, indent=1) + "\n")
    text = json.loads(model.config.to_json_string(use_diff=False))
    text["mamba_ssm_dtype"] = "float32"
    text["attn_output_gate"] = True
    text["eos_token_id"] = 7
    config = dict(architectures=["Qwen3_5ForConditionalGeneration"], model_type="qwen3_5",
                  tie_word_embeddings=model.config.tie_word_embeddings, text_config=text,
                  vision_config={"model_type": "qwen3_5_vision"})
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    (folder / "generation_config.json").write_text('{"eos_token_id": [9, 7]}\n')


def load(folder, dtype):
    """Through from_pretrained, as a user would: model.to(bfloat16) would round the rotary frequencies."""
    model, info = Qwen3_5ForCausalLM.from_pretrained(
        folder, dtype=dtype, attn_implementation="eager", output_loading_info=True)
    assert not info["missing_keys"] and not info["mismatched_keys"], info
    return model.eval()


def observe(model, tokens, greedy):
    residual = {}

    def keep(i):
        def hook(module, args, output):  # returns None: the output stays what it is
            residual.setdefault(i, output[0].clone())
        return hook

    hooks = [model.model.embed_tokens.register_forward_hook(keep(0))]
    hooks += [layer.register_forward_hook(keep(i + 1)) for i, layer in enumerate(model.model.layers)]
    output = model(input_ids=tokens[None], use_cache=True)
    for hook in hooks:
        hook.remove()
    record = {f"residual.{i}": r for i, r in residual.items()}
    record["logits"] = output.logits[0]
    cache = output.past_key_values
    for i, kind in enumerate(model.config.layer_types):
        if kind == L:
            record[f"state.{i}"] = cache.layers[i].recurrent_states[0][0].clone()
        else:
            record[f"keys.{i}"] = cache.layers[i].keys[0].clone()
    written, logits, margins = [], [], []
    last = output.logits[0, -1]
    for _ in range(greedy):
        best = torch.topk(last.float(), 2).values
        written.append(int(torch.argmax(last)))
        logits.append(last)
        margins.append(float(best[0] - best[1]))
        output = model(input_ids=torch.tensor([[written[-1]]]), past_key_values=cache, use_cache=True)
        last = output.logits[0, -1]
    record["greedy"] = torch.tensor(written, dtype=torch.int32)
    record["greedy_logits"] = torch.stack(logits)
    record["margin"] = torch.tensor(margins, dtype=torch.float32)
    return record


def record_sampling(file, versions):
    generator = torch.Generator().manual_seed(7)
    record = {}
    for i, (temperature, k, p) in enumerate(
            [(1.0, 0, 1.0), (0.7, 20, 0.8), (0.7, 0, 0.3), (2.0, 5, 1.0), (0.1, 40, 0.999)]):
        logits = 3 * torch.randn((1, 96), generator=generator)
        record[f"{i}.logits"] = logits[0].clone()
        logits = TemperatureLogitsWarper(temperature)(None, logits)
        if k > 0:
            logits = TopKLogitsWarper(k)(None, logits)
        logits = TopPLogitsWarper(p)(None, logits)
        record[f"{i}.{temperature}.{k}.{p}"] = torch.softmax(logits, dim=-1)[0]
    safetensors.torch.save_file(record, file, versions)


def main(folder):
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    versions = {"torch": torch.__version__, "transformers": transformers.__version__,
                "tokenizers": tokenizers.__version__, "safetensors": safetensors.__version__}
    folder.mkdir(parents=True, exist_ok=True)
    record_sampling(folder / "sampling.safetensors", versions)
    for name, case in CASES.items():
        model = Qwen3_5ForCausalLM(make_config(case["config"])).eval()
        randomise(model, case["seed"])
        model.tie_weights()
        save(model, folder / name, case["nested"])
        generator = torch.Generator().manual_seed(100 + case["seed"])
        tokens = torch.randint(case["config"]["vocab_size"], (case["prompt"],), generator=generator)
        record = {"tokens": tokens.to(torch.int32)}
        with torch.no_grad():
            for precision, dtype in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
                observed = observe(load(folder / name, dtype), tokens, case["greedy"])
                record.update({f"{precision}.{key}": value for key, value in observed.items()})
                print(name, precision, "smallest margin", float(observed["margin"].min()),
                      "greedy", observed["greedy"].tolist())
        safetensors.torch.save_file({k: v.contiguous() for k, v in record.items()},
                                    folder / name / "reference.safetensors", versions)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
