// The part of namespace std that makes sense inside a kernel: <utility>, <algorithm>, <limits>,
// <type_traits>, <array>, <functional>'s operators.
#pragma once

namespace std {

using ::int16_t; using ::int32_t; using ::int64_t; using ::int8_t;
using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::uint8_t;
using ::intmax_t; using ::intptr_t; using ::nullptr_t; using ::ptrdiff_t; using ::size_t;
using ::uintmax_t; using ::uintptr_t;
using ::abs; using ::labs; using ::llabs;
using ::memcpy; using ::memmove; using ::memset; using ::printf; using ::malloc; using ::free;

// ---- <type_traits>

template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
  using value_type = T;
  using type = integral_constant;
  __qgpu_member constexpr operator T() const { return v; }
  __qgpu_member constexpr T operator()() const { return v; }
};
template <bool v> using bool_constant = integral_constant<bool, v>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <bool condition, class T, class U> struct conditional { using type = T; };
template <class T, class U> struct conditional<false, T, U> { using type = U; };
template <bool condition, class T, class U>
using conditional_t = typename conditional<condition, T, U>::type;
template <bool condition, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { using type = T; };
template <bool condition, class T = void>
using enable_if_t = typename enable_if<condition, T>::type;
template <class...> using void_t = void;

#define __QGPU_TRANSFORM(name, builtin)                                                         \
  template <class T> struct name { using type = builtin(T); };                                  \
  template <class T> using name##_t = builtin(T);
__QGPU_TRANSFORM(remove_const, __remove_const)
__QGPU_TRANSFORM(remove_volatile, __remove_volatile)
__QGPU_TRANSFORM(remove_cv, __remove_cv)
__QGPU_TRANSFORM(remove_reference, __remove_reference_t)
__QGPU_TRANSFORM(remove_cvref, __remove_cvref)
__QGPU_TRANSFORM(remove_pointer, __remove_pointer)
__QGPU_TRANSFORM(remove_extent, __remove_extent)
__QGPU_TRANSFORM(add_pointer, __add_pointer)
__QGPU_TRANSFORM(decay, __decay)
__QGPU_TRANSFORM(make_signed, __make_signed)
__QGPU_TRANSFORM(make_unsigned, __make_unsigned)
__QGPU_TRANSFORM(underlying_type, __underlying_type)
#undef __QGPU_TRANSFORM

#define __QGPU_TRAIT(name, builtin)                                                             \
  template <class T> struct name : bool_constant<builtin(T)> {};                                \
  template <class T> inline constexpr bool name##_v = builtin(T);
__QGPU_TRAIT(is_integral, __is_integral)
__QGPU_TRAIT(is_floating_point, __is_floating_point)
__QGPU_TRAIT(is_arithmetic, __is_arithmetic)
__QGPU_TRAIT(is_signed, __is_signed)
__QGPU_TRAIT(is_unsigned, __is_unsigned)
__QGPU_TRAIT(is_pointer, __is_pointer)
__QGPU_TRAIT(is_reference, __is_reference)
__QGPU_TRAIT(is_const, __is_const)
__QGPU_TRAIT(is_enum, __is_enum)
__QGPU_TRAIT(is_class, __is_class)
__QGPU_TRAIT(is_array, __is_array)
__QGPU_TRAIT(is_void, __is_void)
__QGPU_TRAIT(is_trivially_copyable, __is_trivially_copyable)
#undef __QGPU_TRAIT
template <class T, class U> struct is_same : bool_constant<__is_same(T, U)> {};
template <class T, class U> inline constexpr bool is_same_v = __is_same(T, U);
template <class T, class U> struct is_base_of : bool_constant<__is_base_of(T, U)> {};
template <class T, class U> struct is_convertible : bool_constant<__is_convertible(T, U)> {};
template <class T, class U>
inline constexpr bool is_convertible_v = __is_convertible(T, U);

// ---- <utility>, <algorithm>

template <class T>
__qgpu_member constexpr remove_reference_t<T>&& move(T&& value) noexcept {
  return static_cast<remove_reference_t<T>&&>(value);
}
template <class T>
__qgpu_member constexpr T&& forward(remove_reference_t<T>& value) noexcept {
  return static_cast<T&&>(value);
}
template <class T>
__qgpu_member constexpr T&& forward(remove_reference_t<T>&& value) noexcept {
  return static_cast<T&&>(value);
}
template <class T> T&& declval() noexcept;
template <class T>
__qgpu_member constexpr void swap(T& a, T& b) {
  T old = move(a);
  a = move(b);
  b = move(old);
}
template <class T, class U = T>
__qgpu_member constexpr T exchange(T& object, U&& value) {
  T old = move(object);
  object = forward<U>(value);
  return old;
}
template <class T>
__qgpu_member constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T>
__qgpu_member constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T>
__qgpu_member constexpr const T& clamp(const T& v, const T& low, const T& high) {
  return v < low ? low : high < v ? high : v;
}
template <class A, class B>
struct pair {
  A first;
  B second;
};
template <class A, class B>
__qgpu_member constexpr pair<A, B> make_pair(A a, B b) { return {a, b}; }

