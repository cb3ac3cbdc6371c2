// The soak: very many swaps in all modes, of parts and of everything, one or two at a time. Ranks are delayed at random, and halos are made
// anew now and then. Every cell is checked after every swap, and what the process holds must not grow. HALOCLINE_SOAK_SWAPS says how many.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "soak/block.hpp"
#include "soak/footprint.hpp"
#include "support/cases.hpp"

namespace halocline::test {
namespace {

int swaps_asked_for() {
  const char *text = std::getenv("HALOCLINE_SOAK_SWAPS");
  return text ? std::atoi(text) : 4000;
}

/// What one swap fills, drawn from a stream that is the same on all ranks.
struct Part {
  int fields[Block::nfields] = {};
  hlc_swap what{};

  explicit Part(Random &random) {
    if (between(random, 0, 1) == 0) return;
    for (int f = 0; f < Block::nfields; ++f)
      if (between(random, 0, 1)) fields[what.nfields++] = f;
    if (what.nfields > 0) what.fields = fields;
    if (between(random, 0, 1) == 0) return;
    what.one_dim = 1;
    what.dim = static_cast<int>(between(random, 0, 1));
    what.side = static_cast<hlc_side>(between(random, 0, 2));
  }
  Part(const Part &) = delete;
  Part &operator=(const Part &) = delete;
};

class Soak : public testing::Test {
 protected:
  Soak() : common_(mixed(seed())), own_(mixed(seed() + 1 + static_cast<std::uint64_t>(rank()))) {
    hlc_context_info_t info{};
    EXPECT_TRUE(ok(hlc_context_info(context(), &info)));
    crowded_ = info.cores < info.node_size;
    for (const ModeChoice &mode : modes_here()) blocks_.push_back(std::make_unique<Block>(mode));
  }

  /// A block to be swapped next. Modes that block inside MPI yield their core only when their time slice is over. Where ranks outnumber
  /// cores they take a hundred times longer than the others, and are chosen seldom.
  Block &draw() {
    while (true) {
      Block &block = *blocks_[static_cast<std::size_t>(between(common_, 0, std::ssize(blocks_) - 1))];
      if (!crowded_ || block.mode().unpacks_by_arrival() || between(common_, 0, 19) == 0) return block;
    }
  }

  /// Mostly no delay, now and then a short one, rarely some milliseconds; this rank's own.
  void delay() {
    const std::int64_t dice = between(own_, 0, 1999);
    if (dice < 40) std::this_thread::sleep_for(std::chrono::microseconds(dice < 39 ? between(own_, 1, 100) : between(own_, 500, 5000)));
  }

  void begin(Block &block, const Part &part) {
    block.fill(step_);
    delay();
    ASSERT_TRUE(ok(block.start(part.what))) << block.mode().name << ", step " << step_;
  }

  void end(Block &block, const Part &part) {
    delay();
    if (between(own_, 0, 7) == 0) {
      ASSERT_LE(block.test(), HLC_AGAIN) << hlc_error_message();
    }
    ASSERT_TRUE(ok(block.finish())) << block.mode().name << ", step " << step_;
    const int wrong = block.wrong_cells(step_, part.what);
    ASSERT_EQ(wrong, 0) << "cells are wrong in mode " << block.mode().name << ", step " << step_;
  }

  /// One swap, or two of different halos at the same time. Returns how many.
  int swap() {
    ++step_;
    Block &first = draw(), &second = draw();
    const Part one(common_), other(common_);
    const bool both = &first != &second && between(common_, 0, 3) == 0;
    begin(first, one);
    if (both) begin(second, other);
    if (!HasFatalFailure()) end(first, one);
    if (both && !HasFatalFailure()) end(second, other);
    return both ? 2 : 1;
  }

  void renew_one() {
    Block &block = *blocks_[static_cast<std::size_t>(between(common_, 0, std::ssize(blocks_) - 1))];
    block.destroy();
    block.create();
  }

  Random common_, own_;
  bool crowded_ = false;
  std::vector<std::unique_ptr<Block>> blocks_;
  int step_ = 0;
};

/// Sanitizers keep freed memory for a while, and MPI libraries grow their pools. The bound is far above that noise and far below one leak
/// per swap.
constexpr long most_growth_kib = 16 * 1024;

void expect_no_growth(const Footprint &first, const Footprint &last) {
  EXPECT_LE(last.files, first.files + 2) << "open files";
  EXPECT_GT(first.shared_kib, 0) << "the library's shared memory was not found in /proc/self/maps";
  EXPECT_LE(last.shared_kib, first.shared_kib) << "KiB of shared memory";
  EXPECT_EQ(last.named, 0) << "names in /dev/shm";
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LE(last.resident_kib, first.resident_kib + most_growth_kib) << "KiB of resident memory";
#endif
}

TEST_F(Soak, delivers_every_value_and_holds_no_more_at_the_end) {
  const int asked_for = swaps_asked_for(), lap = std::max(1, asked_for / 20);
  for (auto &block : blocks_) block->create();
  REQUIRE_EVERYWHERE(!HasFatalFailure());
  Footprint first;
  int swaps = 0, since_renewal = 0;
  for (int laps = 0; swaps < asked_for; ++laps) {
    while (swaps < (laps + 1) * lap && !HasFatalFailure()) {
      const int made = swap();
      swaps += made;
      if ((since_renewal += made) < 200) continue;
      since_renewal = 0;
      renew_one();
    }
    if (!everyone(!HasFatalFailure())) return;  // swaps that have begun cannot be finished then
    const Footprint held = footprint(getpid());
    if (laps == 3) first = held;
    if (rank() == 0)
      std::printf("%d of %d swaps, resident %ld KiB, shared %ld KiB, %ld files\n", swaps, asked_for, held.resident_kib, held.shared_kib,
                  held.files);
    std::fflush(stdout);
  }
  expect_no_growth(first, footprint(getpid()));
  for (auto &block : blocks_) block->destroy();
}

}  // namespace
}  // namespace halocline::test
