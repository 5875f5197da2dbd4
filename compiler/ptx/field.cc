// The modifiers of an Instruction as an array of fields, and their spelling.
#include <type_traits>
#include <unordered_map>

#include "compiler/ptx/form.h"
#include "interpreter/base/failure.h"

namespace qgpu::ptx {
namespace {

// Calls visit(field, member) for each modifier member; the one place that pairs them.
template <typename AnyInstruction, typename Visit>
void visitFields(AnyInstruction& i, Visit visit) {
  visit(Field::Type, i.type);
  visit(Field::SourceType, i.source_type);
  visit(Field::ThirdType, i.third_type);
  visit(Field::Compare, i.compare);
  visit(Field::Boolean, i.boolean);
  visit(Field::Half, i.half);
  visit(Field::Direction, i.direction);
  visit(Field::Bound, i.bound);
  visit(Field::Rounding, i.rounding);
  visit(Field::Precision, i.precision);
  visit(Field::Space, i.space);
  visit(Field::Order, i.order);
  visit(Field::Scope, i.scope);
  visit(Field::CacheOperator, i.cache);
  visit(Field::CacheLevel, i.level);
  visit(Field::L1Eviction, i.l1_eviction);
  visit(Field::L2Eviction, i.l2_eviction);
  visit(Field::Prefetch, i.prefetch);
  visit(Field::Vector, i.vector);
  visit(Field::Operation, i.operation);
  visit(Field::Shuffle, i.shuffle);
  visit(Field::Vote, i.vote);
  visit(Field::Permute, i.permute);
  visit(Field::Barrier, i.barrier);
  visit(Field::FloatClass, i.float_class);
}

using Spelling = std::string_view (*)(std::uint8_t);
template <typename Enum>
std::string_view spellingOf(std::uint8_t value) {
  return spelling(static_cast<Enum>(value));
}

struct FieldInfo {
  Spelling spelling = nullptr;
  int values = 0;  // including None
};

// In the order of Field.
constexpr std::array<FieldInfo, kFields> kInfo = {{
    {spellingOf<Type>, static_cast<int>(Type::Pred) + 1},
    {spellingOf<Type>, static_cast<int>(Type::Pred) + 1},
    {spellingOf<Type>, static_cast<int>(Type::Pred) + 1},
    {spellingOf<Compare>, static_cast<int>(Compare::Nan) + 1},
    {spellingOf<Boolean>, static_cast<int>(Boolean::Xor) + 1},
    {spellingOf<Half>, static_cast<int>(Half::Wide) + 1},
    {spellingOf<Direction>, static_cast<int>(Direction::Right) + 1},
    {spellingOf<Bound>, static_cast<int>(Bound::Clamp) + 1},
    {spellingOf<Rounding>, static_cast<int>(Rounding::Rpi) + 1},
    {spellingOf<Precision>, static_cast<int>(Precision::Full) + 1},
    {spellingOf<Space>, static_cast<int>(Space::SharedCluster) + 1},
    {spellingOf<Order>, static_cast<int>(Order::Volatile) + 1},
    {spellingOf<Scope>, static_cast<int>(Scope::Gl) + 1},
    {spellingOf<CacheOperator>, static_cast<int>(CacheOperator::Wt) + 1},
    {spellingOf<CacheLevel>, static_cast<int>(CacheLevel::L2) + 1},
    {spellingOf<L1Eviction>, static_cast<int>(L1Eviction::NoAllocate) + 1},
    {spellingOf<L2Eviction>, static_cast<int>(L2Eviction::Last) + 1},
    {spellingOf<Prefetch>, static_cast<int>(Prefetch::Bytes256) + 1},
    {spellingOf<Vector>, static_cast<int>(Vector::V8) + 1},
    {spellingOf<Operation>, static_cast<int>(Operation::Popc) + 1},
    {spellingOf<Shuffle>, static_cast<int>(Shuffle::Idx) + 1},
    {spellingOf<Vote>, static_cast<int>(Vote::Ballot) + 1},
    {spellingOf<Permute>, static_cast<int>(Permute::Rc16) + 1},
    {spellingOf<Barrier>, static_cast<int>(Barrier::Warp) + 1},
    {spellingOf<FloatClass>, static_cast<int>(FloatClass::Subnormal) + 1},
}};

using ModifierMap = std::unordered_map<std::string_view, Modifier>;

void addMeaning(ModifierMap& map, std::string_view text, Modifier::Meaning meaning) {
  Modifier& modifier = map[text];
  modifier.text = text;
  check(modifier.count < static_cast<int>(modifier.meanings.size()), "a modifier has 3 meanings");
  modifier.meanings[static_cast<std::size_t>(modifier.count++)] = meaning;
}

ModifierMap makeModifiers() {
  ModifierMap map;
  for (int f = 0; f < kFields; ++f) {
    const auto field = static_cast<Field>(f);
    if (field == Field::SourceType || field == Field::ThirdType) continue;
    for (int v = 1; v < kInfo[static_cast<std::size_t>(f)].values; ++v) {
      const auto value = static_cast<std::uint8_t>(v);
      addMeaning(map, spelling(field, value), {.field = field, .value = value});
      if (field == Field::Type) map[spelling(field, value)].is_type = true;
    }
  }
  for (int f = 0; f < kFlags; ++f) {
    addMeaning(map, spelling(static_cast<Flag>(f)),
               {.is_flag = true, .value = static_cast<std::uint8_t>(f)});
  }
  return map;
}

}  // namespace

ModifierSet modifiersOf(const Instruction& instruction) {
  ModifierSet set;
  visitFields(instruction,
              [&](Field field, auto member) { set[field] = static_cast<std::uint8_t>(member); });
  set.flags = instruction.flags;
  return set;
}

void setModifiers(Instruction& instruction, const ModifierSet& modifiers) {
  visitFields(instruction, [&](Field field, auto& member) {
    member = static_cast<std::remove_reference_t<decltype(member)>>(modifiers[field]);
  });
  instruction.flags = modifiers.flags;
}

std::string_view spelling(Field field, std::uint8_t value) {
  return kInfo[static_cast<std::size_t>(field)].spelling(value);
}

int valuesOf(Field field) { return kInfo[static_cast<std::size_t>(field)].values; }

const Modifier* findModifier(std::string_view text) {
  static const ModifierMap kModifiers = makeModifiers();
  const auto found = kModifiers.find(text);
  return found == kModifiers.end() ? nullptr : &found->second;
}

}  // namespace qgpu::ptx
