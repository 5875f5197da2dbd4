#include "tools/qgpu/verb.h"

namespace qgpu::cli {

std::vector<std::unique_ptr<Verb>> verbs() {
  std::vector<std::unique_ptr<Verb>> all;
  for (const auto make :
       {runVerb, compileVerb, disasmVerb, traceVerb, checkVerb, reportVerb, goldenVerb, benchVerb,
        buildVerb, infoVerb, modelVerb, exportVerb, chatVerb, evalVerb, manualVerb})
    all.push_back(make());
  return all;
}

}  // namespace qgpu::cli
