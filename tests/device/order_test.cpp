// The order of copies on a device: which work of the program a swap's copies follow, and what follows them. Every second rank's copies are late
// by milliseconds, those of its neighbours are not, so that a wait or an order that is missing is seen in a few steps.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>

#include "device/device_plane.hpp"
#include "support/modes.hpp"

namespace halocline::test {
namespace {

constexpr int kSteps = 12, kCells = 64;
constexpr std::size_t kBytes = kCells * sizeof(double);

/// Dimension 0, which is contiguous, is shared out among the ranks. In a row its low halo is cells 0 and 1, and its high one 6 and 7.
constexpr int kLow = 2 * 8, kOwn = 2 * 8 + 2, kHigh = 2 * 8 + 7, kFirstCorner = 0, kLastCorner = kCells - 1;
double written(int step, int by) { return 1000 * step + by; }
int before() { return (rank() + size() - 1) % size(); }
int after() { return (rank() + 1) % size(); }

void expect_swapped(const double *cells, int step) {
  EXPECT_EQ(cells[kLow], written(step, before())) << "step " << step;
  EXPECT_EQ(cells[kHigh], written(step, after())) << "step " << step;
  EXPECT_EQ(cells[kOwn], written(step, rank())) << "step " << step;
  // In stages the last one copies these from the halo that the first one has filled.
  EXPECT_EQ(cells[kFirstCorner], written(step, before())) << "step " << step;
  EXPECT_EQ(cells[kLastCorner], written(step, after())) << "step " << step;
}

/// The library's streams wait for the default one, and it waits for them; those of the program here know of nothing but their own work.
enum : unsigned { kKnowsNothing = 1 };

/// Arrays of all steps, in pinned memory.
class Pinned {
 public:
  Pinned() {
    EXPECT_EQ(driver().host_alloc(&memory_, kSteps * kBytes, 0), 0);
    for (int step = 0; step < kSteps; ++step)
      for (int i = 0; i < kCells; ++i) of(step)[i] = written(step, rank());
  }
  Pinned(const Pinned &) = delete;
  Pinned &operator=(const Pinned &) = delete;
  ~Pinned() { EXPECT_EQ(driver().host_free(memory_), 0); }
  double *of(int step) const { return static_cast<double *>(memory_) + step * kCells; }

 private:
  void *memory_ = nullptr;
};

class ProgramStream {
 public:
  ProgramStream() { EXPECT_EQ(driver().stream_create(&stream_, kKnowsNothing), 0); }
  ProgramStream(const ProgramStream &) = delete;
  ProgramStream &operator=(const ProgramStream &) = delete;
  ~ProgramStream() { EXPECT_EQ(driver().stream_destroy(stream_), 0); }
  CUstream handle() const { return stream_; }
  void wait() const { EXPECT_EQ(driver().stream_synchronize(stream_), 0); }

 private:
  CUstream stream_ = nullptr;
};

/// A copy between a pinned array and a device's, whole, in a stream: what a kernel is to the order of things.
void give_copy(CUstream stream, double *pinned, const Allocation &on_device, bool to_device) {
  CUDA_MEMCPY3D copy{};
  stand_in_half &host = to_device ? copy.from : copy.to, &device = to_device ? copy.to : copy.from;
  host.type = 1;
  host.host = pinned;
  device.type = 2;
  device.device = static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(on_device.data()));
  copy.from.pitch = copy.to.pitch = copy.width = kBytes;
  copy.from.height = copy.to.height = copy.height = copy.depth = 1;
  EXPECT_EQ(driver().copy_3d(&copy, stream), 0);
}
void write(CUstream stream, double *pinned, const Allocation &on_device) { give_copy(stream, pinned, on_device, true); }
void read(CUstream stream, double *pinned, const Allocation &on_device) { give_copy(stream, pinned, on_device, false); }

class DeviceOrder : public testing::TestWithParam<ModeChoice> {
 protected:
  /// Before the stand-in is loaded, which reads this.
  static void SetUpTestSuite() { setenv("STAND_IN_CUDA_LATE", rank() % 2 == 1 ? "4000" : "100", 0); }
  void TearDown() override { EXPECT_EQ(driver().broken(), 0) << driver().rule(); }

