// A rig drives blocks of the library through swaps of a case and compares all memory of the rank, padding included, with the oracle's.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/boxes.hpp"
#include "support/modes.hpp"
#include "support/mpi_test.hpp"
#include "support/rig.hpp"
#include "support/skew.hpp"

namespace halocline::test {

class BoxesRig {
 public:
  BoxesRig(BoxCase boxes, const ModeChoice &mode, Memory memory = Memory::shared, int parts = 1)
      : case_(std::move(boxes)), own_(memory_of(case_, rank())) {
    const bool own = memory == Memory::own || (memory == Memory::differs_by_rank && rank() % 2 == 1);
    const bool allocated = static_cast<bool>(ok(hlc_field_alloc(context(), own ? 0 : own_.size(), &shared_)));
    EXPECT_TRUE(allocated);
    data_ = own ? own_.data() : static_cast<std::byte *>(shared_);
    if (!everyone(allocated)) return;
    BoxSpec made(case_, rank(), data_);
    made.spec.parts = std::max(made.spec.parts, parts);
    made.spec.mode = mode.mode;
    made.spec.epoch = mode.epoch;
    made.spec.drive = mode.drive;
    const testing::AssertionResult planned = ok(hlc_blocks_init(context(), &made.spec, &blocks_));
    EXPECT_TRUE(planned) << case_.name;
    ready_ = everyone(static_cast<bool>(planned));
  }
  ~BoxesRig() {
    EXPECT_TRUE(!blocks_ || ok(hlc_blocks_finalise(&blocks_)));
    EXPECT_TRUE(!shared_ || ok(hlc_field_free(context(), &shared_)));
  }
  BoxesRig(const BoxesRig &) = delete;
  BoxesRig &operator=(const BoxesRig &) = delete;

  bool ready() const { return ready_; }
  hlc_blocks *blocks() const { return blocks_; }
  const BoxCase &shape() const { return case_; }

  void fill(int step, bool reverse = false) {
    const Arena image = boxes_before(case_, rank(), step, reverse);
    std::memcpy(data_, image.data(), image.size());
  }
  /// Writes the boxes of one part; the others' are left as they are.
  void fill_part(int part, int step) {
    const Arena image = boxes_before(case_, rank(), step, false);
    for (const BoxArray &array : arrays_of(case_, rank()))
      if (case_.boxes[array.box].part == part)
        std::memcpy(data_ + array.offset, image.data() + array.offset, static_cast<std::size_t>(array.bytes));
  }
  /// The same for looking: "" if the boxes of the part are as a swap leaves them.
  std::string difference_of_part(int part, int step) const {
    const Arena expected = boxes_after(case_, rank(), step, false, {});
    Arena found = expected;
    for (const BoxArray &array : arrays_of(case_, rank()))
      if (case_.boxes[array.box].part == part)
        std::memcpy(found.data() + array.offset, data_ + array.offset, static_cast<std::size_t>(array.bytes));
    return boxes_difference(case_, rank(), expected, found);
  }
  void expect(int step, const std::vector<int> &fields = {}, bool reverse = false, std::int64_t depth = 0) {
    const Arena expected = boxes_after(case_, rank(), step, reverse, fields, depth), found(data_, data_ + expected.size());
    EXPECT_EQ(boxes_difference(case_, rank(), expected, found), "") << "step " << step << (reverse ? ", reverse" : "");
  }
  void swap_once(int step, const std::vector<int> &fields = {}, bool reverse = false, std::int64_t depth = 0) {
    fill(step, reverse);
    const hlc_swap what{static_cast<int>(fields.size()), fields.data(), 0, 0, HLC_SIDE_BOTH, reverse, depth};
    EXPECT_TRUE(ok(hlc_blocks_start(blocks_, &what)));
    EXPECT_TRUE(ok(hlc_blocks_finish(blocks_)));
    expect(step, fields, reverse, depth);
  }
  void swap_skewed(int step, Skew &skew) {
    fill(step);
    skew.delay();
    EXPECT_TRUE(ok(hlc_blocks_start(blocks_, nullptr)));
    skew.delay();
    const hlc_status tested = hlc_blocks_test(blocks_);
    EXPECT_TRUE(tested == HLC_AGAIN || ok(tested));
    EXPECT_TRUE(ok(hlc_blocks_finish(blocks_)));
    expect(step);
  }

 private:
  BoxCase case_;
  Arena own_;
  void *shared_ = nullptr;
  std::byte *data_ = nullptr;
  hlc_blocks *blocks_ = nullptr;
  bool ready_ = false;
};

}  // namespace halocline::test
