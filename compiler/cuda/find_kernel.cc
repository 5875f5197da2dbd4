#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "compiler/cuda/compile.h"
#include "compiler/cuda/join.h"

namespace qgpu::cuda {
namespace {

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// "unsigned" alone as clang spells it: "unsigned int".
std::string withUnsignedInt(std::string name) {
  constexpr std::string_view kUnsigned = "unsigned";
  for (std::size_t at = name.find(kUnsigned); at != std::string::npos;
       at = name.find(kUnsigned, at)) {
    const bool starts = at == 0 || !isWordCharacter(name[at - 1]);
    at += kUnsigned.size();
    const bool alone = at == name.size() || (!isWordCharacter(name[at]) && name[at] != ' ');
    if (starts && alone) name.insert(at, " int");
  }
  return name;
}

// A name in one spelling: no blanks but between words, and numbers without the suffix of their
// type, which clang writes (k<8U>) and people do not (k<8>).
std::string canonical(std::string_view name) {
  std::string result;
  bool in_number = false, blank = false;
  for (const char c : name) {
    if (c == ' ' || c == '\t') {
      blank = true;
      continue;
    }
    if (blank && !result.empty() && isWordCharacter(result.back()) && isWordCharacter(c))
      result += ' ';
    blank = false;
    const bool digit = c >= '0' && c <= '9';
    in_number = digit ? in_number || result.empty() || !isWordCharacter(result.back())
                      : in_number && isWordCharacter(c);
    if (in_number && !digit && (c == 'U' || c == 'u' || c == 'L' || c == 'l')) continue;
    result += c;
  }
  return withUnsignedInt(std::move(result));
}

std::string_view withoutArguments(std::string_view name) { return name.substr(0, name.find('<')); }

// "k" and "inner::k" are ends of "outer::inner::k".
bool isEndOf(std::string_view end, std::string_view name) {
  if (!name.ends_with(end)) return false;
  name.remove_suffix(end.size());
  return name.empty() || name.ends_with("::");
}

bool means(std::string_view name, const Kernel& kernel) {
  const std::string qualified = canonical(kernel.qualified);
  return isEndOf(name, qualified) || isEndOf(name, withoutArguments(qualified));
}

Failure refusal(const std::vector<Kernel>& kernels, std::string_view name, bool ambiguous) {
  std::vector<std::string> names;
  names.reserve(kernels.size());
  for (const Kernel& kernel : kernels)
    names.push_back(ambiguous && !name.empty()
                        ? fmt::format("{} ({})", kernel.qualified, kernel.mangled)
                        : kernel.qualified);
  std::string message;
  if (kernels.empty())
    message = "the source has no kernel (a __global__ function)";
  else if (name.empty())
    message = fmt::format("the source has {} kernels", kernels.size());
  else
    message = fmt::format(
        "{} {}", ambiguous ? "more than one kernel is called" : "there is no kernel", name);
  return {
      FailureKind::Refusal, {}, message, names.empty() ? "" : "name one of " + join(names, ", ")};
}

}  // namespace

Expected<std::size_t> findKernel(const std::vector<Kernel>& kernels, std::string_view name) {
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (kernels[i].mangled == name) return i;
  const std::string wanted = canonical(name.starts_with("::") ? name.substr(2) : name);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (name.empty() || means(wanted, kernels[i])) found.push_back(i);
  if (found.size() == 1) return found.front();
  if (found.empty()) return fail(refusal(kernels, name, false));
  std::vector<Kernel> candidates;
  candidates.reserve(found.size());
  for (const std::size_t i : found) candidates.push_back(kernels[i]);
  return fail(refusal(candidates, name, true));
}

}  // namespace qgpu::cuda
