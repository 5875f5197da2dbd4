#include "golden/pack.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "compiler/cuda/compile.h"
#include "compiler/launch/case_file.h"
#include "golden/comparable.h"
#include "interpreter/base/files.h"

namespace qgpu::golden {
namespace {

bool isPtx(const SourceText& source) { return source.file.ends_with(".ptx"); }

// Refused where the kernel takes other bytes than the launch gives: a GPU's driver copies as many
// as the kernel declares, whatever is there.
Expected<void> matchParameters(const cuda::Kernel& kernel, const launch::Launch& launch) {
  if (kernel.parameters.size() != launch.parameters.size())
    return refuse(fmt::format("the launch has {} parameters, the kernel {}",
                              launch.parameters.size(), kernel.parameters.size()));
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
    const launch::Parameter& given = launch.parameters[i];
    const bool array = given.kind == launch::ParameterKind::Array;
    const std::size_t bytes = array ? sizeof(void*) : given.bytes.size();
    if (array != (kernel.parameters[i].kind == cuda::ValueKind::Pointer) ||
        std::cmp_not_equal(bytes, kernel.parameters[i].bytes))
      return refuse(fmt::format("parameter '{}' is not of the kernel's type '{}'", given.name,
                                kernel.parameters[i].type));
  }
  return {};
}

Expected<std::string> symbolOf(const SourceText& source, const launch::Launch& launch) {
  if (isPtx(source)) {
    if (source.text.find(".entry " + launch.entry) == std::string::npos)
      return refuse(fmt::format("'{}' is no kernel's name in {}", launch.entry, source.file));
    return launch.entry;
  }
  cuda::CudaOptions options;
  options.entry = launch.entry;
  const auto ptx = cuda::compileCuda(source.text, source.file, options);
  if (!ptx) return fail(ptx.error());
  const cuda::Kernel& kernel = ptx->kernels[*ptx->entry];
  if (auto ok = matchParameters(kernel, launch); !ok) return fail(std::move(ok.error()));
  return kernel.mangled;
}

// Names go through the list of launches and a shell; texts through JSON.
Expected<void> canTravel(const SourceText& source) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (source.file.find_first_not_of(kAllowed) != std::string::npos || source.file[0] == '-')
    return refuseAt({source.file, 0, 0},
                    "the name has other characters than letters, digits and ._-", "rename it");
  if (nlohmann::json::parse(jsonString(source.text)) != source.text)
    return refuseAt({source.file, 0, 0}, "the source is not UTF-8");
  return {};
}

class PackMaker {
 public:
  Expected<void> add(const std::filesystem::path& case_file);
  Pack take() { return std::move(pack_); }

 private:
  Expected<std::size_t> sourceOf(const std::filesystem::path& kernel);

  Pack pack_;
  std::map<std::string, std::size_t> source_named_;
  std::set<std::string> names_;
};

Expected<void> PackMaker::add(const std::filesystem::path& case_file) {
  auto test_case = launch::readCase(case_file);
  if (!test_case) return fail(std::move(test_case.error()));
  const std::string name = test_case->launch.name;
  if (!names_.insert(name).second)
    return refuseAt({case_file.string(), 0, 0}, fmt::format("a second launch named '{}'", name),
                    "rename one");
  if (std::string reason = whyNotComparable(*test_case, case_file); !reason.empty()) {
    pack_.omissions.push_back({name, std::move(reason)});
    return {};
  }
  const auto source = sourceOf(test_case->launch.kernel);
  if (!source) return fail(source.error());
  const SourceText& text = pack_.sources[*source];
  auto symbol = symbolOf(text, test_case->launch);
  if (!symbol) {
    pack_.omissions.push_back({name, symbol.error().text()});
    return {};
  }
  test_case->launch.kernel = text.file;
  pack_.launches.push_back({std::move(*test_case), *source, std::move(*symbol)});
  return {};
}

Expected<std::size_t> PackMaker::sourceOf(const std::filesystem::path& kernel) {
  auto text = readFile(kernel);
  if (!text) return fail(std::move(text.error()));
  SourceText source{kernel.filename().string(), std::move(*text)};
  if (auto ok = canTravel(source); !ok) return fail(std::move(ok.error()));
  const auto [entry, is_new] = source_named_.emplace(source.file, pack_.sources.size());
  if (is_new)
    pack_.sources.push_back(std::move(source));
  else if (pack_.sources[entry->second] != source)
    return refuseAt({kernel.string(), 0, 0}, "another source has the same name and another text",
                    "rename one");
  return entry->second;
}

std::string hexadecimal(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text.empty() ? "-" : text;
}

// How the recorder treats an array: an array that the case does not expect depends on the order of
// threads and is not recorded.
std::string_view modeOf(const launch::Case& test_case, const std::string& array) {
  // A case from elsewhere may expect nothing: then every array counts.
  if (!test_case.expected.empty() && !test_case.expected.contains(array)) return "ignored";
  const auto compare = test_case.compare.find(array);
  return compare != test_case.compare.end() && compare->second == launch::CompareMode::Multiset
             ? "multiset"
             : "exact";
}

