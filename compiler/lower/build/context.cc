#include "compiler/lower/build/context.h"

#include <fmt/format.h>

#include <bit>

namespace qgpu::lower {

using ptx::bitWidth;

Context::Context(const ptx::Module& m, const ptx::Function& k, const LaunchShape& s,
                 const Placement& p, Function& function)
    : module(m),
      kernel(k),
      shape(s),
      placement(p),
      f(function),
      b(function),
      variables(function, variableTypes(k)),
      parameter_address_(parameterAddresses(k)) {}

std::vector<Type> Context::variableTypes(const ptx::Function& kernel) {
  std::vector<Type> types(2 * kernel.registers.size() + 1 + kCarriedWords, Type::Word);
  for (std::size_t i = 0; i < kernel.registers.size(); ++i)
    if (kernel.registers[i].type == ptx::Type::Pred) types[2 * i] = Type::Flag;
  types[2 * kernel.registers.size()] = Type::Flag;  // the carry
  return types;
}

namespace {

// How often each register is written, in the text.
std::vector<int> writesOf(const ptx::Function& kernel) {
  std::vector<int> writes(kernel.registers.size(), 0);
  const auto note = [&](ptx::RegisterId reg) {
    if (reg != ptx::kNoRegister) ++writes[reg];
  };
  for (const ptx::Instruction& i : kernel.body) {
    if (i.operands.empty()) continue;
    const auto& first = i.operands.front().value;
    if (const auto* reg = std::get_if<ptx::Register>(&first)) note(reg->id);
    if (const auto* both = std::get_if<ptx::RegisterPair>(&first)) {
      note(both->first);
      note(both->second);
    }
    if (const auto* all = std::get_if<ptx::VectorOperand>(&first))
      for (const ptx::Operand& element : all->elements)
        if (const auto* reg = std::get_if<ptx::Register>(&element.value)) note(reg->id);
  }
  return writes;
}

}  // namespace

std::vector<std::optional<ptx::SymbolAddress>> Context::parameterAddresses(
    const ptx::Function& kernel) {
  std::vector<std::optional<ptx::SymbolAddress>> held(kernel.registers.size());
  const std::vector<int> writes = writesOf(kernel);
  for (const ptx::Instruction& i : kernel.body) {
    if (i.opcode != ptx::Opcode::Mov || i.guard.present()) continue;
    const auto* reg = std::get_if<ptx::Register>(&i.operands[0].value);
    if (reg == nullptr || reg->id == ptx::kNoRegister || writes[reg->id] != 1) continue;
    if (const auto* from = std::get_if<ptx::Register>(&i.operands[1].value))
      held[reg->id] = held[from->id];
    const auto* address = std::get_if<ptx::SymbolAddress>(&i.operands[1].value);
    if (address != nullptr && address->symbol.kind == ptx::SymbolRef::Kind::Parameter)
      held[reg->id] = *address;
  }
  return held;
}

int Context::registerBits(ptx::RegisterId reg) const {
  return bitWidth(kernel.registers[reg].type);
}

int Context::destinationBits(const ptx::Operand& destination) const {
  const auto* reg = std::get_if<ptx::Register>(&destination.value);
  return reg == nullptr ? 0 : registerBits(reg->id);
}

Wide Context::pair(const ptx::Operand& operand) {
  if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) {
    if (const auto& address = parameter_address_[reg->id])
      return addressOf(address->symbol, address->offset);
    const Id low = variables.read(lowVariable(reg->id), b.block()).id;
    if (registerBits(reg->id) <= 32) return wide::fromUnsigned(b, low);
    return {low, variables.read(highVariable(reg->id), b.block()).id};
  }
  if (const auto* immediate = std::get_if<ptx::Immediate>(&operand.value))
    return wide::constant(b, immediate->bits);
  if (const auto* address = std::get_if<ptx::SymbolAddress>(&operand.value))
    return addressOf(address->symbol, address->offset);
  return wide::constant(b, 0);
}

Id Context::word(const ptx::Operand& operand) { return pair(operand).low; }

Predicate Context::flag(const ptx::Operand& operand) {
  if (const auto* reg = std::get_if<ptx::Register>(&operand.value)) {
    const Predicate p = variables.read(lowVariable(reg->id), b.block());
    return reg->negated ? !p : p;
  }
  if (const auto* immediate = std::get_if<ptx::Immediate>(&operand.value))
    return immediate->bits != 0 ? Predicate::always() : Predicate::never();
  return Predicate::never();
}

