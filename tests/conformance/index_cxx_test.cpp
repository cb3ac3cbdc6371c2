// The C++ form of index halos in every mode: lists of 32-bit integers, components, reverse, views, errors as exceptions.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <halocline/halocline.hpp>

#include "support/modes.hpp"
#include "support/mpi_test.hpp"

namespace halocline::test {
namespace {

class IndexHaloCxx : public testing::TestWithParam<ModeChoice> {};

double value(int owner, int entry, int component) { return 1 + owner + 10 * entry + 100 * component; }

/// A ring with own entries 1 to 3 and ghosts 0 and 4.
TEST_P(IndexHaloCxx, brings_ghosts_forwards_and_sums_back) {
  const Context own_context(MPI_COMM_WORLD);
  const int me = own_context.rank(), n = own_context.size(), below = (me + n - 1) % n, above = (me + 1) % n;
  SharedArray<double> u(own_context, 10);
  const std::vector<int> first{1}, last{3}, low{0}, high{4};
  const std::vector<IndexNeighbour> neighbours{IndexNeighbour(below, first, low).tags(1, 2), IndexNeighbour(above, last, high).tags(2, 1)};
  const ModeChoice &mode = GetParam();
  halocline::IndexHalo halo(own_context, 5, neighbours, {IndexField(u.data(), 2, "u").strides(sizeof(double), 5 * sizeof(double))},
                            {static_cast<Mode>(mode.mode), static_cast<Epoch>(mode.epoch), static_cast<Drive>(mode.drive)});
  const auto at = [&](int entry, int component) -> double & { return u[static_cast<std::size_t>(5 * component + entry)]; };
  for (int c = 0; c < 2; ++c)
    for (int i = 0; i < 5; ++i) at(i, c) = i % 4 == 0 ? -7 : value(me, i, c);
  halo.swap();
  for (int c = 0; c < 2; ++c) {
    EXPECT_EQ(at(0, c), value(below, 3, c));
    EXPECT_EQ(at(4, c), value(above, 1, c));
  }
  halo.start_reverse();
  static_cast<void>(halo.test());
  halo.finish();
  EXPECT_EQ(at(1, 1), 2 * value(me, 1, 1));
  EXPECT_EQ(at(3, 0), 2 * value(me, 3, 0));
  EXPECT_EQ(at(0, 0), 0);
  halo.start();
  halo.finish_views();
  const hlc_index_view view = halo.view(0, 1);
  ASSERT_EQ(view.nruns, 1);
  EXPECT_EQ(view.rank, above);
  EXPECT_EQ(*reinterpret_cast<const double *>(static_cast<const char *>(view.data) + view.runs[0].place * view.entry_stride_bytes),
            2 * value(above, 1, 0));
  halo.release();
  EXPECT_EQ(halo.info().neighbours + halo.info().self_copies, 2);
  try {
    halo.finish();
    ADD_FAILURE() << "finish without start must throw";
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), HLC_ERR_STATE);
  }
  halo.finalise();
}

FOR_ALL_MODES(IndexHaloCxx);

}  // namespace
}  // namespace halocline::test
