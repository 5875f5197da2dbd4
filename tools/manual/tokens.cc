#include "interpreter/protocol/manual.h"
#include "tools/manual/manual.h"

namespace qgpu::manual {

std::string tokenPage() { return protocol::tokenManual(); }

}  // namespace qgpu::manual
