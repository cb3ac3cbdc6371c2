// The exchange with any list of neighbours, in every mode: the right bytes, one receive buffer handed to unpack, order of arrival.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <set>

#include "support/links.hpp"
#include "support/modes.hpp"
#include "support/skew.hpp"

namespace halocline::test {
namespace {

/// Runs one exchange of the library and checks what its callbacks receive.
class Partner {
 public:
  Partner(const std::vector<Link> &links, const ModeChoice &mode) : entries_(entries_of(rank(), links)) {
    std::vector<hlc_neighbour> neighbours;
    for (const Entry &entry : entries_) neighbours.push_back(entry.neighbour);
    hlc_exchange_spec spec{};
    spec.nneighbours = static_cast<int>(neighbours.size());
    spec.neighbours = neighbours.data();
    spec.pack = [](int neighbour, void *buffer, void *user) { static_cast<Partner *>(user)->pack(neighbour, buffer); };
    spec.unpack = [](int neighbour, const void *buffer, void *user) { static_cast<Partner *>(user)->unpack(neighbour, buffer); };
    spec.user = this;
    spec.mode = mode.mode;
    spec.epoch = mode.epoch;
    spec.drive = mode.drive;
    const testing::AssertionResult created = ok(hlc_exchange_create(context(), &spec, &exchange_));
    EXPECT_TRUE(created);
    ready_ = everyone(static_cast<bool>(created));
    pointers_.resize(entries_.size());
    tries_ = mode.mode == HLC_MODE_AUTO;
  }

  ~Partner() {
    if (!exchange_) return;
    EXPECT_TRUE(ok(hlc_exchange_destroy(&exchange_)));
    EXPECT_EQ(exchange_, nullptr);
  }

  bool ready() const { return ready_; }
  hlc_exchange *exchange() const { return exchange_; }
  const std::vector<Entry> &entries() const { return entries_; }
  const std::vector<int> &arrivals() const { return arrivals_; }
  std::function<void(int)> after_unpack;  ///< called with the number of entries unpacked in this step

  void start(int step) {
    step_ = step;
    arrivals_.clear();
    first_ = last_ = nullptr;
    EXPECT_TRUE(ok(hlc_exchange_start(exchange_)));
  }

  void finish() {
    EXPECT_TRUE(arrivals_.empty()) << "nothing is unpacked before finish";
    EXPECT_TRUE(ok(hlc_exchange_finish(exchange_)));
    std::multiset<int> expected;
    for (int i = 0; i < static_cast<int>(entries_.size()); ++i)
      if (entries_[static_cast<std::size_t>(i)].neighbour.bytes_in > 0) expected.insert(i);
    EXPECT_EQ(expected, std::multiset<int>(arrivals_.begin(), arrivals_.end())) << "unpack is called once for every neighbour with bytes";
  }

  /// In one step all data that unpack receives from other ranks are in one buffer. The pointers are the same in every step or every second
  /// one. A plan with two routes, by shared memory and to other nodes, has a buffer for each. Mode notify_node has one per other node, for
  /// all ranks. Mode auto has the buffers of up to three modes.
  void expect_one_buffer() const {
    const std::size_t plans = tries_ ? 3 : 1;
    for (const auto &pointers : pointers_) EXPECT_LE(pointers.size(), 2 * plans) << "unpack gets pointers into the receive buffer itself";
    if (tries_) return;
    hlc_plan_info info{};
    EXPECT_TRUE(ok(hlc_exchange_info(exchange_, &info)));
    if (info.via_notify > 0 && info.via_network + info.via_mpi > 0) return;
    if (info.mode == HLC_MODE_NOTIFY_NODE && info.via_network > 0) return;
    std::int64_t room = 0;
    for (const Entry &entry : entries_) room += 256 + entry.neighbour.bytes_in;
    EXPECT_LE(widest_span_, room) << "all neighbours share one receive buffer";
  }

