#include "compiler/lower/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace qgpu::lower {
namespace {

using launch::ParameterKind;

constexpr std::uint32_t kWord = 4;
constexpr std::uint32_t kGlobalEnd = kWord * static_cast<std::uint32_t>(kMachine.global_rows);
constexpr std::uint32_t kSharedEnd = kWord * static_cast<std::uint32_t>(kMachine.shared_words);
// More alignment than this has no meaning in a memory this small.
constexpr std::uint32_t kMaxAlignment = 16;

std::uint32_t roundUp(std::uint32_t value, std::uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}
int words(std::uint64_t bytes) { return static_cast<int>((bytes + kWord - 1) / kWord); }

std::string listOf(const std::vector<Object>& objects, isa::Space space) {
  std::string list;
  for (const Object& o : objects)
    if (o.space == space)
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", o.name, words(o.bytes));
  return list;
}

// The variables that a kernel's instructions name, and those whose address these hold.
class Named {
 public:
  Named(const ptx::Module& module, const ptx::Function& kernel) : module_(module) {
    for (const ptx::Instruction& i : kernel.body)
      for (const ptx::Operand& o : i.operands) visit(o);
  }

  std::set<std::uint32_t> module_variables, local_variables;

 private:
  void visit(const ptx::Operand& operand) {
    if (const auto* a = std::get_if<ptx::SymbolAddress>(&operand.value)) visit(a->symbol);
    if (const auto* a = std::get_if<ptx::Address>(&operand.value))
      if (const auto* symbol = std::get_if<ptx::SymbolRef>(&a->base)) visit(*symbol);
    if (const auto* v = std::get_if<ptx::VectorOperand>(&operand.value))
      for (const ptx::Operand& element : v->elements) visit(element);
    if (const auto* v = std::get_if<ptx::ArgumentList>(&operand.value))
      for (const ptx::Operand& element : v->elements) visit(element);
  }

  void visit(const ptx::SymbolRef& symbol) {
    if (symbol.kind == ptx::SymbolRef::Kind::LocalVariable) local_variables.insert(symbol.index);
    if (symbol.kind != ptx::SymbolRef::Kind::ModuleVariable) return;
    if (!module_variables.insert(symbol.index).second) return;
    for (const ptx::Relocation& r : module_.variables[symbol.index].relocations) visit(r.symbol);
  }

  const ptx::Module& module_;
};

// The bytes of a space that are taken.
class Space {
 public:
  Space(std::uint32_t first, std::uint32_t end) : taken_(end, false) {
    std::fill_n(taken_.begin(), first, true);
  }

  // The lowest free place for `bytes` bytes, in whole words; the end of the space if there is none.
  std::uint32_t take(std::uint32_t bytes, std::uint32_t alignment) {
    const auto end = static_cast<std::uint32_t>(taken_.size());
    const std::uint32_t size = roundUp(std::max(bytes, 1u), kWord);
    for (std::uint32_t at = 0; at + size <= end; at += std::max(alignment, kWord)) {
      const auto first = taken_.begin() + at;
      if (std::find(first, first + size, true) != first + size) continue;
      std::fill_n(first, size, true);
      return at;
    }
    return end;
  }

  // The first byte behind everything taken.
  std::uint32_t top() const {
    const auto last = std::find(taken_.rbegin(), taken_.rend(), true);
    return static_cast<std::uint32_t>(taken_.rend() - last);
  }

 private:
  std::vector<bool> taken_;
};

class Placer {
 public:
  Placer(const ptx::Module& module, const ptx::Function& kernel, const LaunchShape& shape)
      : module_(module), kernel_(kernel), shape_(shape), named_(module, kernel) {}

  Expected<Placement> run() {
    if (auto sound = checkParameters(); !sound) return fail(sound.error());
    addParameters();
    if (auto sound = addVariables(); !sound) return fail(sound.error());
    addReductionWord();
    if (auto sound = assign(); !sound) return fail(sound.error());
    if (auto sound = addLocals(); !sound) return fail(sound.error());
    if (auto sound = initialise(); !sound) return fail(sound.error());
    return std::move(out_);
  }

