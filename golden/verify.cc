#include "golden/verify.h"

#include "compiler/launch/compare.h"

namespace qgpu::golden {

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::Agrees: return "agrees";
    case Outcome::Refused: return "refused";
    case Outcome::Differs: return "differs";
    case Outcome::Failed: return "failed";
  }
  bug("an outcome has a name");
}

Verdict judge(const Golden& golden, const Expected<launch::Arrays>& arrays) {
  const launch::Case& test_case = golden.test_case;
  if (!arrays) {
    const bool allowed = arrays.error().kind == FailureKind::Refusal &&
                         test_case.expectation == launch::Expectation::PassOrReject;
    return {allowed ? Outcome::Refused : Outcome::Failed, 0, arrays.error().text()};
  }
  const launch::Comparison comparison = launch::compare(test_case, *arrays);
  if (comparison.agrees()) return {Outcome::Agrees, comparison.compared, ""};
  std::string text = comparison.text(3);
  while (text.ends_with('\n')) text.pop_back();
  return {Outcome::Differs, comparison.compared, text};
}

}  // namespace qgpu::golden
