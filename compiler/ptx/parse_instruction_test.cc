// What instructions become.
#include <gtest/gtest.h>

#include "compiler/ptx/testing.h"

namespace qgpu::ptx {
namespace {

Instruction one(std::string_view text) {
  std::vector<Instruction> body = instructionsOf(text);
  EXPECT_EQ(body.size(), 1u);
  return body.empty() ? Instruction{} : body[0];
}

template <typename T>
T operand(const Instruction& instruction, std::size_t index) {
  if (index < instruction.operands.size()) {
    if (const T* value = std::get_if<T>(&instruction.operands[index].value)) return *value;
  }
  ADD_FAILURE() << "operand " << index << " is of another kind";
  return T{};
}

TEST(ParseInstruction, ReadsModifiersIntoFields) {
  const Instruction i = one("mad.lo.s32 %r3, %r1, -4, %r2;");
  EXPECT_EQ(i.opcode, Opcode::Mad);
  EXPECT_EQ(i.half, Half::Lo);
  EXPECT_EQ(i.type, Type::S32);
  EXPECT_FALSE(i.guard.present());
  ASSERT_EQ(i.operands.size(), 4u);
  EXPECT_EQ(operand<Register>(i, 0).id, 0u);  // ids in the order of first use
  EXPECT_EQ(operand<Register>(i, 1).id, 1u);
  EXPECT_EQ(operand<Immediate>(i, 2), (Immediate{0xFFFFFFFFFFFFFFFC, Immediate::Kind::Signed}));
  EXPECT_EQ(operand<Register>(i, 3).id, 2u);
}

TEST(ParseInstruction, TakesModifiersInAnyOrder) {
  EXPECT_EQ(one("ld.volatile.global.u32 %r1, [%rd1];"), one("ld.global.u32.volatile %r1, [%rd1];"));
  EXPECT_EQ(one("setp.lt.and.s32 %p1, %r1, %r2, %p2;"), one("setp.s32.and.lt %p1, %r1, %r2, %p2;"));
}

TEST(ParseInstruction, L2EvictionGoesWith256Bits) {
  const Instruction load =
      one("ld.global.L2::evict_last.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];");
  EXPECT_EQ(load.l2_eviction, L2Eviction::Last);
  EXPECT_EQ(load.vector, Vector::V8);
}

TEST(ParseInstruction, NarrowReadsOfSpecialRegisters) {
  EXPECT_EQ(operand<SpecialRegister>(one("mov.u16 %h1, %tid.x;"), 1).component, Component::X);
  for (const char* const text :
       {"mov.u16 %h1, %gridid;", "mov.u32 %r1, %gridid;", "mov.u64 %rd1, %gridid;"})
    EXPECT_EQ(operand<SpecialRegister>(one(text), 1).reg, Special::Gridid);
}

TEST(ParseInstruction, ReadsGuards) {
  const Instruction plain = one("@%p1 add.u32 %r1, %r2, 1;");
  EXPECT_TRUE(plain.guard.present());
  EXPECT_FALSE(plain.guard.negated);
  EXPECT_TRUE(one("@!%p1 bar.sync 0;").guard.negated);
  EXPECT_TRUE(one("@ ! %p1 ret;").guard.negated);
}

TEST(ParseInstruction, ReadsPairsAndTails) {
  const Instruction both = one("setp.lt.or.s32 %p1|%p2, %r1, 7, !%p3;");
  EXPECT_EQ(both.compare, Compare::Lt);
  EXPECT_EQ(both.boolean, Boolean::Or);
  EXPECT_EQ(operand<RegisterPair>(both, 0), (RegisterPair{0, 1}));
  EXPECT_TRUE(operand<Register>(both, 3).negated);
  EXPECT_EQ(operand<RegisterPair>(one("setp.eq.u32 _|%p2, %r1, 7;"), 0),
            (RegisterPair{kNoRegister, 0}));
  EXPECT_EQ(operand<RegisterPair>(one("shfl.sync.up.b32 %r1|_, %r2, 1, 0, -1;"), 0),
            (RegisterPair{0, kNoRegister}));
  EXPECT_EQ(operand<Register>(one("setp.lo.u32 %p1, %r1, 7;"), 0).id, 0u);
}

TEST(ParseInstruction, LoMeansWhatTheOpcodeMakesOfIt) {
  EXPECT_EQ(one("setp.lo.u32 %p1, %r1, %r2;").compare, Compare::Lo);
  EXPECT_EQ(one("mul.lo.u32 %r1, %r1, %r2;").half, Half::Lo);
  EXPECT_EQ(one("red.global.and.b32 [%rd1], %r2;").operation, Operation::And);
  EXPECT_EQ(one("bar.red.and.pred %p1, 0, %p2;").operation, Operation::And);
  EXPECT_EQ(one("fence.acq_rel.cta;").scope, Scope::Cta);
  EXPECT_TRUE(one("bar.cta.sync 0;").has(Flag::Cta));
}

TEST(ParseInstruction, ReadsAddresses) {
  const auto address = [](std::string_view text) { return operand<Address>(one(text), 1); };
  EXPECT_EQ(address("ld.global.u32 %r1, [%rd1];").offset, 0);
  EXPECT_EQ(address("ld.global.u32 %r1, [%rd1+-4];").offset, -4);
  EXPECT_EQ(address("ld.global.u32 %r1, [ %rd1 + 2*4+1 ];").offset, 9);
  const Address parameter = address("ld.param.u32 %r1, [p1];");
  EXPECT_EQ(std::get<SymbolRef>(parameter.base), (SymbolRef{SymbolRef::Kind::Parameter, 1}));
  const Address constant = address("ld.local.u32 %r1, [16];");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(constant.base));
  EXPECT_EQ(constant.offset, 16);
}

TEST(ParseInstruction, ReadsSpecialRegisters) {
  EXPECT_EQ(operand<SpecialRegister>(one("mov.u32 %r1, %tid.x;"), 1),
            (SpecialRegister{Special::Tid, Component::X, 0}));
  EXPECT_EQ(operand<SpecialRegister>(one("mov.u32 %r1, %nctaid.z;"), 1),
            (SpecialRegister{Special::Nctaid, Component::Z, 0}));
  EXPECT_EQ(operand<SpecialRegister>(one("mov.u32 %r1, %envreg7;"), 1),
            (SpecialRegister{Special::Envreg, Component::None, 7}));
  EXPECT_EQ(operand<SpecialRegister>(one("cvt.u64.u32 %rd1, %laneid;"), 1).reg, Special::Laneid);
}

TEST(ParseInstruction, ReadsVectors) {
  const Instruction load = one("ld.global.v4.u32 {%r1, _, %r3, _}, [%rd1];");
  EXPECT_EQ(load.vector, Vector::V4);
  const auto elements = operand<VectorOperand>(load, 0).elements;
  ASSERT_EQ(elements.size(), 4u);
  EXPECT_TRUE(std::holds_alternative<Sink>(elements[1].value));
  const Instruction single = one("ld.global.u32 {%r1}, [%rd1];");
  EXPECT_EQ(operand<Register>(single, 0).id, 0u);
  EXPECT_EQ(operand<Register>(one("mov.u32 %r5, {%r7};"), 1),
            operand<Register>(one("mov.u32 %r5, %r7;"), 1));
  const Instruction pack = one("mov.b64 %rd1, {%r1, 5};");
  EXPECT_EQ(operand<VectorOperand>(pack, 1).elements.size(), 2u);
}

TEST(ParseInstruction, VectorRegistersAreTheirComponents) {
  const auto body = instructionsOf(
      ".reg .v2 .b32 v; mov.b32 v.y, 1; mov.b32 v.x, 2; st.global.v2.u32 [%rd1], v;");
  ASSERT_EQ(body.size(), 3u);
  const auto stored = std::get<VectorOperand>(body[2].operands[1].value).elements;
  EXPECT_EQ(stored[0], body[1].operands[0]);
  EXPECT_EQ(stored[1], body[0].operands[0]);
}

TEST(ParseInstruction, ReadsAtomics) {
  const Instruction i = one("atom.acq_rel.gpu.global.cas.b32 %r1, [%rd1+8], %r2, 9;");
  EXPECT_EQ(i.order, Order::AcquireRelease);
  EXPECT_EQ(i.scope, Scope::Gpu);
  EXPECT_EQ(i.space, Space::Global);
  EXPECT_EQ(i.operation, Operation::Cas);
  EXPECT_EQ(i.operands.size(), 4u);
  EXPECT_TRUE(std::holds_alternative<Sink>(one("atom.add.u32 _, [%rd1], 1;").operands[0].value));
}

TEST(ParseInstruction, ReadsCacheHints) {
  const Instruction i =
      one("ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B.u32 %r1, [%rd1], %rd2;");
  EXPECT_TRUE(i.has(Flag::NonCoherent));
  EXPECT_TRUE(i.has(Flag::CacheHint));
  EXPECT_EQ(i.l1_eviction, L1Eviction::NoAllocate);
  EXPECT_EQ(i.prefetch, Prefetch::Bytes256);
  EXPECT_EQ(i.operands.size(), 3u);
}

TEST(ParseInstruction, ReadsConversions) {
  const Instruction i = one("cvt.sat.u8.s32 %r1, %r2;");
  EXPECT_EQ(i.type, Type::U8);
  EXPECT_EQ(i.source_type, Type::S32);
  EXPECT_TRUE(i.has(Flag::Saturate));
  EXPECT_EQ(one("cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;").third_type, Type::B32);
}

TEST(ParseInstruction, ShufflesWithoutSyncAreOld) {
  EXPECT_TRUE(one("shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;").has(Flag::Sync));
  EXPECT_FALSE(one("shfl.idx.b32 %r1, %r2, 0, 31;").has(Flag::Sync));
  EXPECT_EQ(one("vote.ballot.b32 %r1, %p1;").vote, Vote::Ballot);
}

TEST(ParseInstruction, BarriersHaveOptionalCounts) {
  EXPECT_EQ(one("bar.sync 0;").operands.size(), 1u);
  EXPECT_EQ(one("bar.sync 0, 64;").operands.size(), 2u);
  EXPECT_EQ(one("bar.red.popc.u32 %r1, 0, %p1;").operands.size(), 3u);
  EXPECT_EQ(one("bar.red.popc.u32 %r1, 0, 64, %p1;").operands.size(), 4u);
  EXPECT_EQ(one("bar.warp.sync -1;").barrier, Barrier::Warp);
}

TEST(ParseInstruction, BranchesNameLabels) {
  const auto module = parse(kernel("bra L2; L1: bra L1; L2: L3: bra.uni L3; L4:"), "x");
  ASSERT_TRUE(module);
  const Function& f = module->functions[0];
  ASSERT_EQ(f.labels.size(), 4u);
  EXPECT_EQ(f.labels[std::get<LabelRef>(f.body[0].operands[0].value).id].name, "L2");
  EXPECT_EQ(f.labels[0].instruction, 1u);
  EXPECT_EQ(f.labels[1].instruction, 2u);
  EXPECT_EQ(f.labels[2].instruction, 2u);
  EXPECT_EQ(f.labels[3].instruction, 3u);
  EXPECT_TRUE(f.body[2].has(Flag::Uni));
}

TEST(ParseInstruction, ReadsBranchTables) {
  const auto module =
      parse(kernel("T: .branchtargets A, B, A; brx.idx.uni %r1, T; A: ret; B: ret;"), "x");
  ASSERT_TRUE(module);
  const Function& f = module->functions[0];
  ASSERT_EQ(f.tables.size(), 1u);
  EXPECT_EQ(f.tables[0].labels, (std::vector<LabelId>{0, 1, 0}));
  EXPECT_EQ(std::get<TableRef>(f.body[0].operands[1].value).index, 0u);
}

TEST(ParseInstruction, WarpSizeIsAnOption) {
  const auto value = [](const Options& options) {
    const auto module = parse(kernel("mov.u32 %r1, WARP_SZ;"), "x", options);
    return std::get<Immediate>(module->functions[0].body[0].operands[1].value).bits;
  };
  EXPECT_EQ(value({}), 4u);
  EXPECT_EQ(value({.warp_size = 32}), 32u);
}

TEST(ParseInstruction, KeepsPositions) {
  const auto module = parse(kernel("  @%p1 add.u32 %r1,\n %r2, 1;"), "x");
  ASSERT_TRUE(module);
  const Instruction& i = module->functions[0].body[0];
  EXPECT_EQ(i.position, (Position{kBodyLine, 8}));
  EXPECT_EQ(i.operands[1].position, (Position{kBodyLine + 1, 2}));
}

}  // namespace
}  // namespace qgpu::ptx
