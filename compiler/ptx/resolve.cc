// Calls of functions that have no body in the module.
#include <fmt/format.h>

#include "compiler/ptx/ptx.h"

namespace qgpu::ptx {
namespace {

class Resolver {
 public:
  explicit Resolver(const Module& module) : module_(module), seen_(module.functions.size()) {}

  Expected<void> visit(const Function& kernel) {
    std::vector<const Function*> pending = {&kernel};
    while (!pending.empty()) {
      const Function& function = *pending.back();
      pending.pop_back();
      for (const Instruction& i : function.body) {
        if (i.opcode != Opcode::Call) continue;
        for (const std::uint32_t target : targets(i, function)) {
          if (!module_.functions[target].has_body) return refuseCall(i, module_.functions[target]);
          if (!seen_[target]) pending.push_back(&module_.functions[target]);
          seen_[target] = true;
        }
      }
    }
    return {};
  }

 private:
  static std::vector<std::uint32_t> targets(const Instruction& call, const Function& function) {
    if (const auto* symbol = std::get_if<SymbolAddress>(&call.operands[1].value)) {
      return {symbol->symbol.index};
    }
    const auto& table = std::get<TableRef>(call.operands[3].value);
    return function.tables[table.index].functions;
  }

  tl::unexpected<Failure> refuseCall(const Instruction& call, const Function& target) const {
    const bool prints = target.name == "vprintf";
    return refuseAt(module_.locate(call),
                    fmt::format("call of {}, which has no body", prints ? "printf" : target.name),
                    prints ? "write the values to an array and look at them after the launch"
                           : "define the function in this file");
  }

  const Module& module_;
  std::vector<bool> seen_;
};

}  // namespace

Expected<void> requireResolved(const Module& module, const Function& kernel) {
  return Resolver(module).visit(kernel);
}

}  // namespace qgpu::ptx
