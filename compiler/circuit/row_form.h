// What one row of a projection computes: a constant plus dims of the residual stream times factors,
// in units that RMSNorm's scale has been taken out of; and how a gate becomes such a row.
#pragma once

#include <string>
#include <vector>

#include "compiler/circuit/allocate.h"
#include "compiler/circuit/net.h"
#include "compiler/circuit/target.h"

namespace qgpu::circuit {

struct RowForm {
  double constant = 0;
  std::vector<std::pair<int, double>> terms;  // dim, factor
};

// Writes rows for one half-step of a compiled net.
class RowWriter {
 public:
  RowWriter(const Net& net, const Liveness& liveness, const Allocation& allocation,
            const Constants& constants)
      : net_(net), liveness_(liveness), allocation_(allocation), constants_(constants) {}

  // The form, with every wire as its dim and encoding.
  RowForm row(const Form& form) const;
  // A row that is worth the gate where it is open and at most 0 where it is shut, also while a mode
  // is off and other tenants use the dims of its wires. With a margin it is at most -1 where shut:
  // the norm of a query or key would blow up what an inexact machine lets through at 0.
  enum class Margin { None, One };
  RowForm row(const Gate& gate, int step, Margin margin = Margin::None) const;

  // Appends scale * row; false where a weight is not exact in bfloat16.
  bool append(std::vector<Entry>& entries, std::uint32_t at, double scale,
              const RowForm& row) const;

 private:
  struct Bounds {
    double low = 0, high = 0;
  };
  RowForm literalRow(const Literal& literal, double penalty) const;
  void add(RowForm& sum, const RowForm& row) const;
  void addWire(RowForm& row, Wire w, double factor) const;
  bool isGuard(const Literal& literal, const Gate& gate) const;
  bool touchesMode(const Gate& gate) const;
  Bounds aliasBounds(int dim, int step) const;
  double highest(const RowForm& row, int step) const;

  const Net& net_;
  const Liveness& liveness_;
  const Allocation& allocation_;
  const Constants& constants_;
};

}  // namespace qgpu::circuit