 private:
  void pack(int neighbour, void *buffer) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer) % 64, 0u);
    const Entry &entry = entries_[static_cast<std::size_t>(neighbour)];
    auto *bytes = static_cast<std::byte *>(buffer);
    for (std::int64_t b = 0; b < entry.neighbour.bytes_out; ++b) bytes[b] = link_byte(rank(), entry.link, b, step_);
  }

  void unpack(int neighbour, const void *buffer) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer) % 64, 0u);
    const Entry &entry = entries_[static_cast<std::size_t>(neighbour)];
    const auto *bytes = static_cast<const std::byte *>(buffer);
    pointers_[static_cast<std::size_t>(neighbour)].insert(bytes);
    arrivals_.push_back(neighbour);
    if (entry.neighbour.rank != rank()) {
      first_ = first_ ? std::min(first_, bytes) : bytes;
      last_ = std::max(last_, bytes + entry.neighbour.bytes_in);
      widest_span_ = std::max(widest_span_, last_ - first_);
    }
    for (std::int64_t b = 0; b < entry.neighbour.bytes_in; ++b) {
      if (bytes[b] == link_byte(entry.neighbour.rank, entry.link, b, step_)) continue;
      ADD_FAILURE() << "byte " << b << " of " << entry.neighbour.bytes_in << " from rank " << entry.neighbour.rank << ", tag "
                    << entry.neighbour.tag_out << ", link " << entry.link << ", step " << step_ << " is wrong";
      break;
    }
    if (after_unpack) after_unpack(static_cast<int>(arrivals_.size()));
  }

  std::vector<Entry> entries_;
  std::vector<std::set<const std::byte *>> pointers_;
  std::vector<int> arrivals_;
  const std::byte *first_ = nullptr, *last_ = nullptr;  // of the running step
  std::ptrdiff_t widest_span_ = 0;
  bool tries_ = false;  ///< mode auto
  hlc_exchange *exchange_ = nullptr;
  bool ready_ = false;
  int step_ = 0;
};

/// Links between every rank and every other one, and itself.
std::vector<Link> complete_graph(int ranks, std::int64_t bytes) {
  std::vector<Link> links;
  for (int a = 0; a < ranks; ++a)
    for (int b = a; b < ranks; ++b) links.push_back({a, b, 0, bytes + a, bytes + (a == b ? a : b)});
  return links;
}

class Exchange : public testing::TestWithParam<ModeChoice> {};

TEST_P(Exchange, random_lists_deliver_every_byte_under_random_skew) {
  Random random(mixed(seed() ^ 99));
  Skew skew(99);
  for (int trial = 0; trial < (size() > 4 ? 2 : 5); ++trial) {
    Partner partner(random_links(size(), 3 * size() + static_cast<int>(between(random, 0, 5)), random), GetParam());
    if (!partner.ready()) return;
    for (int step = 1; step <= 12; ++step) {
      skew.delay();
      partner.start(step);
      skew.delay();
      partner.finish();
    }
    partner.expect_one_buffer();
  }
}

TEST_P(Exchange, a_rank_may_appear_several_times) {
  std::vector<Link> links;
  for (int i = 0; i < 4; ++i) links.push_back({0, size() - 1, i, 100 + i, size() == 1 ? 100 + i : 200 + i});
  Partner partner(links, GetParam());
  if (!partner.ready()) return;
  for (int step = 1; step <= 4; ++step) partner.start(step), partner.finish();
}

