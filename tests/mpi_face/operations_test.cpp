// Every operation on every predefined type gives what MPI_Reduce_local gives.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/elements/operations.hpp"
#include "faces/mpi/datatype/iterate.hpp"
#include "faces/mpi/datatype/predefined.hpp"
#include "faces/mpi/datatype/typed_copy.hpp"

namespace halocline::test {
namespace {

using mpi::Access;
using mpi::Basic;
using mpi::Layout;
using mpi::layout_of;
using mpi::Operation;

constexpr int kCount = 7;
constexpr std::int64_t kRoom = 32 * 4 * kCount;

struct Op {
  Operation op;
  MPI_Op handle;
  const char *name;
};

const std::vector<Op> &operations() {
  static const std::vector<Op> all{
      {Operation::sum, MPI_SUM, "sum"},    {Operation::prod, MPI_PROD, "prod"},       {Operation::min, MPI_MIN, "min"},
      {Operation::max, MPI_MAX, "max"},    {Operation::land, MPI_LAND, "land"},       {Operation::lor, MPI_LOR, "lor"},
      {Operation::lxor, MPI_LXOR, "lxor"}, {Operation::band, MPI_BAND, "band"},       {Operation::bor, MPI_BOR, "bor"},
      {Operation::bxor, MPI_BXOR, "bxor"}, {Operation::minloc, MPI_MINLOC, "minloc"}, {Operation::maxloc, MPI_MAXLOC, "maxloc"}};
  return all;
}

template <class T>
void set(T &element, int i) {
  element = static_cast<T>(1 + i % 5);
}
template <class T>
void set(std::complex<T> &element, int i) {
  element = {static_cast<T>(1 + i % 5), static_cast<T>(i % 3)};
}
template <class V, class I>
void set(mpi::Pair<V, I> &element, int i) {
  std::memset(&element, 0, sizeof element);
  element.value = static_cast<V>(1 + i * 3 % 4);
  element.index = static_cast<I>(10 - i);
}

template <class T>
bool same(const T &a, const T &b) {
  return a == b;
}
template <class V, class I>
bool same(const mpi::Pair<V, I> &a, const mpi::Pair<V, I> &b) {
  return a.value == b.value && a.index == b.index;
}

/// Room for a few elements of any type, which begin at any offset.
struct Room {
  alignas(64) unsigned char bytes[kRoom + 64];
};

/// Logicals are 0 or 1, and both have to occur together with both.
void fill(Basic basic, void *at, int factor) {
  mpi::with_element(basic, [&](auto element) {
    for (int i = 0; i < kCount; ++i) {
      const bool logical = basic >= Basic::boolean && basic <= Basic::logical128;
      set(element, logical ? -1 + (i / factor) % 2 : factor * i + factor);
      std::memcpy(static_cast<char *>(at) + i * static_cast<std::int64_t>(sizeof element), &element, sizeof element);
    }
  });
}

bool equal(Basic basic, const void *a, const void *b) {
  bool result = true;
  mpi::with_element(basic, [&](auto element) {
    auto other = element;
    for (int i = 0; i < kCount; ++i) {
      std::memcpy(&element, static_cast<const char *>(a) + i * static_cast<std::int64_t>(sizeof element), sizeof element);
      std::memcpy(&other, static_cast<const char *>(b) + i * static_cast<std::int64_t>(sizeof element), sizeof element);
      result = result && same(element, other);
    }
  });
  return result;
}

std::string name_of(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  MPI_Type_get_name(type, name, &length);
  return name;
}

/// The same datatype with a gap after each element, and with its elements from the last to the first.
class Derived {
 public:
  Derived(MPI_Datatype of, int stride) {
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    MPI_Type_vector(kCount, 1, stride, of, &vector);
    MPI_Aint lower = 0, extent = 0;
    MPI_Type_get_extent(of, &lower, &extent);
    const MPI_Aint begin = stride < 0 ? -(kCount - 1) * stride * extent : 0;
    const int one = 1;
    MPI_Type_create_hindexed(1, &one, &begin, vector, &type_);
    MPI_Type_free(&vector);
    MPI_Type_commit(&type_);
  }
  ~Derived() { MPI_Type_free(&type_); }
  Derived(const Derived &) = delete;
  Derived &operator=(const Derived &) = delete;
  const Layout *layout() const { return layout_of(type_); }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// One operation on one type: the elements before it, and the expected ones after it.
struct Case {
  Op op;
  MPI_Datatype type;
  Basic basic;
  Room origin, before, expected;