 private:
  struct Request {
    int object;
    std::uint32_t alignment;
    bool last = false;  // dynamic shared memory comes behind everything else
  };

  Location where() const { return module_.locate(kernel_.position); }

  Expected<void> checkParameters() const {
    const std::size_t have = shape_.parameters.size(), want = kernel_.parameters.size();
    if (have != want)
      return refuseAt(where(), fmt::format("{} has {} parameters, the launch gives {}",
                                           kernel_.name, want, have));
    for (std::size_t i = 0; i < want; ++i)
      if (auto sound = checkParameter(kernel_.parameters[i], shape_.parameters[i], i + 1); !sound)
        return sound;
    return {};
  }

  Expected<void> checkParameter(const ptx::Variable& formal, const ParameterShape& actual,
                                std::size_t number) const {
    const bool array = actual.kind == ParameterKind::Array;
    const auto pointer_bytes = static_cast<std::uint64_t>(module_.address_size / 8);
    const std::uint64_t bytes = array ? pointer_bytes : actual.bytes;
    if (array && formal.size != pointer_bytes)
      return refuseAt(where(), fmt::format("parameter {} of {} is no pointer, the launch gives the "
                                           "array {}",
                                           number, kernel_.name, actual.name));
    if (!array && formal.is_pointer)
      return refuseAt(where(),
                      fmt::format("parameter {} of {} is a pointer, the launch gives {} by "
                                  "value",
                                  number, kernel_.name, actual.name),
                      "give an array");
    if (formal.size != bytes)
      return refuseAt(where(), fmt::format("parameter {} of {} has {} bytes, {} has {}", number,
                                           kernel_.name, formal.size, actual.name, bytes));
    return {};
  }

  void request(Object object, std::uint32_t alignment, bool last = false) {
    out_.objects.push_back(std::move(object));
    requests_.push_back({static_cast<int>(out_.objects.size() - 1),
                         std::clamp(alignment, 1u, kMaxAlignment), last});
  }

  void addParameters() {
    for (std::size_t i = 0; i < shape_.parameters.size(); ++i) {
      const ParameterShape& p = shape_.parameters[i];
      out_.parameter_objects.push_back(kNone);
      if (p.kind != ParameterKind::Array) continue;
      out_.parameter_objects.back() = static_cast<int>(out_.objects.size());
      const ptx::Variable& formal = kernel_.parameters[i];
      const int wanted = formal.is_pointer ? formal.pointer.alignment : 1;
      request({p.name, isa::Space::Global, 0, p.bytes, 0},
              std::max(p.alignment, static_cast<std::uint32_t>(std::clamp(wanted, 1, 16))));
    }
  }

  Expected<void> addVariables() {
    for (const std::uint32_t index : named_.module_variables) {
      const auto object = static_cast<int>(out_.objects.size());
      auto placed = addVariable(module_.variables[index]);
      if (!placed) return fail(placed.error());
      if (*placed) out_.module_objects[index] = object;
    }
    for (const std::uint32_t index : named_.local_variables) {
      const auto object = static_cast<int>(out_.objects.size());
      auto placed = addVariable(kernel_.variables[index]);
      if (!placed) return fail(placed.error());
      if (*placed) out_.local_objects[index] = object;
    }
    return {};
  }

  // Where the warps of a thread block bring together what they bring to bar.red.
  void addReductionWord() {
    const bool reduces = std::ranges::any_of(
        kernel_.body, [](const ptx::Instruction& i) { return i.barrier == ptx::Barrier::Reduce; });
    if (!reduces || shape_.block.count() <= kMachine.lanes) return;
    out_.reduction_object = static_cast<int>(out_.objects.size());
    request({"bar.red", isa::Space::Shared, 0, kWord, 0}, kWord);
  }