/// One entry per side of a ring. On two ranks both sides are one rank, on one rank the caller. What is sent below is received from above.
TEST_P(Exchange, sides_of_a_ring_are_joined_by_their_tags) {
  struct Ring {
    int below = (rank() + size() - 1) % size(), above = (rank() + 1) % size(), step = 0, came = 0;
    /// What a rank sends to a side: 0 is below.
    static std::int64_t value(int sender, int side, int step) { return 1000 * step + 10 * sender + side + 1; }
  } ring;
  const hlc_neighbour sides[] = {{ring.below, 0, 1, 8, 8}, {ring.above, 1, 0, 8, 8}};
  hlc_exchange_spec spec{};
  spec.nneighbours = 2;
  spec.neighbours = sides;
  spec.user = &ring;
  spec.pack = [](int side, void *buffer, void *user) {
    const std::int64_t value = Ring::value(rank(), side, static_cast<Ring *>(user)->step);
    std::memcpy(buffer, &value, sizeof value);
  };
  spec.unpack = [](int side, const void *buffer, void *user) {
    auto &mine = *static_cast<Ring *>(user);
    std::int64_t value = 0;
    std::memcpy(&value, buffer, sizeof value);
    EXPECT_EQ(value, Ring::value(side == 0 ? mine.below : mine.above, 1 - side, mine.step)) << "side " << side;
    mine.came += 1;
  };
  spec.mode = GetParam().mode;
  spec.epoch = GetParam().epoch;
  spec.drive = GetParam().drive;
  hlc_exchange *exchange = nullptr;
  REQUIRE_EVERYWHERE(hlc_exchange_create(context(), &spec, &exchange) == HLC_OK);
  for (ring.step = 1; ring.step <= 4; ++ring.step) {
    EXPECT_TRUE(ok(hlc_exchange_start(exchange)));
    EXPECT_TRUE(ok(hlc_exchange_finish(exchange)));
  }
  EXPECT_EQ(ring.came, 8);
  EXPECT_TRUE(ok(hlc_exchange_destroy(&exchange)));
}

TEST_P(Exchange, nothing_to_exchange_is_fine) {
  for (const std::vector<Link> &links : {std::vector<Link>{}, complete_graph(size(), 0)}) {
    std::vector<Link> empty = links;
    for (Link &link : empty) link.bytes_ab = link.bytes_ba = 0;
    Partner partner(empty, GetParam());
    if (!partner.ready()) return;
    for (int step = 1; step <= 3; ++step) partner.start(step), partner.finish();
  }
}

TEST_P(Exchange, one_sided_bytes_arrive) {
  std::vector<Link> links;
  for (int a = 0; a + 1 < size(); ++a) links.push_back({a, a + 1, 0, 777, 0});
  Partner partner(links, GetParam());
  if (!partner.ready()) return;
  for (int step = 1; step <= 10; ++step) partner.start(step), partner.finish();
}

TEST_P(Exchange, two_exchanges_in_flight_do_not_mix) {
  Partner first(complete_graph(size(), 50), GetParam()), second(complete_graph(size(), 300), GetParam());
  if (!first.ready() || !second.ready()) return;
  for (int step = 1; step <= 10; ++step) {
    first.start(step);
    second.start(100 + step);
    second.finish();
    first.finish();
  }
}

