// Layouts: what regular datatypes become, types that the MPI has made, large counts, and when a layout is forgotten.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "faces/mpi/datatype/elements.hpp"
#include "faces/mpi/datatype/predefined.hpp"
#include "faces/mpi/datatype/typed_copy.hpp"
#include "mpi_face/random_types.hpp"

namespace halocline::test {
namespace {

using mpi::Basic;
using mpi::Layout;
using mpi::layout_of;

TypeSpec named(int index) { return {Maker::named, {index}, {}, false}; }
constexpr int kDouble = 3;

const Layout *layout_of_spec(const Type &type) { return layout_of(type.get()); }

TEST(Layout, of_a_vector_is_one_strip) {
  const Type type({Maker::vector, {16000, 1, 2}, {named(kDouble)}, false});
  const Layout *layout = layout_of_spec(type);
  ASSERT_EQ(layout->steps().all.size(), 1u);
  const mpi::Strip strip = layout->steps().all[0].strip;
  EXPECT_EQ(strip.count, 16000);
  EXPECT_EQ(strip.bytes, 8);
  EXPECT_EQ(strip.stride, 16);
  EXPECT_EQ(layout->alignment(), 8);
  EXPECT_FALSE(layout->contiguous());
}

TEST(Layout, of_regular_blocks_is_one_strip) {
  std::vector<std::int64_t> numbers{1000, 2};
  for (int i = 0; i < 1000; ++i) numbers.push_back(5 * i);
  const Type type({Maker::indexed_block, numbers, {named(kDouble)}, false});
  EXPECT_EQ(layout_of_spec(type)->steps().all.size(), 1u);
}

TEST(Layout, of_adjacent_blocks_is_one_run) {
  std::vector<std::int64_t> numbers{1000, 2};
  for (int i = 0; i < 1000; ++i) numbers.push_back(2 * i);
  const Type type({Maker::indexed_block, numbers, {named(kDouble)}, false});
  EXPECT_TRUE(layout_of_spec(type)->contiguous());
  EXPECT_EQ(layout_of_spec(type)->bytes(), 16000);
}

TEST(Layout, of_a_cube_is_nested_loops) {
  const Type type({Maker::subarray, {3, 1, 100, 100, 100, 50, 50, 50, 1, 2, 3}, {named(kDouble)}, false});
  EXPECT_EQ(layout_of_spec(type)->steps().all.size(), 2u);
  EXPECT_EQ(layout_of_spec(type)->bytes(), 50 * 50 * 50 * 8);
}

TEST(Layout, of_many_blocks_of_a_nested_type_shares_its_steps) {
  const TypeSpec inner{Maker::structure, {3, 1, 1, 1, 0, 16, 20}, {named(kDouble), named(2), named(kDouble)}, false};
  std::vector<std::int64_t> numbers{1000, 1};
  for (int i = 0; i < 1000; ++i) numbers.push_back(i * i);
  const Type type({Maker::indexed_block, numbers, {inner}, false});
  EXPECT_LT(layout_of_spec(type)->steps().all.size(), 1010u);
}

TEST(Layout, knows_the_only_basic_type) {
  EXPECT_EQ(layout_of(MPI_DOUBLE)->basic(), Basic::float64);
  EXPECT_EQ(layout_of(MPI_INT)->basic(), layout_of(MPI_INT32_T)->basic());
  EXPECT_NE(layout_of(MPI_INT)->basic(), layout_of(MPI_UNSIGNED)->basic());
  const Type mixed({Maker::structure, {2, 1, 1, 0, 8}, {named(kDouble), named(2)}, false});
  EXPECT_EQ(layout_of_spec(mixed)->basic(), Basic::mixed);
  const Type doubles({Maker::structure, {2, 1, 2, 0, 16}, {named(kDouble), named(kDouble)}, false});
  EXPECT_EQ(layout_of_spec(doubles)->basic(), Basic::float64);
  EXPECT_EQ(layout_of_spec(doubles)->basics(), 3);
  const Type empty({Maker::contiguous, {0}, {named(kDouble)}, false});
  EXPECT_EQ(layout_of_spec(empty)->basic(), Basic::none);
  EXPECT_EQ(layout_of(MPI_DATATYPE_NULL), nullptr);
}

TEST(Layout, of_every_predefined_type_is_as_long_as_the_mpi_says) {
  int seen = 0;
  for (const mpi::Predefined &one : mpi::predefined_types()) {
    const Layout *layout = layout_of(one.type);
    ASSERT_NE(layout, nullptr);
    char name[MPI_MAX_OBJECT_NAME];
    int size = 0, length = 0;
    MPI_Aint lower = 0, extent = 0;
    MPI_Type_get_name(one.type, name, &length);
    MPI_Type_size(one.type, &size);
    MPI_Type_get_extent(one.type, &lower, &extent);
    EXPECT_EQ(layout->bytes(), size) << name;
    EXPECT_EQ(layout->extent(), extent) << name;
    EXPECT_TRUE(layout->dense()) << name;
    EXPECT_NE(layout->basic(), Basic::other) << name;
    EXPECT_EQ(mpi::basic_bytes(layout->basic()), extent) << name;
    ++seen;
  }
  EXPECT_GT(seen, 45);
}

TEST(Layout, of_fortran_types_with_a_precision) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (MPI_Type_create_f90_real(15, MPI_UNDEFINED, &type) == MPI_SUCCESS && type != MPI_DATATYPE_NULL) {
    EXPECT_EQ(layout_of(type)->basic(), Basic::float64);
    EXPECT_EQ(layout_of(type), layout_of(type));
  }
  if (MPI_Type_create_f90_integer(9, &type) == MPI_SUCCESS && type != MPI_DATATYPE_NULL) {
    EXPECT_EQ(layout_of(type)->basic(), Basic::fortran_int32);
  }
  if (MPI_Type_create_f90_complex(6, MPI_UNDEFINED, &type) == MPI_SUCCESS && type != MPI_DATATYPE_NULL) {
    MPI_Datatype derived = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(3, type, &derived);
    MPI_Type_commit(&derived);
    EXPECT_EQ(layout_of(derived)->basic(), Basic::complex64);
    MPI_Type_free(&derived);
  }
}

TEST(Layout, is_forgotten_with_its_datatype) {
  for (int i = 1; i < 3000; ++i) {
    const Type type({Maker::contiguous, {i}, {named(kDouble)}, false});
    ASSERT_EQ(layout_of_spec(type)->bytes(), 8 * i);
    ASSERT_EQ(layout_of_spec(type), layout_of_spec(type));
  }
}

TEST(Layout, outlives_its_datatype_where_it_is_kept) {
  std::shared_ptr<const Layout> kept;
  {
    const Type type({Maker::vector, {3, 1, 2}, {named(kDouble)}, false});
    kept = layout_of_spec(type)->shared_from_this();
  }
  EXPECT_EQ(kept->bytes(), 24);
}

TEST(Layout, of_a_copied_datatype_is_its_own) {
  MPI_Datatype first = MPI_DATATYPE_NULL, second = MPI_DATATYPE_NULL;
  MPI_Type_vector(4, 1, 3, MPI_INT, &first);
  MPI_Type_commit(&first);
  ASSERT_EQ(layout_of(first)->bytes(), 16);
  MPI_Type_dup(first, &second);
  MPI_Type_free(&first);
  EXPECT_EQ(layout_of(second)->bytes(), 16);
  MPI_Type_free(&second);
}

#if MPI_VERSION >= 4
TEST(Layout, of_more_bytes_than_an_int_counts) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_vector_c(MPI_Count{5} << 30, 1, 2, MPI_BYTE, &type), MPI_SUCCESS);
  MPI_Type_commit(&type);
  EXPECT_EQ(layout_of(type)->bytes(), std::int64_t{5} << 30);
  EXPECT_EQ(layout_of(type)->steps().all.size(), 1u);
  EXPECT_EQ(layout_of(type)->reach(1).end, (std::int64_t{10} << 30) - 1);
  MPI_Type_free(&type);
}
#endif

}  // namespace
}  // namespace halocline::test
