// The library's own protocol code with threads as ranks under ThreadSanitizer, in every mode and under random skew. There are whole,
// partial and reverse swaps, fields in cells and on nodes, several halos at the same time, and edges that carry data in one direction only. Each value is checked, and
// every access that the protocol does not order is reported as a race.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "support/links.hpp"
#include "support/modes.hpp"
#include "support/rig.hpp"
#include "support/skew.hpp"
#include "threads/ranks.hpp"

namespace halocline::test {
namespace {

class Threads : public testing::TestWithParam<std::tuple<ModeChoice, int>> {
 protected:
  const ModeChoice &mode() const { return std::get<0>(GetParam()); }
  int ranks() const { return std::get<1>(GetParam()); }
};

/// Fewer steps for more ranks: they share the same cores.
int steps(int most) { return most / size(); }

TEST_P(Threads, swap_halos_without_a_race_under_random_skew) {
  as_ranks(ranks(), [&] {
    Random random(mixed(seed()));
    Rig rig(plain_case("skew", decompose(size(), 2, {2, 4}, 0b11, random), 1, 2), mode());
    if (!rig.ready()) return;
    Skew skew(1);
    for (int step = 1; step <= steps(100); ++step) {
      rig.fill(step);
      skew.delay();
      EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), nullptr)));
      skew.delay();
      EXPECT_TRUE(ok(hlc_halo_finish(rig.halo())));
      rig.expect(step);
    }
  });
}

TEST_P(Threads, swap_parts_and_in_reverse_without_a_race) {
  as_ranks(ranks(), [&] {
    Random random(mixed(seed() ^ 2));
    Rig rig(plain_case("parts", decompose(size(), 2, {2, 3}, 0b01, random), 1, 2), mode());
    if (!rig.ready()) return;
    Skew skew(2);
    const int one_field[] = {1};
    for (int step = 1; step <= steps(80); ++step) {
      hlc_swap what{};
      what.one_dim = static_cast<int>(between(random, 0, 1));
      what.dim = what.one_dim ? static_cast<int>(between(random, 0, 1)) : 0;
      what.side = what.one_dim ? static_cast<hlc_side>(between(random, 0, 2)) : HLC_SIDE_BOTH;
      if (between(random, 0, 1)) what.nfields = 1, what.fields = one_field;
      what.reverse = static_cast<int>(between(random, 0, 1));
      rig.fill(step, what);
      skew.delay();
      EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), &what)));
      skew.delay();
      EXPECT_TRUE(ok(hlc_halo_finish(rig.halo())));
      rig.expect(step, what);
    }
  });
}

/// Cells, owned and shared nodes in one plan. Swaps are copied, in reverse, or shown as views, at any depth: which values of a neighbour are read
/// differs from swap to swap.
TEST_P(Threads, swap_cells_and_nodes_at_any_depth_without_a_race) {
  as_ranks(ranks(), [&] {
    Random random(mixed(seed() ^ 13));
    Case halo = plain_case("C grid", decompose(size(), 2, {3, 4}, 0b01, random), 2, 3);
    halo.shapes.resize(3);
    halo.shapes[1].stagger[0] = HLC_NODES_OWNED;
    halo.shapes[2].stagger[0] = halo.shapes[2].stagger[1] = HLC_NODES_SHARED;
    Rig rig(halo, mode());
    if (!rig.ready()) return;
    Skew skew(13);
    for (int step = 1; step <= steps(80); ++step) {
      hlc_swap what{};
      what.depth = between(random, 0, 2);
      what.one_dim = static_cast<int>(between(random, 0, 1));
      what.side = what.one_dim ? static_cast<hlc_side>(between(random, 0, 2)) : HLC_SIDE_BOTH;
      what.reverse = static_cast<int>(between(random, 0, 1));
      const bool views = !what.reverse && between(random, 0, 1);
      rig.fill(step, what);
      skew.delay();
      EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), &what)));
      skew.delay();
      EXPECT_TRUE(ok(views ? hlc_halo_finish_views(rig.halo()) : hlc_halo_finish(rig.halo())));
      skew.delay();
      if (!views) {
        rig.expect(step, what);
        continue;
      }
      Image expected = before(rig.shape(), rank(), step);
      deliver(rig.shape(), rank(), step, what, expected);
      EXPECT_TRUE(rig.seen(what) == expected) << "step " << step;
      EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
    }
  });
}

