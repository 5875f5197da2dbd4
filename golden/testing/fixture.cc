#include "golden/testing/fixture.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "golden/pack.h"
#include "interpreter/base/files.h"

namespace qgpu::golden {
namespace {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string form = (std::filesystem::temp_directory_path() / "golden-XXXXXX").string();
    check(mkdtemp(form.data()) != nullptr, "a temporary folder can be made");
    path_ = form;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

std::string fixture(const std::vector<std::string>& cases) {
  std::vector<std::filesystem::path> files;
  for (const std::string& name : cases)
    files.push_back(std::filesystem::path(QGPU_SOURCE_DIR) / "conformance/cases" /
                    (name + ".json"));
  const TemporaryFolder folder;
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