TEST_P(Exchange, what_arrives_first_is_unpacked_first) {
  if (!GetParam().unpacks_by_arrival()) GTEST_SKIP() << "mode " << GetParam().name << " completes for all neighbours at once";
  if (std::getenv("HALOCLINE_CHECK")) GTEST_SKIP() << "check mode waits for all neighbours before it unpacks anything";
  if (size() < 3) GTEST_SKIP() << "needs 3 ranks: one that is late, and two that do not wait for it";
  const int late = 1;
  Partner partner(complete_graph(size(), 64), GetParam());
  if (!partner.ready()) return;
  for (int step = 1; step <= 3; ++step) {
    // The late rank starts only when every other rank has unpacked all but what the late rank sends.
    partner.after_unpack = [&](int unpacked) {
      if (rank() != late && unpacked == size() - 1) MPI_Send(nullptr, 0, MPI_BYTE, late, step, MPI_COMM_WORLD);
    };
    for (int r = 0; rank() == late && r < size(); ++r)
      if (r != late) MPI_Recv(nullptr, 0, MPI_BYTE, r, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    partner.start(step);
    partner.finish();
    if (rank() == late || partner.arrivals().empty()) continue;
    const Entry &last = partner.entries()[static_cast<std::size_t>(partner.arrivals().back())];
    EXPECT_EQ(last.neighbour.rank, late);
  }
}

/// Before it sends what the others wait for, the last rank makes an MPI call that, in some MPIs, needs progress of the others.
TEST_P(Exchange, a_rank_may_be_inside_MPI_while_others_wait_for_it) {
  if (size() == 1) GTEST_SKIP() << "one rank waits for no other";
  MPI_Win window = MPI_WIN_NULL;
  void *memory = nullptr;
  MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  {
    const int last = size() - 1;
    Partner partner({{0, last, 0, 8, 8}}, GetParam());
    if (!partner.ready()) return;
    for (int step = 0; step < 3; ++step) {
      if (rank() == last) {
        MPI_Win_lock_all(0, window);
        MPI_Win_unlock_all(window);
      }
      partner.start(step);
      partner.finish();
    }
  }
  MPI_Win_free(&window);
}

TEST_P(Exchange, the_plan_names_its_routes) {
  Partner partner(complete_graph(size(), 64), GetParam());
  if (!partner.ready()) return;
  hlc_plan_info info{};
  hlc_context_info_t here{};
  EXPECT_TRUE(ok(hlc_exchange_info(partner.exchange(), &info)));
  EXPECT_TRUE(ok(hlc_context_info(context(), &here)));
  EXPECT_EQ(info.neighbours, size() - 1);
  EXPECT_EQ(info.self_copies, 1);
  EXPECT_EQ(info.via_direct, 0);
  const bool notified = GetParam().is_own();
  EXPECT_EQ(info.via_notify, notified ? here.node_size - 1 : 0);
  EXPECT_EQ(info.via_network + info.via_mpi, notified ? size() - here.node_size : size() - 1);
  EXPECT_TRUE(info.via_network == 0 || info.via_mpi == 0) << "all ranks of other nodes are reached in the same way";
}

/// How many writes to other nodes all ranks have begun.
std::int64_t writes_of_all(const Partner &partner) {
  hlc_plan_info info{};
  EXPECT_TRUE(ok(hlc_exchange_info(partner.exchange(), &info)));
  MPI_Allreduce(MPI_IN_PLACE, &info.network_writes, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return info.network_writes;
}

/// Links of which only those into the last rank carry data.
std::vector<Link> into_the_last_rank() {
  std::vector<Link> links = complete_graph(size(), 64);
  for (Link &link : links) {
    if (link.a == link.b) continue;
    if (link.b != size() - 1) link.bytes_ab = 0;
    if (link.a != size() - 1) link.bytes_ba = 0;
  }
  return links;
}

TEST_P(Exchange, a_node_gets_one_write_of_another_in_each_round) {
  if (GetParam().mode == HLC_MODE_AUTO) GTEST_SKIP() << "rounds have different modes";
  constexpr int rounds = 7;
  for (const bool all : {true, false}) {
    Partner partner(all ? complete_graph(size(), 64) : into_the_last_rank(), GetParam());
    if (!partner.ready()) return;
    hlc_plan_info info{};
    hlc_context_info_t here{};
    EXPECT_TRUE(ok(hlc_exchange_info(partner.exchange(), &info)));
    EXPECT_TRUE(ok(hlc_context_info(context(), &here)));
    EXPECT_EQ(writes_of_all(partner), 0);
    for (int step = 1; step <= rounds; ++step) {
      partner.start(step);
      partner.finish();
    }
    int over_network = info.via_network;
    MPI_Allreduce(MPI_IN_PLACE, &over_network, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const std::int64_t writes = writes_of_all(partner);
    if (over_network == 0) {
      EXPECT_EQ(writes, 0);
    } else if (GetParam().mode == HLC_MODE_NOTIFY_NODE) {
      EXPECT_EQ(writes, rounds * here.nodes * (here.nodes - 1)) << "whatever its ranks send";
    } else if (all) {
      EXPECT_EQ(writes, 2 * rounds * over_network) << "data, and that they have been unpacked";
    }
  }
}

FOR_ALL_MODES(Exchange);

}  // namespace
}  // namespace halocline::test
