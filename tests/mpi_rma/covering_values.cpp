// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_rma/covering_values.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <type_traits>

namespace covering {
namespace {

struct DoubleInt {
  double value;
  int place;
};
struct ShortInt {
  short value;
  int place;
};
struct LongDoubleInt {
  long double value;
  int place;
};
struct Mixed {
  std::int32_t whole;
  double real;
  char letter;
};
constexpr std::size_t kLongDouble = 10;  // bytes of it that x86 uses

[[noreturn]] void refuse(const std::string &what) {
  std::fprintf(stderr, "covering: there is no %s\n", what.c_str());
  std::abort();
}

MPI_Datatype make_mixed() {
  const int lengths[] = {1, 1, 1};
  const MPI_Aint places[] = {offsetof(Mixed, whole), offsetof(Mixed, real), offsetof(Mixed, letter)};
  const MPI_Datatype types[] = {MPI_INT32_T, MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype tight = MPI_DATATYPE_NULL, made = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(3, lengths, places, types, &tight);
  MPI_Type_create_resized(tight, 0, sizeof(Mixed), &made);
  MPI_Type_free(&tight);
  MPI_Type_commit(&made);
  return made;
}

template <class T>
Element number(const char *name, MPI_Datatype type) {
  return {name, type, sizeof(T), {{0, sizeof(T)}}, false};
}

template <class T>
Element pair(const char *name, MPI_Datatype type, std::size_t value_bytes) {
  return {name, type, sizeof(T), {{0, value_bytes}, {offsetof(T, place), sizeof(int)}}, true};
}

std::map<std::string, Element> make_elements() {
  std::map<std::string, Element> all;
  const auto add = [&all](Element element) { all[element.name] = std::move(element); };
  add(number<std::int8_t>("int8", MPI_INT8_T));
  add(number<std::uint16_t>("uint16", MPI_UINT16_T));
  add(number<std::int32_t>("int32", MPI_INT32_T));
  add(number<std::int64_t>("int64", MPI_INT64_T));
  add(number<std::uint64_t>("uint64", MPI_UINT64_T));
  add(number<float>("float", MPI_FLOAT));
  add(number<double>("double", MPI_DOUBLE));
  add(number<std::complex<double>>("complex", MPI_C_DOUBLE_COMPLEX));
  add(number<bool>("bool", MPI_C_BOOL));
  add(number<char>("byte", MPI_BYTE));
  add({"long_double", MPI_LONG_DOUBLE, sizeof(long double), {{0, kLongDouble}}, true});
  add({"two_ints", MPI_2INT, 2 * sizeof(int), {{0, 2 * sizeof(int)}}, false});
  add(pair<DoubleInt>("double_int", MPI_DOUBLE_INT, sizeof(double)));
  add(pair<ShortInt>("short_int", MPI_SHORT_INT, sizeof(short)));
  add(pair<LongDoubleInt>("long_double_int", MPI_LONG_DOUBLE_INT, kLongDouble));
  add({"mixed", make_mixed(), sizeof(Mixed), {{0, 4}, {offsetof(Mixed, real), 8}, {offsetof(Mixed, letter), 1}}, false});
  return all;
}

template <class T>
T read(const char *from) {
  T value{};
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void write(char *to, T value) {
  std::memcpy(to, &value, std::is_same_v<T, long double> ? kLongDouble : sizeof value);
}

/// Calls `work` with a zero of the element's type. Pairs and `mixed` have none.
template <class Work>
void with_number(const Element &element, Work work) {
  const std::string &name = element.name;
  if (name == "int8") return work(std::int8_t{});
  if (name == "uint16") return work(std::uint16_t{});
  if (name == "int32") return work(std::int32_t{});
  if (name == "int64") return work(std::int64_t{});
  if (name == "uint64") return work(std::uint64_t{});
  if (name == "float") return work(float{});
  if (name == "double") return work(double{});
  if (name == "long_double") return work(static_cast<long double>(0));
  if (name == "byte") return work(static_cast<unsigned char>(0));
  if (name == "bool") return work(false);
  if (name == "complex") return work(std::complex<double>{});
  refuse("number " + name);
}

/// The same for the value of a pair, and the offset of its int.
template <class Work>
void with_pair(const Element &element, Work work) {
  const std::string &name = element.name;
  if (name == "two_ints") return work(int{}, sizeof(int));
  if (name == "double_int") return work(double{}, offsetof(DoubleInt, place));
  if (name == "short_int") return work(short{}, offsetof(ShortInt, place));
  if (name == "long_double_int") return work(static_cast<long double>(0), offsetof(LongDoubleInt, place));
  refuse("pair " + name);
}

bool is_pair(const Element &element) { return element.name.find("_int") != std::string::npos; }

/// A product or a sum wraps as the type does.
template <class T>
T calculate(const std::string &op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    if (op == "sum") return static_cast<T>(x + y);
    if (op == "prod") return static_cast<T>(x * y);
    if (op == "band") return static_cast<T>(x & y);
    if (op == "bor") return static_cast<T>(x | y);
    if (op == "bxor") return static_cast<T>(x ^ y);
    if (op == "land") return static_cast<T>(a && b);
    if (op == "lor") return static_cast<T>(a || b);
    if (op == "lxor") return static_cast<T>(!a != !b);
  } else {
    if (op == "sum") return a + b;
    if (op == "prod") return a * b;
  }
  if constexpr (std::is_arithmetic_v<T>) {
    if (op == "min") return std::min(a, b);
    if (op == "max") return std::max(a, b);
  }
  refuse("operation " + op);
}

/// Of equal values the least place stays.
template <class T>
void choose(const std::string &op, char *target, const char *operand, std::size_t place) {
  const T a = read<T>(target), b = read<T>(operand);
  const int at_a = read<int>(target + place), at_b = read<int>(operand + place);
  const bool better = op == "minloc" ? b < a : b > a;
  if (better) write(target, b);
  if (better || a == b) write(target + place, better ? at_b : std::min(at_a, at_b));
}

template <class T>
T small_number(unsigned seed) {
  if constexpr (std::is_same_v<T, bool>) return seed % 2 == 0;
  if constexpr (std::is_same_v<T, std::complex<double>>) return {1.0 + seed % 7, 2.0 + seed % 5};
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) return static_cast<T>(1 + seed % 7);
}

}  // namespace

const Element &element_named(const std::string &name) {
  static const std::map<std::string, Element> all = make_elements();
  const auto found = all.find(name);
  if (found == all.end()) refuse("element " + name);
  return found->second;
}

MPI_Op op_named(const std::string &name) {
  const std::map<std::string, MPI_Op> all = {
      {"sum", MPI_SUM},       {"prod", MPI_PROD},     {"min", MPI_MIN},         {"max", MPI_MAX},     {"land", MPI_LAND},
      {"lor", MPI_LOR},       {"lxor", MPI_LXOR},     {"band", MPI_BAND},       {"bor", MPI_BOR},     {"bxor", MPI_BXOR},
      {"minloc", MPI_MINLOC}, {"maxloc", MPI_MAXLOC}, {"replace", MPI_REPLACE}, {"no_op", MPI_NO_OP},
  };
  const auto found = all.find(name);
  if (found == all.end()) refuse("operation " + name);
  return found->second;
}

void write_number(const Element &element, char *to, unsigned seed) {
  if (element.name == "mixed") return write_pattern(element, to, seed);
  if (!is_pair(element)) return with_number(element, [&](auto zero) { write(to, small_number<decltype(zero)>(seed)); });
  with_pair(element, [&](auto zero, std::size_t place) {
    write(to, small_number<decltype(zero)>(seed));
    write(to + place, static_cast<int>(1 + seed % 11));
  });
}

void write_operand(const Element &element, const std::string &op, char *to, unsigned seed) {
  if (op == "prod")
    with_number(element, [to](auto zero) { write(to, static_cast<decltype(zero)>(2)); });
  else
    write_number(element, to, seed);
}

void write_pattern(const Element &element, char *to, unsigned seed) {
  for (const Part &part : element.parts)
    for (std::size_t i = 0; i < part.bytes; ++i)
      to[part.offset + static_cast<std::ptrdiff_t>(i)] =
          static_cast<char>(1 + (seed * 29 + static_cast<unsigned>(part.offset) + i * 5) % 251);
}

void combine(const Element &element, const std::string &op, char *target, const char *operand) {
  if (op == "no_op") return;
  if (op == "replace") {
    for (const Part &part : element.parts) std::memcpy(target + part.offset, operand + part.offset, part.bytes);
    return;
  }
  if (is_pair(element))
    return with_pair(element, [&](auto zero, std::size_t place) { choose<decltype(zero)>(op, target, operand, place); });
  with_number(element, [&](auto zero) {
    using T = decltype(zero);
    write(target, calculate<T>(op, read<T>(target), read<T>(operand)));
  });
}

void Layout::row(const Element &element, std::ptrdiff_t first, int n, std::ptrdiff_t step) {
  for (int i = 0; i < n; ++i) places.push_back((first + i * step) * element.extent);
}

/// Shapes of elements in a row, or at one distance.
bool Layout::make(const Element &element, const std::string &shape, int n) {
  count = 1;
  if (shape == "plain" || shape == "dup") {
    if (shape == "dup") MPI_Type_dup(element.type, &type);
    count = n;
    row(element, 0, n);
  } else if (shape == "contiguous") {
    MPI_Type_contiguous(n / 2, element.type, &type);
    count = 2;
    row(element, 0, n);
  } else if (shape == "vector") {
    MPI_Type_vector(n / 2, 2, 3, element.type, &type);
    for (int i = 0; i < n / 2; ++i) row(element, 3 * i, 2);
  } else if (shape == "backwards") {
    MPI_Type_create_hvector(n, 1, -2 * element.extent, element.type, &type);
    row(element, 0, n, -2);
  } else if (shape == "resized") {
    MPI_Type_create_resized(element.type, -element.extent, 3 * element.extent, &type);
    count = n;
    row(element, 0, n, 3);
  } else {
    return false;
  }
  return true;
}

void Layout::make_more(const Element &element, const std::string &shape, int n) {
  const int lengths[] = {1, n - 3, 2}, firsts[] = {n + 2, 1, -3};
  const MPI_Aint bytes_at[] = {firsts[0] * element.extent, firsts[1] * element.extent, firsts[2] * element.extent};
  const MPI_Datatype types[] = {element.type, element.type, element.type};
  if (shape == "indexed") MPI_Type_indexed(3, lengths, firsts, element.type, &type);
  if (shape == "struct") MPI_Type_create_struct(3, lengths, bytes_at, types, &type);
  if (shape == "blocks") {
    const MPI_Aint blocks[] = {2 * n * element.extent, 0, n * element.extent};
    MPI_Type_create_hindexed_block(3, n / 3, blocks, element.type, &type);
    for (const int first : {2 * n, 0, n}) row(element, first, n / 3);
  } else if (shape == "subarray") {
    const int sizes[] = {n / 2 + 2, 5}, parts[] = {n / 2, 2}, starts[] = {1, 2};
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, element.type, &type);
    for (int i = 0; i < n / 2; ++i) row(element, (1 + i) * 5 + 2, 2);
  } else if (shape == "nested") {
    MPI_Datatype twos = MPI_DATATYPE_NULL, rows = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, element.type, &twos);
    MPI_Type_create_hvector(n / 6, 1, 4 * element.extent, twos, &rows);
    MPI_Type_create_hvector(3, 1, -n * element.extent, rows, &type);
    for (int outer = 0; outer < 3; ++outer)
      for (int i = 0; i < n / 6; ++i) row(element, 4 * i - static_cast<std::ptrdiff_t>(outer) * n, 2);
    MPI_Type_free(&rows);
    MPI_Type_free(&twos);
  } else {
    for (int i = 0; i < 3; ++i) row(element, firsts[i], lengths[i]);
  }
}

Layout::Layout(const Element &element, const std::string &shape, int elements) {
  const int n = elements == 0 ? 6 : elements;
  if (!make(element, shape, n)) make_more(element, shape, n);
  is_ours_ = type != MPI_DATATYPE_NULL;
  if (is_ours_)
    MPI_Type_commit(&type);
  else
    type = element.type;
  settle(element, elements);
}

/// The buffer begins with the lowest element, or up to 15 bytes earlier.
void Layout::settle(const Element &element, int elements) {
  if (elements == 0) {
    places.clear();
    count = 0;
  }
  for (const std::ptrdiff_t place : places) origin = std::max(origin, (-place + 15) / 16 * 16);
  for (std::ptrdiff_t &place : places) place += origin;
  for (const std::ptrdiff_t place : places) bytes = std::max(bytes, place + element.extent);
  bytes = (bytes + 63) / 64 * 64;
}

Layout::~Layout() {
  if (is_ours_) MPI_Type_free(&type);
}

}  // namespace covering
