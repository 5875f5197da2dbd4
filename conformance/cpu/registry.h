// The kernels compiled for the CPU, by name, with their parameters unpacked by type.
//
//   Registry registry;
//   registry.add("own/dot:dot", &dot);              // void dot(const int*, const int*, int*, int)
//   const Kernel* kernel = registry.find("own/dot:dot");
//   auto bound = kernel->bind(arguments);           // Expected<std::function<void()>>
//   (*bound)();                                     // one thread's run
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "interpreter/base/failure.h"

namespace qgpu::cpu {

// An argument as the launch gives it: an array's memory, or a value's bytes.
struct Argument {
  std::string_view name;
  bool is_array = false;
  void* data = nullptr;
  std::size_t size = 0;  // bytes
};

struct Kernel {
  // Checks the arguments against the kernel's signature. The result calls the kernel once; it holds
  // the values of scalars and structs and the addresses of arrays.
  std::function<Expected<std::function<void()>>(const std::vector<Argument>&)> bind;
};

// Fills `value` from an argument; refuses an array for a value, a value for a pointer, and a value
// of another size.
template <typename T>
Expected<void> unpack(const Argument& argument, T& value) {
  static_assert(std::is_trivially_copyable_v<T>, "a kernel's parameters are plain values");
  const auto named = [&] { return "argument '" + std::string(argument.name) + "' "; };
  if constexpr (std::is_pointer_v<T>) {
    if (!argument.is_array) return refuse(named() + "is a value where the kernel takes a pointer");
    value = static_cast<T>(argument.data);
  } else {
    if (argument.is_array) return refuse(named() + "is an array where the kernel takes a value");
    if (argument.size != sizeof(T))
      return refuse(named() + "has " + std::to_string(argument.size) + " bytes; the kernel takes " +
                    std::to_string(sizeof(T)));
    std::memcpy(&value, argument.data, sizeof(T));
  }
  return {};
}

class Registry {
 public:
  template <typename... Parameters>
  void add(std::string name, void (*kernel)(Parameters...)) {
    kernels_[std::move(name)] = Kernel{[kernel](const std::vector<Argument>& arguments) {
      return bind(kernel, arguments, std::index_sequence_for<Parameters...>());
    }};
  }

  // nullptr: no kernel of that name.
  const Kernel* find(const std::string& name) const {
    const auto found = kernels_.find(name);
    return found == kernels_.end() ? nullptr : &found->second;
  }
  std::size_t size() const { return kernels_.size(); }

 private:
  template <typename... Parameters, std::size_t... I>
  static Expected<std::function<void()>> bind(void (*kernel)(Parameters...),
                                              const std::vector<Argument>& arguments,
                                              std::index_sequence<I...>) {
    if (arguments.size() != sizeof...(Parameters))
      return refuse(std::to_string(arguments.size()) + " arguments; the kernel takes " +
                    std::to_string(sizeof...(Parameters)));
    std::tuple<std::remove_const_t<Parameters>...> values;
    Expected<void> sound;
    static_cast<void>(((sound = unpack(arguments[I], std::get<I>(values))).has_value() && ...));
    if (!sound) return fail(sound.error());
    return [kernel, values] { std::apply(kernel, values); };
  }

  std::map<std::string, Kernel> kernels_;
};

// Every kernel that was compiled in: "own/FILE:ENTRY" and, where the shared cases were present at
// configure time, "shared/FILE:ENTRY".
const Registry& compiledKernels();

}  // namespace qgpu::cpu