Id Context::extend(Id value, ptx::Type type) {
  const int bits = bitWidth(type);
  if (bits >= 32) return value;
  return ptx::isSigned(type) ? b.extendSigned(value, bits) : b.extendUnsigned(value, bits);
}

Id Context::extended(const ptx::Operand& operand, ptx::Type type) {
  return extend(word(operand), type);
}

std::optional<std::uint32_t> Context::constant(const ptx::Operand& operand) {
  const Id value = word(operand);
  if (!f.isConstant(value)) return std::nullopt;
  return f[value].immediate;
}

void Context::writeWord(int variable, Id value) {
  if (!guard.isAlways()) value = b.select(guard, value, variables.read(variable, b.block()).id);
  variables.write(variable, b.block(), {value});
}

void Context::setRegister(ptx::RegisterId reg, Wide value) {
  if (reg == ptx::kNoRegister) return;
  writeWord(lowVariable(reg), value.low);
  if (registerBits(reg) > 32) writeWord(highVariable(reg), value.high);
}

void Context::setFlagRegister(ptx::RegisterId reg, Predicate value) {
  if (reg == ptx::kNoRegister) return;
  const int variable = lowVariable(reg);
  if (!guard.isAlways()) value = b.select(guard, value, variables.read(variable, b.block()));
  variables.write(variable, b.block(), value);
}

void Context::setCarry(Predicate value) {
  if (!guard.isAlways()) value = b.select(guard, value, carry());
  variables.write(carryVariable(), b.block(), value);
}

void Context::setWord(const ptx::Operand& destination, Id value) {
  setPair(destination, wide::fromUnsigned(b, value));
}

void Context::setPair(const ptx::Operand& destination, Wide value) {
  if (const auto* reg = std::get_if<ptx::Register>(&destination.value)) setRegister(reg->id, value);
  if (const auto* both = std::get_if<ptx::RegisterPair>(&destination.value))
    setRegister(both->first, value);
}

void Context::setFlag(const ptx::Operand& destination, Predicate value) {
  if (const auto* reg = std::get_if<ptx::Register>(&destination.value))
    setFlagRegister(reg->id, value);
  if (const auto* both = std::get_if<ptx::RegisterPair>(&destination.value))
    setFlagRegister(both->first, value);
}

Wide Context::addressOf(const ptx::SymbolRef& symbol, std::int64_t offset) {
  const auto delta = static_cast<std::uint32_t>(offset);
  if (symbol.kind == ptx::SymbolRef::Kind::Parameter)
    return {b.constant(delta, kFirstParameterObject + static_cast<int>(symbol.index)), b.zero()};
  const auto& objects = symbol.kind == ptx::SymbolRef::Kind::ModuleVariable
                            ? placement.module_objects
                            : placement.local_objects;
  const auto at = objects.find(symbol.index);
  if (symbol.kind == ptx::SymbolRef::Kind::Function || at == objects.end())
    return {unsupported("the address of a function or of something without one"), b.zero()};
  const Object& object = placement.objects[at->second];
  Id address = b.constant(object.address, at->second);
  if (object.stride != 0) {
    const Id thread = f.special(isa::Special::Tid);
    address = b.mad(thread, b.constant(object.stride), address);
  }
  return {b.add(address, b.constant(delta)), b.zero()};
}

void Context::unsupportedResults(const ptx::Instruction& i, const std::string& message,
                                 const std::string& hint) {
  if (i.operands.empty()) return unsupportedEffect(message, hint);
  const ptx::Operand& destination = i.operands.front();
  const auto set = [&](ptx::RegisterId reg) {
    if (reg == ptx::kNoRegister) return;
    const Id value = unsupported(message, hint);
    if (kernel.registers[reg].type == ptx::Type::Pred)
      setFlagRegister(reg, {value});
    else
      setRegister(reg, {value, value});
  };
  if (const auto* reg = std::get_if<ptx::Register>(&destination.value)) return set(reg->id);
  if (const auto* both = std::get_if<ptx::RegisterPair>(&destination.value)) {
    set(both->first);
    set(both->second);
    return;
  }
  if (const auto* vector = std::get_if<ptx::VectorOperand>(&destination.value)) {
    for (const ptx::Operand& element : vector->elements)
      if (const auto* reg = std::get_if<ptx::Register>(&element.value)) set(reg->id);
    return;
  }
  unsupportedEffect(message, hint);
}

std::string nameOf(const ptx::Instruction& i) {
  std::string name(ptx::spelling(i.opcode));
  for (const ptx::Type type : {i.type, i.source_type})
    if (type != ptx::Type::None) name += fmt::format(".{}", ptx::spelling(type));
  return name;
}

}  // namespace qgpu::lower