  // Whether the variable has an address of its own; local arrays follow later.
  Expected<bool> addVariable(const ptx::Variable& v) {
    const auto alignment = static_cast<std::uint32_t>(std::clamp(v.alignment, 1, 16));
    const bool is_open = v.size == 0;
    switch (v.space) {
      case ptx::Space::Global:
      case ptx::Space::Const:
        if (v.linkage == ptx::Linkage::Extern)
          return refuseAt(module_.locate(v.position),
                          fmt::format("{} is declared but not defined", v.name),
                          "define it in the same file");
        if (auto fits = checkSize(v); !fits) return fail(fits.error());
        request({v.name, isa::Space::Global, 0, static_cast<std::uint32_t>(v.size), 0}, alignment);
        return true;
      case ptx::Space::Shared:
      case ptx::Space::SharedCta:
        if (auto fits = checkSize(v); !fits) return fail(fits.error());
        request({v.name, isa::Space::Shared, 0,
                 is_open ? shape_.dynamic_shared_bytes : static_cast<std::uint32_t>(v.size), 0},
                alignment, is_open);
        return true;
      default: return false;
    }
  }

  Expected<void> checkSize(const ptx::Variable& v) const {
    if (v.size <= (1u << 30)) return {};
    return refuseAt(module_.locate(v.position), fmt::format("{} has {} bytes", v.name, v.size));
  }

  // All dynamic shared arrays are one: they start at the same address.
  std::uint32_t takeDynamic(Space& space, const Request& r) {
    if (!dynamic_)
      dynamic_ = space.take(shape_.dynamic_shared_bytes, std::max(r.alignment, dynamicAlignment()));
    return *dynamic_;
  }
  std::uint32_t dynamicAlignment() const {
    std::uint32_t alignment = 1;
    for (const Request& r : requests_)
      if (r.last) alignment = std::max(alignment, r.alignment);
    return alignment;
  }

  Expected<void> assign() {
    std::stable_sort(requests_.begin(), requests_.end(), [](const Request& a, const Request& b) {
      return a.last != b.last ? b.last : a.alignment > b.alignment;
    });
    if (auto fits = checkTotals(); !fits) return fits;
    Space global(kWord, kGlobalEnd), shared(0, kSharedEnd);
    for (const Request& r : requests_) {
      Object& o = out_.objects[r.object];
      Space& space = o.space == isa::Space::Shared ? shared : global;
      const std::uint32_t end = o.space == isa::Space::Shared ? kSharedEnd : kGlobalEnd;
      o.address = r.last ? takeDynamic(space, r) : space.take(o.bytes, r.alignment);
      if (o.address == end && o.bytes != 0)
        return refuse(
            fmt::format("{} memory has no room for {} aligned to {} bytes",
                        o.space == isa::Space::Shared ? "shared" : "global", o.name, r.alignment),
            "use smaller arrays");
    }
    out_.free_global = global.top();
    out_.free_shared = shared.top();
    return {};
  }

  Expected<void> checkTotals() {
    std::int64_t global = 0, shared = 0;
    bool dynamic = false;
    for (const Request& r : requests_) {
      const Object& o = out_.objects[r.object];
      if (r.last && std::exchange(dynamic, true)) continue;
      (o.space == isa::Space::Shared ? shared : global) += words(o.bytes);
    }
    // Dynamic shared memory that the kernel does not name still has to be there.
    if (!dynamic) shared += words(shape_.dynamic_shared_bytes);
    if (global > kMachine.global_words)
      return refuse(fmt::format("global memory: {} words, the limit is {} ({})", global,
                                kMachine.global_words, listOf(out_.objects, isa::Space::Global)),
                    "use smaller arrays");
    if (shared > kMachine.shared_words)
      return refuse(fmt::format("shared memory: {} words, the limit is {} ({})", shared,
                                kMachine.shared_words, listOf(out_.objects, isa::Space::Shared)),
                    "use smaller shared arrays");
    out_.global_words = static_cast<int>(global);
    out_.shared_words = static_cast<int>(shared);
    return {};
  }

