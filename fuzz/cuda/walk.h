// Visits every part of a kernel's tree.
//
//   visitExpressions(tree, [&](const Expression& e) { divides |= e.op == Op::Divide; });
#pragma once

#include "fuzz/cuda/tree.h"

namespace qgpu::fuzz::cuda {

// An expression and all under it.
template <typename Visitor>
void visit(const Expression& e, const Visitor& visitor) {
  visitor(e);
  for (const Expression& operand : e.operands) visit(operand, visitor);
}

// All statements, outer ones first.
template <typename Visitor>
void visit(const Statements& statements, const Visitor& visitor) {
  for (const Statement& s : statements) {
    visitor(s);
    for (const Statements& body : s.bodies) visit(body, visitor);
  }
}

template <typename Visitor>
void visitStatements(const KernelTree& tree, const Visitor& visitor) {
  for (const DeviceFunction& f : tree.functions) visit(f.body, visitor);
  visit(tree.body, visitor);
}

template <typename Visitor>
void visitExpressions(const KernelTree& tree, const Visitor& visitor) {
  visitStatements(tree, [&](const Statement& s) {
    visit(s.a, visitor);
    visit(s.b, visitor);
  });
  for (const DeviceFunction& f : tree.functions) visit(f.result, visitor);
  for (const Variable& v : tree.variables) visit(v.initial, visitor);
  visit(tree.result, visitor);
}

}  // namespace qgpu::fuzz::cuda
