#include "conformance/cases.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <system_error>

namespace qgpu::conformance {
namespace {

std::string_view name(Suite suite) { return suite == Suite::Own ? "own" : "shared"; }

std::vector<CaseFile> casesIn(const std::filesystem::path& folder, Suite suite) {
  std::vector<CaseFile> files;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing))
    if (entry.path().extension() == ".json") files.push_back({suite, entry.path()});
  std::sort(files.begin(), files.end(),
            [](const CaseFile& a, const CaseFile& b) { return a.path < b.path; });
  return files;
}

std::filesystem::path sourceFolder() { return QGPU_SOURCE_DIR; }

}  // namespace

std::string CaseFile::testName() const {
  std::string text = std::string(name(suite)) + "_" + path.stem().string();
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

std::vector<CaseFile> ownCases() {
  return casesIn(sourceFolder() / "conformance/cases", Suite::Own);
}

std::vector<CaseFile> sharedCases() {
  return casesIn(sourceFolder().parent_path() / "shared/cases/cases", Suite::Shared);
}

std::vector<CaseFile> allCases() {
  std::vector<CaseFile> files = ownCases();
  const std::vector<CaseFile> shared = sharedCases();
  files.insert(files.end(), shared.begin(), shared.end());
  return files;
}

std::string nativeName(Suite suite, const launch::Launch& launch) {
  return std::string(name(suite)) + "/" + launch.kernel.stem().string() + ":" + launch.entry;
}

}  // namespace qgpu::conformance
