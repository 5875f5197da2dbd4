// In a GPU's place, for tests: the native CPU runner in warps of 32 lanes. What comes out is a
// fixture, and says so.
#include "compiler/launch/case_file.h"
#include "conformance/cases.h"
#include "conformance/cpu/native.h"
#include "golden/recorder/device.h"
#include "golden/recording.h"

namespace qgpu::recorder {
namespace {

// The case of that name, on the launch's own inputs.
Expected<launch::Launch> nativeLaunch(const Launch& launch) {
  const std::string name = launch.name_json.substr(1, launch.name_json.size() - 2);
  const auto file = std::filesystem::path(QGPU_SOURCE_DIR) / "conformance/cases" / (name + ".json");
  auto test_case = launch::readCase(file);
  if (!test_case) return fail(std::move(test_case.error()));
  launch::Launch native = std::move(test_case->launch);
  native.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
  native.block = {launch.block[0], launch.block[1], launch.block[2]};
  native.shared_bytes = launch.shared_bytes;
  if (native.parameters.size() != launch.parameters.size())
    return refuse("the list's launch has other parameters than its case");
  for (std::size_t i = 0; i < native.parameters.size(); ++i)
    native.parameters[i].bytes = launch.parameters[i].bytes;
  return native;
}

class CpuDevice : public Device {
 public:
  std::string name() const override { return std::string(golden::kFixtureDevice); }
  std::string computeCapability() const override { return "0.0"; }

  std::string run(const Launch& launch, std::vector<Bytes>& memory) override {
    const auto native = nativeLaunch(launch);
    if (!native) return native.error().text();
    const std::string kernel = conformance::nativeName(conformance::Suite::Own, *native);
    const auto arrays = cpu::runNatively(kernel, *native, cpu::Order::Forward, 32);
    if (!arrays) return arrays.error().text();
    std::size_t next = 0;
    for (const launch::Parameter& parameter : native->parameters) {
      if (parameter.kind != launch::ParameterKind::Array) continue;
      const Bytes& bytes = arrays->at(parameter.name);
      std::copy(bytes.begin(), bytes.end(), memory[next++].begin() + kGuardBytes);
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<Device> openDevice(const std::string&, std::string&) {
  return std::make_unique<CpuDevice>();
}

}  // namespace qgpu::recorder
