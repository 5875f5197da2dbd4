// Ranks, in a build without MPI.
#include <cstdlib>

#include "fuzz/ranks.h"
#include "interpreter/base/failure.h"

namespace qgpu::fuzz {

Ranks::Ranks() = default;
Ranks::~Ranks() = default;
void Ranks::abandon(int status) const { std::exit(status); }
Result Ranks::conduct(const Campaign&) const { bug("there are other ranks"); }
void Ranks::work(const std::function<std::unique_ptr<Level>()>&) const { bug("this is rank 0"); }

}  // namespace qgpu::fuzz