  Case(Op with, MPI_Datatype of) : op(with), type(of), basic(layout_of(of)->basic()) {
    fill(basic, origin.bytes, 1);
    fill(basic, before.bytes, 2);
    expected = before;
  }
  std::string text() const { return std::string(op.name) + " of " + name_of(type); }
  bool ask_mpi() { return MPI_Reduce_local(origin.bytes, expected.bytes, kCount, type, op.handle) == MPI_SUCCESS; }
};

/// In a row, each element apart, from memory that is not aligned; with and without the old values.
void try_rows(const Case &c, Access access) {
  const Layout *layout = layout_of(c.type);
  for (const int shift : {0, 1}) {
    Room target, result;
    unsigned char *at = target.bytes + shift;
    std::memcpy(at, c.before.bytes, kRoom);
    mpi::accumulate({c.op.op, access}, {at, layout, kCount}, {c.origin.bytes, layout, kCount});
    EXPECT_TRUE(equal(c.basic, at, c.expected.bytes)) << c.text() << " shifted by " << shift;
    std::memcpy(at, c.before.bytes, kRoom);
    mpi::get_accumulate({c.op.op, access}, {at, layout, kCount}, {c.origin.bytes, layout, kCount}, {result.bytes, layout, kCount});
    EXPECT_TRUE(equal(c.basic, at, c.expected.bytes)) << c.text() << " with its result, shifted by " << shift;
    EXPECT_TRUE(equal(c.basic, result.bytes, c.before.bytes)) << "the old values, " << c.text();
  }
}

/// The target with gaps, the origin backwards in memory, the result in a row.
void try_derived(const Case &c, Access access) {
  const Derived gaps(c.type, 2), backwards(c.type, -1);
  const Layout *layout = layout_of(c.type);
  Room target, origin, result, row;
  mpi::copy({target.bytes, gaps.layout(), 1}, {c.before.bytes, layout, kCount});
  mpi::copy({origin.bytes, backwards.layout(), 1}, {c.origin.bytes, layout, kCount});
  ASSERT_EQ(mpi::check_accumulate(c.op.op, *gaps.layout(), *backwards.layout()), MPI_SUCCESS);
  mpi::get_accumulate({c.op.op, access}, {target.bytes, gaps.layout(), 1}, {origin.bytes, backwards.layout(), 1},
                      {result.bytes, layout, kCount});
  mpi::copy({row.bytes, layout, kCount}, {target.bytes, gaps.layout(), 1});
  EXPECT_TRUE(equal(c.basic, row.bytes, c.expected.bytes)) << c.text() << " of derived types";
  EXPECT_TRUE(equal(c.basic, result.bytes, c.before.bytes)) << "the old values, " << c.text() << " of derived types";
}

void try_fetch(const Case &c, Access access) {
  const Layout *layout = layout_of(c.type);
  Room target, result;
  target = c.before;
  result = c.before;
  for (int i = 0; i < kCount; ++i) {
    const std::int64_t at = i * layout->extent();
    mpi::fetch_and_op({c.op.op, access}, *layout, target.bytes + at, {c.origin.bytes + at, result.bytes + at});
  }
  EXPECT_TRUE(equal(c.basic, target.bytes, c.expected.bytes)) << c.text() << " fetched";
  EXPECT_TRUE(equal(c.basic, result.bytes, c.before.bytes)) << c.text() << " fetched";
}

void try_all(const Case &c) {
  for (const Access access : {Access::exclusive, Access::atomic}) {
    try_rows(c, access);
    try_derived(c, access);
    try_fetch(c, access);
  }
}

TEST(Operations, give_what_the_mpi_gives) {
  int compared = 0, refused = 0;
  for (const mpi::Predefined &one : mpi::predefined_types())
    for (const Op &op : operations()) {
      const Layout *layout = layout_of(one.type);
      if (mpi::check_accumulate(op.op, *layout, *layout) != MPI_SUCCESS) continue;
      Case c(op, one.type);
      if (!c.ask_mpi()) {
        ++refused;
        std::printf("the MPI has no %s\n", c.text().c_str());
        continue;
      }
      try_all(c);
      ++compared;
    }
  std::printf("%d compared, %d that the MPI has not\n", compared, refused);
  EXPECT_GT(compared, 250);
}

TEST(Operations, replace_and_read_every_type) {
  for (const mpi::Predefined &one : mpi::predefined_types()) {
    Case replace({Operation::replace, MPI_REPLACE, "replace"}, one.type);
    replace.expected = replace.origin;
    try_all(replace);
    Case read({Operation::no_op, MPI_NO_OP, "no_op"}, one.type);
    try_all(read);
  }
}

/// A row of `count`, which begins at any offset: of one element, which has no loop, of more than a register holds, or of more than two of the widest.
template <class T>
void change_rows(MPI_Datatype type, int count, int shift) {
  const Layout *layout = layout_of(type);
  const auto numbers = [count](int factor, int first) {
    std::vector<T> made(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) made[static_cast<std::size_t>(i)] = static_cast<T>(factor * i + first);
    return made;
  };
  const std::vector<T> origin = numbers(3, 2), before = numbers(1, 1), sums = numbers(4, 3);
  const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
  std::vector<unsigned char> target(bytes + 1);
  std::vector<T> result(origin.size());
  unsigned char *const at = target.data() + shift;
  const std::pair<Operation, std::vector<T>> changes[] = {{Operation::sum, sums}, {Operation::replace, origin}, {Operation::no_op, before}};
  for (const auto &[op, expected] : changes) {
    const mpi::ConstBuffer given{op == Operation::no_op ? nullptr : origin.data(), op == Operation::no_op ? nullptr : layout, count};
    std::memcpy(at, before.data(), bytes);
    mpi::accumulate({op, Access::exclusive}, {at, layout, count}, given);
    EXPECT_EQ(std::memcmp(at, expected.data(), bytes), 0) << count << " of " << name_of(type);
    std::memcpy(at, before.data(), bytes);
    mpi::get_accumulate({op, Access::exclusive}, {at, layout, count}, given, {result.data(), layout, count});
    EXPECT_EQ(std::memcmp(at, expected.data(), bytes), 0) << count << " of " << name_of(type);
    EXPECT_EQ(result, before);
  }
}

TEST(Operations, change_single_elements_and_long_rows) {
  for (const int count : {1, 2, 33, 277})
    for (const int shift : {0, 1}) {
      change_rows<std::int32_t>(MPI_INT32_T, count, shift);
      change_rows<std::uint32_t>(MPI_UINT32_T, count, shift);
      change_rows<std::int64_t>(MPI_INT64_T, count, shift);
      change_rows<std::uint64_t>(MPI_UINT64_T, count, shift);
      change_rows<std::int16_t>(MPI_INT16_T, count, shift);
      change_rows<float>(MPI_FLOAT, count, shift);
      change_rows<double>(MPI_DOUBLE, count, shift);
    }
}

TEST(Operations, have_the_names_of_the_mpi) {
  for (const Op &op : operations()) EXPECT_EQ(mpi::operation_of(op.handle), op.op);
  EXPECT_EQ(mpi::operation_of(MPI_REPLACE), Operation::replace);
  EXPECT_EQ(mpi::operation_of(MPI_NO_OP), Operation::no_op);
  EXPECT_EQ(mpi::operation_of(MPI_OP_NULL), Operation::none);
  MPI_Op own = MPI_OP_NULL;
  MPI_Op_create([](void *, void *, int *, MPI_Datatype *) {}, 1, &own);
  EXPECT_EQ(mpi::operation_of(own), Operation::none);
  EXPECT_EQ(mpi::check_accumulate(mpi::operation_of(own), *layout_of(MPI_INT), *layout_of(MPI_INT)), MPI_ERR_OP);
  MPI_Op_free(&own);
}

TEST(Operations, are_those_of_the_standard_for_each_kind_of_type) {
  const auto all = [](MPI_Datatype type) {
    std::string names;
    for (const Op &op : operations())
      if (mpi::check_accumulate(op.op, *layout_of(type), *layout_of(type)) == MPI_SUCCESS) names += std::string(op.name) + " ";
    return names;
  };
  const std::string integer = "sum prod min max land lor lxor band bor bxor ";
  for (const MPI_Datatype type : {MPI_INT, MPI_UINT8_T, MPI_SIGNED_CHAR, MPI_LONG, MPI_UNSIGNED_LONG_LONG, MPI_CHAR})
    EXPECT_EQ(all(type), integer);
  for (const MPI_Datatype type : {MPI_INTEGER, MPI_AINT, MPI_OFFSET, MPI_COUNT})
    EXPECT_EQ(all(type), "sum prod min max band bor bxor ") << name_of(type);
  for (const MPI_Datatype type : {MPI_FLOAT, MPI_DOUBLE_PRECISION, MPI_LONG_DOUBLE}) EXPECT_EQ(all(type), "sum prod min max ");
  for (const MPI_Datatype type : {MPI_C_FLOAT_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX}) EXPECT_EQ(all(type), "sum prod ");
  for (const MPI_Datatype type : {MPI_C_BOOL, MPI_LOGICAL}) EXPECT_EQ(all(type), "land lor lxor ");
  EXPECT_EQ(all(MPI_BYTE), "band bor bxor ");
  for (const MPI_Datatype type : {MPI_CHARACTER, MPI_WCHAR, MPI_PACKED}) EXPECT_EQ(all(type), "");
  for (const MPI_Datatype type : {MPI_DOUBLE_INT, MPI_2INT, MPI_2REAL, MPI_LONG_DOUBLE_INT}) EXPECT_EQ(all(type), "minloc maxloc ");
}

TEST(Operations, change_nothing_where_a_datatype_has_no_data) {
  MPI_Datatype none = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(0, MPI_INT, &none);
  MPI_Type_commit(&none);
  int target = 1, origin = 2, result = 3;
  for (const mpi::Access access : {mpi::Access::atomic, mpi::Access::exclusive})
    for (const Op &op : operations())
      for (const MPI_Datatype other : {none, MPI_INT}) {
        EXPECT_EQ(mpi::check_accumulate(op.op, *layout_of(none), *layout_of(other)), MPI_SUCCESS);
        mpi::accumulate({op.op, access}, {&target, layout_of(none), 1}, {&origin, layout_of(other), 1});
        mpi::get_accumulate({op.op, access}, {&target, layout_of(none), 1}, {&origin, layout_of(other), 1}, {&result, layout_of(other), 1});
      }
  EXPECT_TRUE(target == 1 && result == 3);
  MPI_Type_free(&none);
}

TEST(Operations, treat_integers_of_fortran_as_those_of_c_where_both_are_defined) {
  const Layout &fortran = *layout_of(MPI_INTEGER), &c = *layout_of(MPI_INT);
  EXPECT_EQ(mpi::check_accumulate(Operation::sum, fortran, c), MPI_SUCCESS);
  EXPECT_EQ(mpi::check_accumulate(Operation::land, fortran, c), MPI_ERR_OP);
  EXPECT_TRUE(mpi::can_swap(fortran) && mpi::can_swap(*layout_of(MPI_LOGICAL)) && mpi::can_swap(*layout_of(MPI_AINT)));
  MPI_Datatype made = MPI_DATATYPE_NULL;
  if (MPI_Type_create_f90_integer(6, &made) != MPI_SUCCESS) return;
  EXPECT_EQ(mpi::check_accumulate(Operation::sum, *layout_of(made), *layout_of(made)), MPI_SUCCESS);
  EXPECT_EQ(mpi::check_accumulate(Operation::land, *layout_of(made), *layout_of(made)), MPI_ERR_OP);
}

TEST(CheckAccumulate, refuses_types_that_do_not_match) {
  const Layout &real = *layout_of(MPI_DOUBLE), &integer = *layout_of(MPI_INT);
  EXPECT_EQ(mpi::check_accumulate(Operation::sum, real, integer), MPI_ERR_TYPE);
  EXPECT_EQ(mpi::check_accumulate(Operation::replace, real, integer), MPI_ERR_TYPE);
  EXPECT_EQ(mpi::check_accumulate(Operation::no_op, real, integer), MPI_SUCCESS);
  EXPECT_EQ(mpi::check_accumulate(Operation::band, real, real), MPI_ERR_OP);
  EXPECT_EQ(mpi::check_accumulate(Operation::none, real, real), MPI_ERR_OP);
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {0, 8};
  const MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
  MPI_Datatype mixed = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, lengths, places, types, &mixed);
  MPI_Type_commit(&mixed);
  EXPECT_EQ(mpi::check_accumulate(Operation::sum, *layout_of(mixed), *layout_of(mixed)), MPI_ERR_TYPE);
  EXPECT_EQ(mpi::check_accumulate(Operation::replace, *layout_of(mixed), real), MPI_ERR_TYPE);
  EXPECT_EQ(mpi::check_accumulate(Operation::replace, real, *layout_of(mixed)), MPI_ERR_TYPE);
  MPI_Type_free(&mixed);
}

/// A number of each kind, with a gap.
struct Record {
  char letter;
  double number;
};

MPI_Datatype record_type() {
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {offsetof(Record, letter), offsetof(Record, number)};
  const MPI_Datatype types[2] = {MPI_CHAR, MPI_DOUBLE};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, lengths, places, types, &type);
  MPI_Type_commit(&type);
  return type;
}

TEST(Operations, replace_and_read_records_of_several_types) {
  MPI_Datatype type = record_type();
  const Layout *layout = layout_of(type);
  for (const Operation op : {Operation::replace, Operation::no_op})
    for (const mpi::Access access : {mpi::Access::atomic, mpi::Access::exclusive}) {
      Record target{'t', 1.5}, origin{'o', 2.5}, result{'r', 3.5};
      EXPECT_EQ(mpi::check_accumulate(op, *layout, *layout), MPI_SUCCESS);
      mpi::get_accumulate({op, access}, {&target, layout, 1}, {&origin, layout, 1}, {&result, layout, 1});
      EXPECT_TRUE(result.letter == 't' && result.number == 1.5);
      const Record &expected = op == Operation::replace ? origin : result;
      EXPECT_TRUE(target.letter == expected.letter && target.number == expected.number);
      origin = {'p', 4.5};
      mpi::accumulate({Operation::replace, access}, {&target, layout, 1}, {&origin, layout, 1});
      EXPECT_TRUE(target.letter == 'p' && target.number == 4.5);
    }
  MPI_Type_free(&type);
}

TEST(NeedsLock, only_what_the_processor_cannot_change_at_once) {
  Room room;
  const auto needs = [&](int offset, MPI_Datatype type) { return mpi::needs_lock({room.bytes + offset, layout_of(type), 1}); };
  EXPECT_FALSE(needs(8, MPI_DOUBLE));
  EXPECT_TRUE(needs(4, MPI_DOUBLE));
  EXPECT_FALSE(needs(3, MPI_BYTE));
  EXPECT_EQ(needs(16, MPI_DOUBLE_INT), mpi::longest_atomic() < 16);
  EXPECT_TRUE(needs(8, MPI_DOUBLE_INT));
  EXPECT_TRUE(needs(0, MPI_C_LONG_DOUBLE_COMPLEX));
  MPI_Datatype odd = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(2, 1, 12, MPI_DOUBLE, &odd);
  MPI_Type_commit(&odd);
  EXPECT_TRUE(needs(0, odd));
  MPI_Type_free(&odd);
}

template <class T>
void swap_both_ways(MPI_Datatype type, int shift) {
  const Layout *layout = layout_of(type);
  ASSERT_TRUE(mpi::can_swap(*layout)) << name_of(type);
  for (const Access access : {Access::exclusive, Access::atomic}) {
    Room target;
    T now = 5, wrong = 4, next = 9, old = 0;
    unsigned char *at = target.bytes + shift;
    std::memcpy(at, &now, sizeof now);
    mpi::compare_and_swap(access, *layout, at, {&wrong, &next, &old});
    EXPECT_TRUE(old == now && std::memcmp(at, &now, sizeof now) == 0);
    old = 0;
    mpi::compare_and_swap(access, *layout, at, {&now, &next, &old});
    EXPECT_TRUE(old == now && std::memcmp(at, &next, sizeof next) == 0);
  }
}

TEST(CompareAndSwap, replaces_only_what_is_expected) {
  for (const int shift : {0, 1}) {
    swap_both_ways<std::int8_t>(MPI_INT8_T, shift);
    swap_both_ways<std::uint8_t>(MPI_BYTE, shift);
    swap_both_ways<std::int16_t>(MPI_SHORT, shift);
    swap_both_ways<std::int32_t>(MPI_INT, shift);
    swap_both_ways<std::int64_t>(MPI_OFFSET, shift);
    swap_both_ways<std::uint64_t>(MPI_UINT64_T, shift);
  }
  for (const mpi::Predefined &one : mpi::predefined_types())
    if (one.basic == Basic::fortran_int128) swap_both_ways<mpi::Int128>(one.type, 0);
}

TEST(CompareAndSwap, is_not_for_reals_and_derived_types) {
  for (const MPI_Datatype type : {MPI_DOUBLE, MPI_C_DOUBLE_COMPLEX, MPI_2INT, MPI_CHARACTER, MPI_LONG_DOUBLE})
    EXPECT_FALSE(mpi::can_swap(*layout_of(type)));
  MPI_Datatype two = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &two);
  MPI_Type_commit(&two);
  EXPECT_FALSE(mpi::can_swap(*layout_of(two)));
  MPI_Type_free(&two);
}

}  // namespace
}  // namespace halocline::test
