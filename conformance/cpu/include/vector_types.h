// CUDA's vector types for code compiled for the CPU: int2 ... ulonglong4, dim3, and make_*.
#pragma once

#include <cstddef>

using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;

namespace qgpu::cpu {

template <typename T>
struct Vector1 {
  T x;
};
template <typename T>
struct alignas(2 * sizeof(T)) Vector2 {
  T x, y;
};
template <typename T>
struct Vector3 {
  T x, y, z;
};
// 16 bytes is the widest alignment CUDA gives.
template <typename T>
struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) Vector4 {
  T x, y, z, w;
};

}  // namespace qgpu::cpu

using char1 = qgpu::cpu::Vector1<signed char>;
using char2 = qgpu::cpu::Vector2<signed char>;
using char3 = qgpu::cpu::Vector3<signed char>;
using char4 = qgpu::cpu::Vector4<signed char>;
using uchar1 = qgpu::cpu::Vector1<unsigned char>;
using uchar2 = qgpu::cpu::Vector2<unsigned char>;
using uchar3 = qgpu::cpu::Vector3<unsigned char>;
using uchar4 = qgpu::cpu::Vector4<unsigned char>;
using short1 = qgpu::cpu::Vector1<short>;
using short2 = qgpu::cpu::Vector2<short>;
using short3 = qgpu::cpu::Vector3<short>;
using short4 = qgpu::cpu::Vector4<short>;
using ushort1 = qgpu::cpu::Vector1<unsigned short>;
using ushort2 = qgpu::cpu::Vector2<unsigned short>;
using ushort3 = qgpu::cpu::Vector3<unsigned short>;
using ushort4 = qgpu::cpu::Vector4<unsigned short>;
using int1 = qgpu::cpu::Vector1<int>;
using int2 = qgpu::cpu::Vector2<int>;
using int3 = qgpu::cpu::Vector3<int>;
using int4 = qgpu::cpu::Vector4<int>;
using uint1 = qgpu::cpu::Vector1<unsigned>;
using uint2 = qgpu::cpu::Vector2<unsigned>;
using uint3 = qgpu::cpu::Vector3<unsigned>;
using uint4 = qgpu::cpu::Vector4<unsigned>;
using longlong1 = qgpu::cpu::Vector1<long long>;
using longlong2 = qgpu::cpu::Vector2<long long>;
using ulonglong1 = qgpu::cpu::Vector1<unsigned long long>;
using ulonglong2 = qgpu::cpu::Vector2<unsigned long long>;

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

constexpr char2 make_char2(signed char x, signed char y) { return {x, y}; }
constexpr char3 make_char3(signed char x, signed char y, signed char z) { return {x, y, z}; }
constexpr char4 make_char4(signed char x, signed char y, signed char z, signed char w) {
  return {x, y, z, w};
}
constexpr uchar2 make_uchar2(uchar x, uchar y) { return {x, y}; }
constexpr uchar3 make_uchar3(uchar x, uchar y, uchar z) { return {x, y, z}; }
constexpr uchar4 make_uchar4(uchar x, uchar y, uchar z, uchar w) { return {x, y, z, w}; }
constexpr short2 make_short2(short x, short y) { return {x, y}; }
constexpr short3 make_short3(short x, short y, short z) { return {x, y, z}; }
constexpr short4 make_short4(short x, short y, short z, short w) { return {x, y, z, w}; }
constexpr ushort2 make_ushort2(ushort x, ushort y) { return {x, y}; }
constexpr ushort3 make_ushort3(ushort x, ushort y, ushort z) { return {x, y, z}; }
constexpr ushort4 make_ushort4(ushort x, ushort y, ushort z, ushort w) { return {x, y, z, w}; }
constexpr int2 make_int2(int x, int y) { return {x, y}; }
constexpr int3 make_int3(int x, int y, int z) { return {x, y, z}; }
constexpr int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
constexpr uint2 make_uint2(uint x, uint y) { return {x, y}; }
constexpr uint3 make_uint3(uint x, uint y, uint z) { return {x, y, z}; }
constexpr uint4 make_uint4(uint x, uint y, uint z, uint w) { return {x, y, z, w}; }
constexpr longlong2 make_longlong2(long long x, long long y) { return {x, y}; }
constexpr ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { return {x, y}; }