std::string parameterLine(const launch::Case& test_case, const launch::Parameter& parameter) {
  const std::string bytes = hexadecimal(parameter.bytes);
  if (parameter.kind != launch::ParameterKind::Array) return fmt::format("value {}\n", bytes);
  return fmt::format("array {} {} {} {}\n", name(parameter.type), modeOf(test_case, parameter.name),
                     bytes, jsonString(parameter.name));
}

std::string launchText(const PackedLaunch& packed) {
  const launch::Launch& launch = packed.test_case.launch;
  std::string text = fmt::format(
      "launch {}\nmodule {}\nsymbol {}\ngrid {} {} {}\nblock {} {} {}\nshared {}\n",
      jsonString(launch.name), launch.kernel.string(), packed.symbol, launch.grid.x, launch.grid.y,
      launch.grid.z, launch.block.x, launch.block.y, launch.block.z, launch.shared_bytes);
  for (const launch::Parameter& parameter : launch.parameters)
    text += parameterLine(packed.test_case, parameter);
  launch::Case asked = packed.test_case;
  asked.expected.clear();
  return text + fmt::format("record {}\n", launchLine(asked));
}

// What nvcc compiles: the source, and the templates' instances that are launched.
std::string moduleText(const Pack& pack, std::size_t source) {
  std::set<std::string> instances;
  for (const PackedLaunch& packed : pack.launches)
    if (packed.source == source && packed.test_case.launch.entry.ends_with('>'))
      instances.insert(packed.test_case.launch.entry);
  std::string text = fmt::format("#include \"../kernels/{}\"\n", pack.sources[source].file);
  if (instances.empty()) return text;
  text += "extern const void* const qgpu_instances[];\nconst void* const qgpu_instances[] = {\n";
  for (const std::string& instance : instances)
    text += fmt::format("    reinterpret_cast<const void*>(&{}),\n", instance);
  return text + "};\n";
}

Expected<void> makeFolders(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return refuseAt({folder.string(), 0, 0}, error.message());
  if (!std::filesystem::is_empty(folder, error) || error)
    return refuseAt({folder.string(), 0, 0}, "is not an empty folder", "name a new one");
  for (const char* const inner : {"kernels", "modules", "recorder"}) {
    std::filesystem::create_directory(folder / inner, error);
    if (error) return refuseAt({(folder / inner).string(), 0, 0}, error.message());
  }
  return {};
}

Expected<void> copyRecorder(const std::filesystem::path& folder) {
  const auto from = std::filesystem::path(QGPU_SOURCE_DIR) / "golden/recorder";
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(from, error)) {
    const auto& path = entry.path();
    const bool is_script = path.filename() == "record";
    std::filesystem::copy_file(path, (is_script ? folder : folder / "recorder") / path.filename(),
                               error);
    if (error) break;
  }
  if (error) return refuseAt({from.string(), 0, 0}, error.message());
  return {};
}

}  // namespace

std::size_t Pack::kernels() const {
  std::set<std::pair<std::size_t, std::string>> different;
  for (const PackedLaunch& packed : launches) different.insert({packed.source, packed.symbol});
  return different.size();
}

Expected<Pack> makePack(const std::vector<std::filesystem::path>& case_files,
                        const std::function<void()>& after_case) {
  PackMaker maker;
  for (const auto& file : case_files) {
    if (auto ok = maker.add(file); !ok) return fail(std::move(ok.error()));
    after_case();
  }
  return maker.take();
}

std::string launchList(const Pack& pack) {
  std::string text = "qgpu-launches 1\n";
  std::set<std::size_t> said;
  for (const PackedLaunch& packed : pack.launches) {
    if (said.insert(packed.source).second)
      text += fmt::format("echo {}\n", sourceLine(pack.sources[packed.source]));
    text += launchText(packed);
  }
  for (const Omission& omission : pack.omissions)
    text += fmt::format("echo {}\n", omissionLine(omission));
  return text;
}

Expected<void> writePack(const Pack& pack, const std::filesystem::path& folder) {
  if (auto ok = makeFolders(folder); !ok) return ok;
  if (auto ok = copyRecorder(folder); !ok) return ok;
  for (std::size_t i = 0; i < pack.sources.size(); ++i) {
    const SourceText& source = pack.sources[i];
    if (auto ok = writeFileAtomically(folder / "kernels" / source.file, source.text); !ok)
      return ok;
    if (isPtx(source)) continue;  // the driver takes it as it is
    if (auto ok = writeFileAtomically(folder / "modules" / source.file, moduleText(pack, i)); !ok)
      return ok;
  }
  return writeFileAtomically(folder / "launches.txt", launchList(pack));
}

}  // namespace qgpu::golden