TEST_P(Threads, bring_two_arrays_in_turn_without_a_race) {
  as_ranks(ranks(), [&] {
    Random random(mixed(seed() ^ 12));
    Rig rig(plain_case("two arrays", decompose(size(), 2, {2, 4}, 0b11, random), 1, 2), mode(), Memory::shared, 2);
    if (!rig.ready()) return;
    Skew skew(12);
    for (int step = 1; step <= steps(100); ++step) {
      rig.choose(step % 2);
      rig.fill(step);
      skew.delay();
      EXPECT_TRUE(ok(rig.start()));
      skew.delay();
      EXPECT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
      skew.delay();
      Image expected = before(rig.shape(), rank(), step);
      deliver(rig.shape(), rank(), step, everything, expected);
      EXPECT_TRUE(rig.seen(everything) == expected) << "step " << step;
    }
    EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
  });
}

TEST_P(Threads, keep_two_halos_in_flight_without_a_race) {
  as_ranks(ranks(), [&] {
    Random random(mixed(seed() ^ 3));
    Rig first(plain_case("first", decompose(size(), 2, {2, 3}, 0b11, random), 1), mode());
    Rig second(plain_case("second", decompose(size(), 1, {2, 5}, 0b1, random), 2), mode());
    if (!first.ready() || !second.ready()) return;
    Skew skew(3);
    for (int step = 1; step <= steps(40); ++step) {
      first.fill(step);
      second.fill(1000 + step);
      EXPECT_TRUE(ok(hlc_halo_start(first.halo(), nullptr)));
      skew.delay();
      EXPECT_TRUE(ok(hlc_halo_start(second.halo(), nullptr)));
      EXPECT_TRUE(ok(hlc_halo_finish(first.halo())));
      skew.delay();
      EXPECT_TRUE(ok(hlc_halo_finish(second.halo())));
      first.expect(step);
      second.expect(1000 + step);
    }
  });
}

/// An exchange with edges from each rank to the next ones, in one direction only: nothing but the protocol keeps a sender from running
/// ahead.
class OneWay {
 public:
  OneWay(const ModeChoice &mode, std::int64_t bytes) {
    for (int a = 0; a < size(); ++a)
      for (int b = a + 1; b < size(); ++b) links_.push_back({a, b, 0, bytes, 0});
    entries_ = entries_of(rank(), links_);
    std::vector<hlc_neighbour> neighbours;
    for (const Entry &entry : entries_) neighbours.push_back(entry.neighbour);
    hlc_exchange_spec spec{};
    spec.nneighbours = static_cast<int>(neighbours.size());
    spec.neighbours = neighbours.data();
    spec.pack = [](int n, void *buffer, void *user) { static_cast<OneWay *>(user)->pack(static_cast<std::size_t>(n), buffer); };
    spec.unpack = [](int n, const void *buffer, void *user) { static_cast<OneWay *>(user)->unpack(static_cast<std::size_t>(n), buffer); };
    spec.user = this;
    spec.mode = mode.mode;
    spec.epoch = mode.epoch;
    spec.drive = mode.drive;
    EXPECT_TRUE(ok(hlc_exchange_create(context(), &spec, &exchange_)));
  }
  ~OneWay() { EXPECT_TRUE(ok(hlc_exchange_destroy(&exchange_))); }

  void round(int step, Skew &skew) {
    step_ = step;
    EXPECT_TRUE(ok(hlc_exchange_start(exchange_)));
    skew.delay();
    EXPECT_TRUE(ok(hlc_exchange_finish(exchange_)));
  }