  /// Plans a halo of these cells in the mode of the test.
  static hlc_halo *plan(DevicePlane &device, bool staged = false) {
    device.plane.spec.mode = GetParam().mode;
    device.plane.spec.epoch = GetParam().epoch;
    device.plane.spec.drive = GetParam().drive;
    device.plane.spec.staged = staged;
    hlc_halo *halo = nullptr;
    EXPECT_TRUE(ok(hlc_halo_init(context(), &device.plane.spec, &halo)));
    return halo;
  }
};

/// What the program has given to the default stream precedes the swap; the host has not waited for it.
TEST_P(DeviceOrder, a_swap_follows_the_default_stream) {
  DevicePlane device;
  hlc_halo *halo = plan(device);
  REQUIRE_EVERYWHERE(halo != nullptr);
  const Pinned pinned;
  for (int step = 0; step < kSteps; ++step) {
    write(nullptr, pinned.of(step), device.cells());
    EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
    EXPECT_TRUE(ok(hlc_halo_finish(halo)));
    double cells[kCells];
    device.cells().read(cells);
    expect_swapped(cells, step);
  }
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

/// Also for a stream that waits for no other.
TEST_P(DeviceOrder, the_halo_is_there_for_all_streams_once_finish_has_returned) {
  DevicePlane device;
  hlc_halo *halo = plan(device);
  REQUIRE_EVERYWHERE(halo != nullptr);
  const Pinned pinned, seen;
  const ProgramStream stream;
  for (int step = 0; step < kSteps; ++step) {
    device.cells().write(pinned.of(step));
    EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
    EXPECT_TRUE(ok(hlc_halo_finish(halo)));
    read(stream.handle(), seen.of(step), device.cells());
    stream.wait();
    expect_swapped(seen.of(step), step);
  }
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

/// A rank whose copies are not late writes the next step while its neighbour's would still be under way.
TEST_P(DeviceOrder, what_has_been_swapped_may_be_written_once_finish_has_returned) {
  DevicePlane device;
  hlc_halo *halo = plan(device);
  REQUIRE_EVERYWHERE(halo != nullptr);
  const Pinned pinned;
  const ProgramStream stream;
  for (int step = 0; step < kSteps; ++step) {
    write(stream.handle(), pinned.of(step), device.cells());
    stream.wait();
    EXPECT_TRUE(ok(hlc_halo_start(halo, nullptr)));
    EXPECT_TRUE(ok(hlc_halo_finish(halo)));
    if (rank() % 2 == 0) continue;
    double cells[kCells];
    device.cells().read(cells);
    expect_swapped(cells, step);
  }
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

/// The host waits for nothing but the last of many steps.
TEST_P(DeviceOrder, a_swap_on_a_stream_follows_its_work_which_goes_on_with_the_halo) {
  for (const bool staged : {false, true}) {
    DevicePlane device;
    hlc_halo *halo = plan(device, staged);
    REQUIRE_EVERYWHERE(halo != nullptr);
    const Pinned pinned, seen;
    const ProgramStream stream;
    for (int step = 0; step < kSteps; ++step) {
      write(stream.handle(), pinned.of(step), device.cells());
      EXPECT_TRUE(ok(hlc_halo_start_on(halo, nullptr, stream.handle())));
      EXPECT_TRUE(ok(hlc_halo_finish_on(halo, stream.handle())));
      read(stream.handle(), seen.of(step), device.cells());
    }
    stream.wait();
    for (int step = 0; step < kSteps; ++step) expect_swapped(seen.of(step), step);
    EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  }
}

/// Another thread's stream is another one: the last work of the program is in the stream of the finish.
TEST_P(DeviceOrder, the_streams_of_start_and_finish_may_differ) {
  DevicePlane device;
  hlc_halo *halo = plan(device);
  REQUIRE_EVERYWHERE(halo != nullptr);
  const Pinned pinned, seen;
  const ProgramStream first, second;
  for (int step = 0; step < kSteps; ++step) {
    write(first.handle(), pinned.of(step), device.cells());
    EXPECT_TRUE(ok(hlc_halo_start_on(halo, nullptr, first.handle())));
    EXPECT_TRUE(ok(hlc_halo_finish_on(halo, second.handle())));
    read(second.handle(), seen.of(step), device.cells());
    second.wait();
    expect_swapped(seen.of(step), step);
  }
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

/// A reverse swap fetches edges, adds to them on the host and stores them, one direction after the other.
TEST_P(DeviceOrder, sums_of_a_reverse_swap_are_complete) {
  DevicePlane device;
  hlc_halo *halo = plan(device);
  REQUIRE_EVERYWHERE(halo != nullptr);
  hlc_swap back{};
  back.reverse = 1;
  const ProgramStream stream;
  const Pinned pinned;
  for (int step = 0; step < kSteps; ++step) {
    write(stream.handle(), pinned.of(step), device.cells());
    stream.wait();
    EXPECT_TRUE(ok(hlc_halo_start(halo, &back)));
    EXPECT_TRUE(ok(hlc_halo_finish(halo)));
    double cells[kCells];
    device.cells().read(cells);
    // The first cell of the block is in the high halo of the rank before, in its own high halo along dimension 1, and in a corner of that rank.
    EXPECT_EQ(cells[kOwn], 2 * written(step, rank()) + 2 * written(step, before())) << "step " << step;
    EXPECT_EQ(cells[kLow], 0) << "step " << step;
  }
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
}

/// The library makes the device of its fields current, in which it also opens and closes memory of neighbours.
TEST_P(DeviceOrder, the_current_device_of_the_program_stays_so) {
  if (!driver().is_stand_in) GTEST_SKIP() << "needs two devices";
  DevicePlane device;
  const Current other(1);
  const CUcontext before = current_context();
  hlc_halo *halo = plan(device);
  EXPECT_EQ(current_context(), before);
  REQUIRE_EVERYWHERE(halo != nullptr);
  EXPECT_TRUE(ok(hlc_halo_start_on(halo, nullptr, nullptr)));
  EXPECT_EQ(current_context(), before);
  EXPECT_TRUE(ok(hlc_halo_finish_on(halo, nullptr)));
  EXPECT_EQ(current_context(), before);
  EXPECT_TRUE(ok(hlc_halo_finalise(&halo)));
  EXPECT_EQ(current_context(), before);
}

// ---------------------------------------------------------------- blocks and index halos

/// The array of a rank as a line of cells, of which the first and the last one are halo: as blocks, and as an index halo.
constexpr int kLast = kCells - 1;

class LineBlocks {
 public:
  LineBlocks(const ModeChoice &mode, void *cells) {
    hlc_box box{};
    box.start[0] = (kCells - 2) * rank();
    box.count[0] = kCells - 2;
    const hlc_field field{cells, HLC_FLOAT64, 0, {}, "u"};
    hlc_blocks_spec spec{};
    spec.ndims = 1;
    spec.global[0] = (kCells - 2) * size();
    spec.periodic[0] = 1;
    spec.depth_low[0] = spec.depth_high[0] = 1;
    spec.layout = HLC_ROW_MAJOR;
    spec.nblocks = spec.nfields = 1;
    spec.blocks = &box;
    spec.fields = &field;
    spec.mode = mode.mode;
    spec.epoch = mode.epoch;
    spec.drive = mode.drive;
    EXPECT_TRUE(ok(hlc_blocks_init(context(), &spec, &blocks_)));
  }
  LineBlocks(const LineBlocks &) = delete;
  LineBlocks &operator=(const LineBlocks &) = delete;
  ~LineBlocks() { EXPECT_TRUE(ok(hlc_blocks_finalise(&blocks_))); }
  bool is_planned() const { return blocks_; }
  hlc_status start_on(bool reverse, CUstream stream) {
    hlc_swap what{};
    what.reverse = reverse;
    return hlc_blocks_start_on(blocks_, &what, stream);
  }
  hlc_status start(bool reverse) {
    hlc_swap what{};
    what.reverse = reverse;
    return hlc_blocks_start(blocks_, &what);
  }
  hlc_status finish() { return hlc_blocks_finish(blocks_); }
  hlc_status finish_on(CUstream stream) { return hlc_blocks_finish_on(blocks_, stream); }

 private:
  hlc_blocks *blocks_ = nullptr;
};

class LineIndices {
 public:
  LineIndices(const ModeChoice &mode, void *cells) {
    const std::int64_t entries[] = {0, 1, kLast - 1, kLast};
    const hlc_index_neighbour neighbours[] = {{before(), 1, 2, 1, &entries[1], 1, &entries[0]},
                                              {after(), 2, 1, 1, &entries[2], 1, &entries[3]}};
    const hlc_index_field field{cells, HLC_FLOAT64, 0, 0, 0, 0, "u"};
    hlc_index_halo_spec spec{};
    spec.nentries = kCells;
    spec.nneighbours = 2;
    spec.neighbours = neighbours;
    spec.nfields = 1;
    spec.fields = &field;
    spec.mode = mode.mode;
    spec.epoch = mode.epoch;
    spec.drive = mode.drive;
    EXPECT_TRUE(ok(hlc_index_halo_init(context(), &spec, &halo_)));
  }
  LineIndices(const LineIndices &) = delete;
  LineIndices &operator=(const LineIndices &) = delete;
  ~LineIndices() { EXPECT_TRUE(ok(hlc_index_halo_finalise(&halo_))); }
  bool is_planned() const { return halo_; }
  hlc_status start_on(bool reverse, CUstream stream) {
    const hlc_index_swap what{0, nullptr, reverse};
    return hlc_index_halo_start_on(halo_, &what, stream);
  }
  hlc_status start(bool reverse) {
    const hlc_index_swap what{0, nullptr, reverse};
    return hlc_index_halo_start(halo_, &what);
  }
  hlc_status finish() { return hlc_index_halo_finish(halo_); }
  hlc_status finish_on(CUstream stream) { return hlc_index_halo_finish_on(halo_, stream); }

 private:
  hlc_index_halo *halo_ = nullptr;
};

void expect_line(const double *cells, int step, bool reverse) {
  EXPECT_EQ(cells[0], reverse ? 0 : written(step, before())) << "step " << step;
  EXPECT_EQ(cells[kLast], reverse ? 0 : written(step, after())) << "step " << step;
  EXPECT_EQ(cells[1], written(step, rank()) + (reverse ? written(step, before()) : 0)) << "step " << step;
}

/// The host waits for nothing but the last of many steps. Every second swap is in reverse.
template <class Line>
void swap_on_a_stream(const ModeChoice &mode) {
  const Current current;
  const Allocation cells(kBytes);
  Line line(mode, cells.data());
  REQUIRE_EVERYWHERE(line.is_planned());
  const Pinned pinned, seen;
  const ProgramStream stream;
  for (int step = 0; step < kSteps; ++step) {
    write(stream.handle(), pinned.of(step), cells);
    EXPECT_TRUE(ok(line.start_on(step % 2 == 1, stream.handle())));
    EXPECT_TRUE(ok(line.finish_on(stream.handle())));
    read(stream.handle(), seen.of(step), cells);
  }
  stream.wait();
  for (int step = 0; step < kSteps; ++step) expect_line(seen.of(step), step, step % 2 == 1);
}

/// What the program has given to the default stream precedes the swap, for neighbours that read it, too.
template <class Line>
void swap_behind_the_default_stream(const ModeChoice &mode) {
  const Current current;
  const Allocation cells(kBytes);
  Line line(mode, cells.data());
  REQUIRE_EVERYWHERE(line.is_planned());
  const Pinned pinned;
  for (int step = 0; step < kSteps; ++step) {
    write(nullptr, pinned.of(step), cells);
    EXPECT_TRUE(ok(line.start(step % 2 == 1)));
    EXPECT_TRUE(ok(line.finish()));
    double seen[kCells];
    cells.read(seen);
    expect_line(seen, step, step % 2 == 1);
  }
}

/// A rank whose copies are not late writes the next step while its neighbour's would still be under way.
template <class Line>
void write_behind_finish(const ModeChoice &mode) {
  const Current current;
  const Allocation cells(kBytes);
  Line line(mode, cells.data());
  REQUIRE_EVERYWHERE(line.is_planned());
  const Pinned pinned;
  const ProgramStream stream;
  for (int step = 0; step < kSteps; ++step) {
    write(stream.handle(), pinned.of(step), cells);
    stream.wait();
    EXPECT_TRUE(ok(line.start(step % 4 == 3)));
    EXPECT_TRUE(ok(line.finish()));
    if (rank() % 2 == 0) continue;
    double seen[kCells];
    cells.read(seen);
    expect_line(seen, step, step % 4 == 3);
  }
}

TEST_P(DeviceOrder, a_swap_of_blocks_follows_the_default_stream) { swap_behind_the_default_stream<LineBlocks>(GetParam()); }
TEST_P(DeviceOrder, a_swap_of_entries_follows_the_default_stream) { swap_behind_the_default_stream<LineIndices>(GetParam()); }
TEST_P(DeviceOrder, swapped_blocks_may_be_written_once_finish_has_returned) { write_behind_finish<LineBlocks>(GetParam()); }
TEST_P(DeviceOrder, swapped_entries_may_be_written_once_finish_has_returned) { write_behind_finish<LineIndices>(GetParam()); }

TEST_P(DeviceOrder, blocks_are_swapped_in_order_with_a_stream) { swap_on_a_stream<LineBlocks>(GetParam()); }
TEST_P(DeviceOrder, entries_are_swapped_in_order_with_a_stream) { swap_on_a_stream<LineIndices>(GetParam()); }

FOR_ALL_MODES(DeviceOrder);

}  // namespace
}  // namespace halocline::test
