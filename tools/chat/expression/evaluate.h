// Computing an expression on the machine: each operation is a launch of a ready-made kernel.
//
//   auto engine = modelEngine();
//   Calculator calculator(**engine);
//   auto outcome = calculator.evaluate(*parseExpression("[1, 2, 3] @ [4, 5, 6]"));
//   outcome->value.text();        // "32"
//   outcome->launches.size();     // 1: dot<<<1, 3>>>
//
// The host passes arrays on and computes nothing. Results are exact: what does not fit 32 bits is a
// Trap at the operation's place, and so is a division by zero.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "interpreter/base/failure.h"
#include "tools/api/qgpu.h"
#include "tools/chat/expression/expression.h"
#include "tools/chat/launched.h"

namespace qgpu::chat {

struct Outcome {
  Value value;
  std::vector<Launched> launches;
};

class Calculator {
 public:
  // `engine` must outlive the calculator.
  explicit Calculator(Engine& engine) : engine_(engine) {}

  Expected<Outcome> evaluate(const Expression& expression);

 private:
  Expected<Value> apply(const Step& step, const std::vector<Value>& operands, Outcome& outcome);
  // A kernel of ../kernels, compiled when it is first asked for.
  Expected<const Kernel*> kernel(const std::string& file, const std::string& entry);

  Engine& engine_;
  std::map<std::string, Kernel> kernels_;  // by file and entry
};

}  // namespace qgpu::chat
