// Arrays in memory that only a device can access are refused where the library does not swap them, if a driver says so. The stand-in for CUDA's driver is loaded by the first
// test that needs it: the library looks for it anew with each plan.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "device/device_memory.hpp"
#include "support/strip.hpp"

namespace halocline::test {
namespace {

std::string last_rank() { return "rank " + std::to_string(size() - 1); }
bool is_last() { return rank() == size() - 1; }

void swap_once(Plane &plane) {
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &plane.spec, &halo)));
  EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

TEST(DevicePointers, are_not_looked_for_where_no_driver_is_loaded) {
  Plane plane;
  swap_once(plane);
  EXPECT_EQ(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), nullptr) << "the library has loaded a driver";
}

TEST(DevicePointers, before_the_driver_is_initialised_there_are_none) {
  REQUIRE_EVERYWHERE(driver().asked != nullptr);
  Plane plane;
  const long before = driver().asked();
  swap_once(plane);
  EXPECT_GT(driver().asked(), before);
}

TEST(DevicePointers, of_an_index_halo_are_refused) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  const DeviceMemory memory;
  Strip strip;
  if (is_last()) strip.fields[1].data = memory.data();
  EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, strip.init()));
  EXPECT_TRUE(message_names({"hlc_index_halo_init of plan ", " on " + last_rank() + ": fields[1] 'v' is in the memory of CUDA device 0"}));
  everyone(true);
}

TEST(DevicePointers, of_an_index_halo_without_entries_may_be_null) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  driver().init(0);
  Strip strip;
  strip.spec.nentries = strip.spec.nneighbours = 0;
  for (hlc_index_field &field : strip.fields) field.data = nullptr;
  EXPECT_TRUE(ok(strip.init()));
}

TEST(DevicePointers, of_blocks_are_refused) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  const DeviceMemory memory;
  hlc_box box{};
  box.count[0] = 8;
  box.start[0] = 8 * rank();
  hlc_field field{};
  std::vector<double> cells(10);
  field.data = is_last() ? memory.data() : cells.data();
  field.type = HLC_FLOAT64;
  field.name = "u";
  hlc_blocks_spec spec{};
  spec.ndims = 1;
  spec.global[0] = 8 * size();
  spec.depth_low[0] = spec.depth_high[0] = 1;
  spec.layout = HLC_ROW_MAJOR;
  spec.nblocks = spec.nfields = 1;
  spec.blocks = &box;
  spec.fields = &field;
  hlc_blocks *blocks = nullptr;
  EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, hlc_blocks_init(context(), &spec, &blocks)));
  EXPECT_TRUE(message_names(
      {"hlc_blocks_init of plan ", " on " + last_rank() + ": fields[0] 'u', of blocks[0], is in the memory of CUDA device 0"}));
  everyone(true);
}

TEST(DevicePointers, as_other_arrays_of_a_swap_are_refused_and_the_halo_lives_on) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  const DeviceMemory memory;
  Plane plane;
  plane.spec.rebind = 1;
  hlc_halo *halo = nullptr;
  REQUIRE_EVERYWHERE(ok(hlc_halo_init(context(), &plane.spec, &halo)));
  void *const other = memory.data();
  EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, hlc_halo_start_with(halo, nullptr, &other)));
  EXPECT_TRUE(message_names({"hlc_halo_start_with on rank " + std::to_string(rank()) +
                             ": data[0], for field 'theta', is on CUDA device 0, but the spec's array in the host's memory"}));
  EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
  EXPECT_TRUE(ok(hlc_halo_finish(halo)));
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

TEST(DevicePointers, to_pinned_and_managed_memory_are_the_hosts_too) {
  REQUIRE_EVERYWHERE(driver().init != nullptr);
  for (const stand_in_kind kind : {STAND_IN_PINNED, STAND_IN_MANAGED}) {
    Plane plane;
    driver().init(0);
    driver().name(plane.cells.data(), plane.cells.size() * 8, kind, 0);
    for (int j = 2; j < 6; ++j)
      for (int i = 2; i < 6; ++i) plane.cells[static_cast<std::size_t>(8 * j + i)] = 100 * (rank() + 1) + 10 * j + i;
    for (std::size_t c = 0; c < 8; ++c) plane.cells[c] = -1;
    swap_once(plane);
    EXPECT_EQ(plane.cells[2], 100 * (rank() + 1) + 10 * 4 + 2);  // the halo below, of the periodic plane
    driver().forget();
  }
}

}  // namespace
}  // namespace halocline::test
