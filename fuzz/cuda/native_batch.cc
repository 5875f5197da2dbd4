#include "fuzz/cuda/native_batch.h"

#include <dlfcn.h>

#include <array>
#include <cstring>

#include "conformance/cpu/grid.h"
#include "conformance/cpu/shared_memory.h"
#include "fuzz/cuda/native_library.h"
#include "fuzz/judge/apart.h"
#include "interpreter/base/temporary_folder.h"

namespace qgpu::fuzz::cuda {
namespace {

constexpr std::array kOrders = {cpu::Order::Forward, cpu::Order::Backward};

using Entry = void (*)(void* const*);

// What the runner knows of a kernel that was loaded.
cpu::Kernel kernelFor(Entry entry) {
  return {[entry](const std::vector<cpu::Argument>& arguments) -> Expected<std::function<void()>> {
    std::vector<void*> addresses;
    addresses.reserve(arguments.size());
    for (const cpu::Argument& argument : arguments) addresses.push_back(argument.data);
    return [entry, addresses] { entry(addresses.data()); };
  }};
}

NativeResult runInOrders(const cpu::Kernel& kernel, const launch::Launch& launch) {
  auto arrays = cpu::runGrid(kernel, launch, kOrders[0]);
  auto again = cpu::runGrid(kernel, launch, kOrders[1]);
  if (!arrays) return arrays;
  if (!again) return again;
  if (*arrays != *again) return trap("the result depends on the order of the threads");
  return arrays;
}

// Loads the kernels, in the process that is going to run them.
void* load(const std::string& library) {
  void* const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  check(loaded != nullptr, loaded != nullptr ? "" : dlerror());
  const auto touch = reinterpret_cast<const void* (*)()>(dlsym(loaded, kTouchShared));
  touch();
  cpu::useSharedMemoryOf(reinterpret_cast<const void*>(touch));
  return loaded;
}

// As text: 'A' and the bytes of the arrays one after another, or 'T' and why it is a Trap.
std::string textOf(const NativeResult& result) {
  if (!result) return "T" + result.error().message;
  std::string text = "A";
  for (const auto& [name, bytes] : *result) text.append(bytes.begin(), bytes.end());
  return text;
}

NativeResult resultFrom(const Answer& answer, const launch::Launch& launch) {
  if (!answer.end.empty()) return trap("the kernel crashed: " + answer.end);
  if (answer.text[0] == 'T') return trap(answer.text.substr(1));
  launch::Arrays arrays = launch::arraysOf(launch);
  std::size_t at = 1;
  for (auto& [name, bytes] : arrays) {
    check(answer.text.size() - at >= bytes.size(), "an answer has the bytes of all arrays");
    std::memcpy(bytes.data(), answer.text.data() + at, bytes.size());
    at += bytes.size();
  }
  return arrays;
}

}  // namespace

Expected<std::vector<NativeResult>> runNatively(std::span<const GeneratedKernel> kernels,
                                                const NativeOptions& options) {
  const auto folder = TemporaryFolder::make();
  if (!folder) return fail(folder.error());
  const auto library = buildLibrary(kernels, options, folder->path());
  if (!library) return fail(library.error());
  void* loaded = nullptr;
  const auto answers = runApart(
      kernels.size(), [&] { loaded = load(library->string()); },
      [&](std::size_t i) {
        const std::string entry = entryOf(kernels[i].number);
        const auto call = reinterpret_cast<Entry>(dlsym(loaded, entry.c_str()));
        return textOf(runInOrders(kernelFor(call), kernels[i].launch));
      });
  if (!answers) return fail(answers.error());
  std::vector<NativeResult> results;
  results.reserve(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i)
    results.push_back(resultFrom((*answers)[i], kernels[i].launch));
  return results;
}

}  // namespace qgpu::fuzz::cuda
