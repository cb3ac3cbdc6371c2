// Fields of C++ that do not fit their halo, or have no depth: refused before anything is written.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <functional>
#include <string>

#include <halocline/halocline.hpp>

#include "support/plane.hpp"

namespace halocline::test {
namespace {

/// The words of the Error that it throws, with its status; empty if it throws none.
std::string refusal(hlc_status expected, const std::function<void()> &make) {
  try {
    make();
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), expected) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing is refused";
  return {};
}

TEST(Arguments, of_a_cxx_halo_are_fields_of_its_grid) {
  const Context cxx(MPI_COMM_WORLD);
  const std::int64_t cells = 8 * static_cast<std::int64_t>(size());
  const bool last = rank() == size() - 1;
  const Grid grid(cxx, {6, cells}, {1, 0}, {1, size()}), wider(cxx, {9, cells}, {1, 0}, {1, size()}), row(cxx, {cells}, {1});
  Field<double, 2> theta(cxx, grid, 1), other(cxx, last ? wider : grid, 1);
  Field<double, 2> nodes(cxx, wider, 2, {Stagger::nodes_shared, Stagger::centred});
  Field<double, 1> line(cxx, row, 1);
  const auto expect = [&](FieldRef field, const std::string &words) {
    const std::string said = refusal(HLC_ERR_ARGUMENT, [&] { const Halo halo(cxx, grid, {{theta, "theta"}, field}); });
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  expect({other, "v"}, "Halo on rank " + std::to_string(size() - 1) +
                           ": fields[1] 'v' has 11 values along dimension 0 where local + halo make 8: make it with the grid of the Halo");
  expect(nodes, "Halo on rank 0: fields[1] '(no name)' has 14 values along dimension 0 where local + halo + node make 11");
  expect({line, "w"}, "Halo on rank 0: fields[1] 'w' has 1 dimensions, the grid 2");
  EXPECT_NO_THROW(Halo(cxx, wider, {nodes}).swap());
}

TEST(Arguments, of_a_cxx_field_are_depths_of_0_or_more) {
  const Context cxx(MPI_COMM_WORLD);
  const std::string here = "Field on rank " + std::to_string(rank()) + ": ";
  const Grid grid(cxx, {8 * static_cast<std::int64_t>(size()), 6});
  EXPECT_EQ(refusal(HLC_ERR_ARGUMENT, [&] { const Field<double, 2> field(cxx, grid, -1); }),
            here + "depth.low[0] is -1 but must be 0 or more");
  Depth<2> depth = Depth<2>::all(1);
  depth.high[1] = rank() == 0 ? -2 : 1;
  const std::string said = refusal(rank() == 0 ? HLC_ERR_ARGUMENT : HLC_ERR_MEMORY, [&] { const Field<float, 2> field(cxx, grid, depth); });
  EXPECT_EQ(rank() == 0 ? said : "", rank() == 0 ? here + "depth.high[1] is -2 but must be 0 or more" : "");
}

}  // namespace
}  // namespace halocline::test
