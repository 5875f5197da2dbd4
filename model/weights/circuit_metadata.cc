#include "model/weights/circuit_metadata.h"

#include <fmt/format.h>

#include "interpreter/base/json.h"
#include "interpreter/base/sha256.h"
#include "interpreter/isa/machine_parameters.h"
#include "interpreter/isa/manual.h"
#include "interpreter/protocol/manual.h"
#include "model/weights/circuit_file.h"

namespace qgpu::model {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kFormat = "qgpu.circuit";
constexpr std::string_view kVersion = "1";
constexpr std::size_t kMost = 65536;  // of any width, unit or step

Json machineJson() {
  const MachineParameters& m = kMachine;
  return {{"lanes", m.lanes},
          {"registers", m.registers},
          {"predicates", m.predicates},
          {"slots", m.slots},
          {"blocks", m.blocks},
          {"warps", m.warps},
          {"launch_threads", m.launch_threads},
          {"thread_blocks", m.thread_blocks},
          {"global_words", m.global_words},
          {"global_rows", m.global_rows},
          {"shared_words", m.shared_words},
          {"parameters", m.parameters}};
}

Json substrateJson(const Substrate& s) {
  return {{"hidden", s.hidden}, {"first_dim", s.first_dim},
          {"dims", s.dims},     {"intermediate", s.intermediate},
          {"heads", s.heads},   {"layers", s.layers}};
}

Json budgetJson(const std::vector<LayerBudget>& budget) {
  Json list = Json::array();
  for (const LayerBudget& b : budget)
    list.push_back({{"units", b.units},
                    {"clearing_units", b.clearing_units},
                    {"wires", b.wires},
                    {"heads", b.heads}});
  return list;
}

Json memoriesJson(const std::map<std::string, MemoryPlace>& memories) {
  Json object = Json::object();
  for (const auto& [name, place] : memories)
    object[name] = {{"layer", place.layer}, {"head", place.head}};
  return object;
}

Json probesJson(const std::map<std::string, Probe>& probes) {
  Json object = Json::object();
  for (const auto& [name, probe] : probes)
    object[name] = {{"step", probe.step}, {"sign", probe.sign}, {"dims", probe.dims}};
  return object;
}

// Reads the values of one key.
class Reader {
 public:
  Reader(const Metadata& metadata, const std::string& file) : metadata_(metadata), file_(file) {}

  Expected<std::string> text(const std::string& key) const {
    const auto found = metadata_.find(key);
    if (found != metadata_.end()) return found->second;
    return refuse(fmt::format("{}: the metadata lacks '{}'", file_, key),
                  "circuit files are written by `qgpu build`");
  }
  Expected<Json> json(const std::string& key) const {
    const auto value = text(key);
    if (!value) return fail(value.error());
    return parseJson(*value, where(key));
  }
  std::string where(const std::string& key) const {
    return fmt::format("{}, metadata '{}'", file_, key);
  }
  tl::unexpected<Failure> another(const std::string& key, std::string_view what) const {
    return refuse(fmt::format("{}: built for another {} (metadata '{}')", file_, what, key),
                  "build it again with `qgpu build`");
  }