 private:
  void pack(std::size_t n, void *buffer) {
    auto *bytes = static_cast<std::byte *>(buffer);
    for (std::int64_t b = 0; b < entries_[n].neighbour.bytes_out; ++b) bytes[b] = link_byte(rank(), entries_[n].link, b, step_);
  }
  void unpack(std::size_t n, const void *buffer) {
    const auto *bytes = static_cast<const std::byte *>(buffer);
    std::int64_t wrong = 0;
    for (std::int64_t b = 0; b < entries_[n].neighbour.bytes_in; ++b)
      wrong += bytes[b] != link_byte(entries_[n].neighbour.rank, entries_[n].link, b, step_);
    EXPECT_EQ(wrong, 0) << "bytes from rank " << entries_[n].neighbour.rank << " to rank " << rank() << " in step " << step_;
  }

  std::vector<Link> links_;
  std::vector<Entry> entries_;
  hlc_exchange *exchange_ = nullptr;
  int step_ = 0;
};

TEST_P(Threads, exchange_one_way_without_a_race_though_senders_run_ahead) {
  as_ranks(ranks(), [&] {
    OneWay exchange(mode(), 200);
    Skew skew(4);
    for (int step = 1; step <= steps(150); ++step) exchange.round(step, skew);
  });
}

TEST_P(Threads, show_cells_that_are_overwritten_when_all_have_given_them_back) {
  as_ranks(ranks(), [&] {
    Random random(mixed(seed() ^ 5));
    Rig rig(plain_case("views", decompose(size(), 2, {2, 3}, 0b01, random), 1), mode());
    if (!rig.ready()) return;
    Skew skew(5);
    for (int step = 1; step <= steps(80); ++step) {
      hlc_swap what{};
      what.one_dim = static_cast<int>(between(random, 0, 1));
      what.side = what.one_dim ? static_cast<hlc_side>(between(random, 0, 2)) : HLC_SIDE_BOTH;
      rig.fill(step);
      EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), &what)));
      EXPECT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
      skew.delay();
      Image expected = before(rig.shape(), rank(), step);
      deliver(rig.shape(), rank(), step, what, expected);
      EXPECT_EQ(rig.seen(what), expected) << "step " << step;
      EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
    }
  });
}

/// A rank that shows its field but reads none learns only from the counters that its earlier field is no longer read.
TEST_P(Threads, show_two_fields_in_turn_to_one_side) {
  as_ranks(ranks(), [&] {
    Random random(mixed(seed() ^ 6));
    Rig rig(plain_case("turns", decompose(size(), 1, {2, 4}, 0, random), 1, 2), mode());
    if (!rig.ready()) return;
    Skew skew(6);
    Image memory = rig.read();
    for (int step = 1; step <= steps(120); ++step) {
      const int field = step % 2;
      const auto arena = static_cast<std::size_t>(field);
      hlc_swap what{};
      what.nfields = 1;
      what.fields = &field;
      what.one_dim = 1;
      what.side = HLC_SIDE_LOW;
      Image expected = before(rig.shape(), rank(), step);
      memory[arena] = expected[arena];
      rig.write_arena(arena, memory[arena]);
      EXPECT_TRUE(ok(hlc_halo_start(rig.halo(), &what)));
      EXPECT_TRUE(ok(hlc_halo_finish_views(rig.halo())));
      if (rank() == size() - 1) skew.delay();
      deliver(rig.shape(), rank(), step, what, expected);
      EXPECT_EQ(rig.seen(what, memory)[arena], expected[arena]) << "step " << step;
    }
    EXPECT_TRUE(ok(hlc_halo_release(rig.halo())));
  });
}

/// Two and three ranks in every mode; more threads than cores where the library itself waits, not MPI.
std::vector<std::tuple<ModeChoice, int>> modes_and_ranks() {
  std::vector<std::tuple<ModeChoice, int>> all;
  for (const ModeChoice &mode : all_modes)
    for (const int ranks : {2, 3, 5})
      if (ranks < 4 || mode.is_own()) all.emplace_back(mode, ranks);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Modes, Threads, testing::ValuesIn(modes_and_ranks()), [](const auto &info) {
  return std::string(std::get<0>(info.param).name) + "_n" + std::to_string(std::get<1>(info.param));
});

}  // namespace
}  // namespace halocline::test
