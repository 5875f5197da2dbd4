// golden_pack: what is ready to be recorded on a GPU, and the pack that does it.
//
//   golden_pack                            counts what is ready, and lists what is not, with
//   reasons golden_pack --out golden-pack          writes the pack (pack.h) golden_pack
//   conformance/cases DIR ...  of these case files and folders
//
// Exit status: 0 done · 2 refused: usage, or a case that cannot be read.
#include "golden/pack.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "interpreter/base/progress.h"

namespace qgpu::golden {
namespace {

struct Options {
  std::vector<std::string> paths = {QGPU_SOURCE_DIR "/conformance/cases"};
  std::string out;
  bool json = false;
};

// The files among the paths, and the case files in the folders.
Expected<std::vector<std::filesystem::path>> caseFiles(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.emplace_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path, error))
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    if (error) return refuseAt({path, 0, 0}, error.message());
  }
  std::ranges::sort(files);
  return files;
}

void print(const Pack& pack, bool json) {
  if (json) {
    nlohmann::ordered_json object = {{"status", "ok"},
                                     {"launches", pack.launches.size()},
                                     {"kernels", pack.kernels()},
                                     {"omitted", nlohmann::json::array()}};
    for (const Omission& omission : pack.omissions)
      object["omitted"].push_back({{"launch", omission.launch}, {"reason", omission.reason}});
    fmt::print("{}\n", object.dump());
    return;
  }
  fmt::print("{} launches of {} kernels are ready; {} are not{}\n", pack.launches.size(),
             pack.kernels(), pack.omissions.size(), pack.omissions.empty() ? "" : ":");
  for (const Omission& omission : pack.omissions)
    fmt::print("  {}: {}\n", omission.launch, omission.reason);
}

Expected<void> pack(const Options& options) {
  const auto files = caseFiles(options.paths);
  if (!files) return fail(files.error());
  Progress progress("cases", static_cast<std::int64_t>(files->size()));
  const auto made = makePack(*files, [&] { progress.advance(); });
  if (!made) return fail(made.error());
  if (!options.out.empty())
    if (auto ok = writePack(*made, options.out); !ok) return ok;
  print(*made, options.json);
  return {};
}

int main(int argc, char** argv) {
  Options options;
  CLI::App app("What is ready to be recorded on a GPU, and the pack that does it");
  app.footer(
      "Example\n  $ golden_pack --out golden-pack && scp -r golden-pack gpu:\n"
      "  $ ssh gpu golden-pack/record recording.jsonl      needs nvcc and a GPU, nothing else");
  app.add_option("paths", options.paths, "case files, and folders of them (conformance/cases)")
      ->type_name("PATH");
  app.add_option("--out", options.out, "write the pack into this new folder")->type_name("DIR");
  app.add_flag("--json", options.json, "one JSON object on standard output, nothing else");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::Error& error) {
    fmt::print(stderr, "error: {}\n  help: see golden_pack --help\n", error.what());
    return 2;
  }
  const auto done = pack(options);
  if (done) return 0;
  fmt::print(stderr, "{}\n", done.error().text());
  return exitStatus(done.error().kind);
}

}  // namespace
}  // namespace qgpu::golden

int main(int argc, char** argv) { return qgpu::golden::main(argc, argv); }