template <class T, size_t n>
struct array {
  T elements[n];
  __qgpu_member constexpr T& operator[](size_t i) { return elements[i]; }
  __qgpu_member constexpr const T& operator[](size_t i) const { return elements[i]; }
  __qgpu_member constexpr size_t size() const { return n; }
  __qgpu_member constexpr T* data() { return elements; }
  __qgpu_member constexpr const T* data() const { return elements; }
  __qgpu_member constexpr T* begin() { return elements; }
  __qgpu_member constexpr T* end() { return elements + n; }
  __qgpu_member constexpr const T* begin() const { return elements; }
  __qgpu_member constexpr const T* end() const { return elements + n; }
};

template <class T>
class initializer_list {
  const T* begin_;
  size_t size_;

 public:
  __qgpu_member constexpr size_t size() const { return size_; }
  __qgpu_member constexpr const T* begin() const { return begin_; }
  __qgpu_member constexpr const T* end() const { return begin_ + size_; }
};

#define __QGPU_OPERATOR(name, R, operation)                                                     \
  template <class T = void> struct name {                                                       \
    __qgpu_member constexpr R operator()(const T& a, const T& b) const {                        \
      return a operation b;                                                                     \
    }                                                                                           \
  };
__QGPU_OPERATOR(plus, T, +)
__QGPU_OPERATOR(minus, T, -)
__QGPU_OPERATOR(multiplies, T, *)
__QGPU_OPERATOR(bit_and, T, &)
__QGPU_OPERATOR(bit_or, T, |)
__QGPU_OPERATOR(bit_xor, T, ^)
__QGPU_OPERATOR(less, bool, <)
__QGPU_OPERATOR(greater, bool, >)
__QGPU_OPERATOR(equal_to, bool, ==)
#undef __QGPU_OPERATOR

// ---- <limits>

template <class T> struct numeric_limits { static constexpr bool is_specialized = false; };

#define __QGPU_LIMITS(T, low, high)                                                             \
  template <> struct numeric_limits<T> {                                                        \
    static constexpr bool is_specialized = true, is_integer = true, is_exact = true;            \
    static constexpr bool is_signed = (T)-1 < (T)1;                                             \
    static constexpr int digits = 8 * (int)sizeof(T) - (is_signed ? 1 : 0);                     \
    __qgpu_member static constexpr T min() noexcept { return low; }                             \
    __qgpu_member static constexpr T lowest() noexcept { return low; }                          \
    __qgpu_member static constexpr T max() noexcept { return high; }                            \
  };
__QGPU_LIMITS(char, CHAR_MIN, CHAR_MAX)
__QGPU_LIMITS(signed char, SCHAR_MIN, SCHAR_MAX)
__QGPU_LIMITS(unsigned char, 0, UCHAR_MAX)
__QGPU_LIMITS(short, SHRT_MIN, SHRT_MAX)
__QGPU_LIMITS(unsigned short, 0, USHRT_MAX)
__QGPU_LIMITS(int, INT_MIN, INT_MAX)
__QGPU_LIMITS(unsigned int, 0, UINT_MAX)
__QGPU_LIMITS(long, LONG_MIN, LONG_MAX)
__QGPU_LIMITS(unsigned long, 0, ULONG_MAX)
__QGPU_LIMITS(long long, LLONG_MIN, LLONG_MAX)
__QGPU_LIMITS(unsigned long long, 0, ULLONG_MAX)
#undef __QGPU_LIMITS

#define __QGPU_LIMITS(T, low, high)                                                             \
  template <> struct numeric_limits<T> {                                                        \
    static constexpr bool is_specialized = true, is_integer = false, is_signed = true;          \
    __qgpu_member static constexpr T min() noexcept { return low; }                             \
    __qgpu_member static constexpr T lowest() noexcept { return -high; }                        \
    __qgpu_member static constexpr T max() noexcept { return high; }                            \
    __qgpu_member static constexpr T infinity() noexcept { return (T)INFINITY; }                \
  };
__QGPU_LIMITS(float, FLT_MIN, FLT_MAX)
__QGPU_LIMITS(double, DBL_MIN, DBL_MAX)
#undef __QGPU_LIMITS

}  // namespace std
