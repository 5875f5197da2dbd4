#include "golden/testing/fixture.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "golden/pack.h"
#include "interpreter/base/files.h"
#include "model/testing/temporary_folder.h"

namespace qgpu::golden {
std::string fixture(const std::vector<std::string>& cases) {
  std::vector<std::filesystem::path> files;
  for (const std::string& name : cases)
    files.push_back(std::filesystem::path(QGPU_SOURCE_DIR) / "conformance/cases" /
                    (name + ".json"));
  const model::TemporaryFolder folder;
  const auto pack = makePack(files);
  check(pack.has_value() && writePack(*pack, folder.path()).has_value(), "the cases make a pack");
  const auto out = folder.path() / "recording.jsonl";
  const std::string command =
      fmt::format("RECORDER='{}' '{}' '{}' >/dev/null 2>&1", QGPU_CPU_RECORDER,
                  (folder.path() / "record").string(), out.string());
  check(std::system(command.c_str()) == 0, "the recorder ends well");
  auto text = readFile(out);
  check(text.has_value(), "the recorder wrote its recording");
  return std::move(*text);
}

}  // namespace qgpu::golden