  // Local arrays: one copy for each thread of a thread block, behind everything else.
  Expected<void> addLocals() {
    std::vector<std::uint32_t> locals;
    std::uint64_t bytes = 0;
    const auto threads = static_cast<std::uint32_t>(shape_.block.count());
    for (const std::uint32_t index : named_.local_variables) {
      const ptx::Variable& v = kernel_.variables[index];
      if (v.space != ptx::Space::Local) continue;
      if (auto fits = checkSize(v); !fits) return fits;
      locals.push_back(index);
      bytes += std::uint64_t{localStride(v)} * threads;
    }
    if (locals.empty()) return {};
    const isa::Space space =
        bytes <= out_.freeBytes(isa::Space::Shared) ? isa::Space::Shared : isa::Space::Global;
    if (bytes > out_.freeBytes(space))
      return refuseAt(
          module_.locate(kernel_.position),
          fmt::format("local arrays: {} words for each of {} threads; shared memory has {} words "
                      "left, global memory {}",
                      bytes / threads / kWord, threads, out_.freeBytes(isa::Space::Shared) / kWord,
                      out_.freeBytes(isa::Space::Global) / kWord),
          "use smaller arrays, indices known to the compiler, or fewer threads");
    placeLocals(locals, space, threads);
    return {};
  }

  static std::uint32_t localStride(const ptx::Variable& v) {
    return roundUp(static_cast<std::uint32_t>(v.size), kWord);
  }

  void placeLocals(const std::vector<std::uint32_t>& locals, isa::Space space,
                   std::uint32_t threads) {
    out_.local_space = space;
    std::uint32_t& free = space == isa::Space::Shared ? out_.free_shared : out_.free_global;
    for (const std::uint32_t index : locals) {
      const ptx::Variable& v = kernel_.variables[index];
      const std::uint32_t stride = localStride(v);
      out_.local_objects[index] = static_cast<int>(out_.objects.size());
      out_.objects.push_back({v.name, space, free, static_cast<std::uint32_t>(v.size), stride});
      out_.local_words += static_cast<int>(stride / kWord);
      free += stride * threads;
    }
  }

  // The address a relocation asks for.
  Expected<std::uint32_t> addressOf(const ptx::Variable& holder, const ptx::Relocation& r) const {
    const auto at = out_.module_objects.find(r.symbol.index);
    if (r.symbol.kind != ptx::SymbolRef::Kind::ModuleVariable || at == out_.module_objects.end())
      return refuseAt(module_.locate(holder.position),
                      fmt::format("{} holds the address of something without one", holder.name));
    const std::uint32_t address = out_.objects[at->second].address;
    return (address + static_cast<std::uint32_t>(r.addend)) >> r.shift;
  }

  Expected<void> initialise() {
    for (const auto& [index, object] : out_.module_objects) {
      const ptx::Variable& v = module_.variables[index];
      const Object& o = out_.objects[object];
      if (o.space != isa::Space::Global) continue;
      std::vector<std::uint8_t> bytes = v.initial;
      bytes.resize(roundUp(o.bytes, kWord), 0);
      for (const ptx::Relocation& r : v.relocations) {
        auto address = addressOf(v, r);
        if (!address) return fail(address.error());
        check(r.offset + r.size <= bytes.size(), "an address lies within what it initialises");
        for (int i = 0; i < r.size; ++i)
          bytes[r.offset + i] =
              i < 4 ? static_cast<std::uint8_t>(*address >> (8 * i)) : std::uint8_t{0};
      }
      for (std::uint32_t at = 0; at < bytes.size(); at += kWord) {
        std::uint32_t value = 0;
        for (std::uint32_t i = 0; i < kWord; ++i) value |= std::uint32_t{bytes[at + i]} << (8 * i);
        out_.initial.push_back({static_cast<int>((o.address + at) / kWord), value});
      }
    }
    std::sort(out_.initial.begin(), out_.initial.end(),
              [](const InitialWord& a, const InitialWord& b) { return a.word < b.word; });
    return {};
  }

  static constexpr int kNone = -1;
  const ptx::Module& module_;
  const ptx::Function& kernel_;
  const LaunchShape& shape_;
  Named named_;
  std::vector<Request> requests_;
  std::optional<std::uint32_t> dynamic_;
  Placement out_;
};

}  // namespace

std::uint32_t Placement::freeBytes(isa::Space space) const {
  return space == isa::Space::Shared ? kSharedEnd - free_shared : kGlobalEnd - free_global;
}

Expected<Placement> place(const ptx::Module& module, const ptx::Function& kernel,
                          const LaunchShape& shape) {
  return Placer(module, kernel, shape).run();
}

}  // namespace qgpu::lower