 private:
  const Metadata& metadata_;
  const std::string& file_;
};

Expected<void> checkIdentity(const Reader& reader, const std::string& file) {
  const auto format = reader.text("format");
  if (!format) return fail(format.error());
  if (*format != kFormat) return refuse(fmt::format("{}: not a circuit file", file));
  const auto version = reader.text("format_version");
  if (!version) return fail(version.error());
  if (*version != kVersion)
    return refuse(
        fmt::format("{}: format version {}, this program reads {}", file, *version, kVersion));
  const auto machine = reader.json("machine");
  if (!machine) return fail(machine.error());
  if (*machine != machineJson()) return reader.another("machine", "size of machine");
  const auto table = reader.text("instruction_table");
  if (!table) return fail(table.error());
  if (*table != instructionTableHash())
    return reader.another("instruction_table", "instruction table");
  return {};
}

int integer(JsonFields& fields, std::string_view name, std::size_t low, std::size_t high) {
  return static_cast<int>(fields.size(name, low, high));
}

Expected<Substrate> readSubstrate(const Reader& reader) {
  const auto json = reader.json("substrate");
  if (!json) return fail(json.error());
  JsonFields f(*json, reader.where("substrate"));
  Substrate s;
  s.hidden = integer(f, "hidden", 1, kMost);
  s.first_dim = integer(f, "first_dim", 0, kMost);
  s.dims = integer(f, "dims", 1, kMost);
  s.intermediate = integer(f, "intermediate", 1, kMost);
  s.heads = integer(f, "heads", 1, 256);
  s.layers = integer(f, "layers", 1, 1024);
  if (!f.failure() && s.first_dim + s.dims > s.hidden)
    f.refuse("dims", "more than the hidden width");
  if (f.failure()) return fail(*f.failure());
  return s;
}

Expected<void> readBudget(const Reader& reader, Circuit& circuit) {
  const auto json = reader.json("budget");
  if (!json) return fail(json.error());
  if (!json->is_array() || json->size() != static_cast<std::size_t>(circuit.substrate.layers))
    return refuse(fmt::format("{}: not one entry for each layer", reader.where("budget")));
  for (const Json& entry : *json) {
    JsonFields f(entry, reader.where("budget"));
    LayerBudget b;
    b.units = integer(f, "units", 0, kMost);
    b.clearing_units = integer(f, "clearing_units", 0, kMost);
    b.wires = integer(f, "wires", 0, kMost);
    b.heads = integer(f, "heads", 0, kMost);
    if (f.failure()) return fail(*f.failure());
    circuit.budget.push_back(b);
  }
  return {};
}

Expected<void> readMemories(const Reader& reader, Circuit& circuit) {
  const auto json = reader.json("memories");
  if (!json) return fail(json.error());
  if (!json->is_object()) return refuse(fmt::format("{}: not an object", reader.where("memories")));
  const Substrate& s = circuit.substrate;
  for (const auto& [name, entry] : json->items()) {
    JsonFields f(entry, reader.where("memories"), name);
    const int layer = integer(f, "layer", 0, static_cast<std::size_t>(s.layers - 1));
    const int head = integer(f, "head", 0, static_cast<std::size_t>(s.heads - 1));
    if (f.failure()) return fail(*f.failure());
    circuit.memories[name] = {layer, head};
  }
  return {};
}

// Dims of the residual stream; a fault goes to `fields`.
std::vector<std::uint16_t> readDims(JsonFields& fields, const Substrate& s) {
  std::vector<std::uint16_t> dims;
  for (const Json& dim : fields.array("dims")) {
    if (!dim.is_number_unsigned() || dim.get<std::uint64_t>() >= static_cast<unsigned>(s.hidden)) {
      fields.refuse("dims", "not a dim of the residual stream");
      return {};
    }
    dims.push_back(dim.get<std::uint16_t>());
  }
  if (dims.empty() || dims.size() > 32) fields.refuse("dims", "not 1 to 32 of them");
  return dims;
}

Expected<void> readProbes(const Reader& reader, Circuit& circuit) {
  const auto json = reader.json("probes");
  if (!json) return fail(json.error());
  if (!json->is_object()) return refuse(fmt::format("{}: not an object", reader.where("probes")));
  const Substrate& s = circuit.substrate;
  for (const auto& [name, entry] : json->items()) {
    JsonFields f(entry, reader.where("probes"), name);
    Probe probe;
    probe.step = integer(f, "step", 0, 2 * static_cast<std::size_t>(s.layers));
    probe.sign = f.boolean("sign");
    probe.dims = readDims(f, s);
    if (f.failure()) return fail(*f.failure());
    circuit.probes[name] = std::move(probe);
  }
  return {};
}

Expected<void> readHeadScale(const Reader& reader, Circuit& circuit) {
  const auto json = reader.json("lm_head");
  if (!json) return fail(json.error());
  JsonFields f(*json, reader.where("lm_head"));
  circuit.unembedding.scale = static_cast<float>(f.number("scale", 1e-30, 1e30));
  if (!f.failure() && !isBfloat16(circuit.unembedding.scale))
    f.refuse("scale", "not exact in bfloat16");
  if (f.failure()) return fail(*f.failure());
  return {};
}

}  // namespace

const std::string& instructionTableHash() {
  static const std::string kHash = sha256(isa::instructionManual() + protocol::tokenManual());
  return kHash;
}

Metadata circuitMetadata(const Circuit& circuit) {
  return {{"format", std::string(kFormat)},
          {"format_version", std::string(kVersion)},
          {"machine", machineJson().dump()},
          {"instruction_table", instructionTableHash()},
          {"substrate", substrateJson(circuit.substrate).dump()},
          {"budget", budgetJson(circuit.budget).dump()},
          {"memories", memoriesJson(circuit.memories).dump()},
          {"probes", probesJson(circuit.probes).dump()},
          {"lm_head", Json{{"scale", circuit.unembedding.scale}}.dump()}};
}

Expected<void> readMetadata(const Metadata& metadata, const std::string& file, Circuit& circuit) {
  const Reader reader(metadata, file);
  if (auto ok = checkIdentity(reader, file); !ok) return ok;
  auto substrate = readSubstrate(reader);
  if (!substrate) return fail(std::move(substrate.error()));
  circuit.substrate = *substrate;
  for (const auto read : {readBudget, readMemories, readProbes, readHeadScale})
    if (auto ok = read(reader, circuit); !ok) return ok;
  return {};
}

}  // namespace qgpu::model
