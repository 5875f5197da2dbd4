// qgpu_write_mutants DOCS: writes the page of the mutants into that folder.
#include <cstdio>
#include <filesystem>

#include "interpreter/base/files.h"
#include "interpreter/testing/mutation_campaign.h"

int main(int argc, char** argv) {
  using namespace qgpu;
  if (argc != 2) {
    std::fputs("usage: qgpu_write_mutants FOLDER   writes FOLDER/mutation.md\n", stderr);
    return exitStatus(FailureKind::Refusal);
  }
  const isatest::MutationCampaign campaign(isatest::kPagePrograms);
  const auto mutants = isatest::clauseMutants();
  std::vector<isatest::Fate> fates;
  for (const isatest::Mutant& mutant : mutants) fates.push_back(campaign.fateOf(mutant));
  const std::string page = isatest::mutationPage(mutants, fates, isatest::kPagePrograms);
  const auto done = writeFileAtomically(std::filesystem::path(argv[1]) / "mutation.md", page);
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().text().c_str());
  return exitStatus(done.error().kind);
}
