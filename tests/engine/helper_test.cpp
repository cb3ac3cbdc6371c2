// The helper process of a node: it replies for ranks that do not call the library, and sleeps while there is nothing to do. It lives as
// long as a context with segments. When it is killed, an error names it. Run on 2 emulated nodes with HALOCLINE_PROGRESS=helper.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "engine/segments.hpp"
#include "support/variables.hpp"

namespace halocline::test {
namespace {

/// What /proc says of a helper after its name: state, parent, ... Empty for other processes.
std::vector<std::string> fields_of(const std::filesystem::path &process) {
  std::ifstream file(process / "stat");
  std::string text;
  std::getline(file, text);
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos || text.find("(halocline-helpe") == std::string::npos) return {};
  std::istringstream rest(text.substr(end + 1));
  return {std::istream_iterator<std::string>(rest), {}};
}

bool is_number(const std::string &text) { return text.find_first_not_of("0123456789") == std::string::npos; }

/// The helpers that this process has started and not yet waited for, dead ones among them.
std::vector<pid_t> my_helpers() {
  std::vector<pid_t> found;
  for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (!is_number(name)) continue;
    if (const auto fields = fields_of(entry.path()); fields.size() > 1 && fields[1] == std::to_string(getpid()))
      found.push_back(std::stoi(name));
  }
  return found;
}

double busy_s(pid_t process) {
  const auto fields = fields_of("/proc/" + std::to_string(process));
  return fields.size() > 12 ? (std::stod(fields[11]) + std::stod(fields[12])) / static_cast<double>(sysconf(_SC_CLK_TCK)) : 0;
}

/// The ranks below it are on the first node. Collective.
int first_of_second_node() {
  const auto nodes = nodes_of_ranks();
  int rank = 0;
  while (rank < size() - 1 && nodes[static_cast<std::size_t>(rank)] == 0) ++rank;
  return rank;
}

/// Whether this rank starts its node's helper. Collective, because first_of_second_node is.
bool starts_helpers() {
  const int second = first_of_second_node();
  return rank() == 0 || rank() == second;
}

void wait_for(int from) {
  int word = 0;
  MPI_Recv(&word, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
void tell(int to) {
  const int word = 1;
  MPI_Send(&word, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
}

/// Another context, to test when a helper starts and ends.
class OtherContext {
 public:
  OtherContext() { EXPECT_TRUE(ok(hlc_init(MPI_COMM_WORLD, &context_))); }
  OtherContext(const OtherContext &) = delete;
  OtherContext &operator=(const OtherContext &) = delete;
  ~OtherContext() { EXPECT_TRUE(ok(hlc_finalise(&context_))); }
  hlc_context *raw() const { return context_; }

 private:
  hlc_context *context_ = nullptr;
};

class OtherSegment {
 public:
  OtherSegment(const OtherContext &context, std::int64_t bytes, int notifications) {
    const hlc_segment_spec spec{bytes, notifications, 0};
    EXPECT_TRUE(ok(hlc_segment_create(context.raw(), &spec, &segment_)));
  }
  OtherSegment(const OtherSegment &) = delete;
  OtherSegment &operator=(const OtherSegment &) = delete;
  /// Frees it. Puts to other nodes must be complete there, or fail if a rank was lost.
  ~OtherSegment() {
    const hlc_status freed = hlc_segment_free(&segment_);
    EXPECT_TRUE(reaches_all_ ? ok(freed) : is_status(HLC_ERR_PEER_DIED, freed));
  }
  hlc_segment *raw() const { return segment_; }
  void lose_a_rank() { reaches_all_ = false; }

 private:
  hlc_segment *segment_ = nullptr;
  bool reaches_all_ = true;
};

/// All operations of one rank on another's part; the caller checks the results afterwards.
void do_everything(hlc_segment *segment, int target) {
  constexpr std::int64_t bytes = 3'000'000;
  const auto data = bytes_of(rank(), 1, bytes);
  std::vector<std::byte> back(data.size());
  std::int64_t old = -1;
  const std::int64_t numbers[] = {10, 20, 30};
  EXPECT_TRUE(ok(hlc_put({segment, target, 1024}, data.data(), bytes)));
  EXPECT_TRUE(ok(hlc_flush(segment, target)));
  EXPECT_TRUE(ok(hlc_get({segment, target, 1024}, back.data(), bytes)));
  EXPECT_TRUE(ok(hlc_flush_local(segment, target)));
  EXPECT_TRUE(back == data);
  EXPECT_TRUE(ok(hlc_atomic_fetch_add({segment, target, 0}, HLC_NUMBER_INT64, 5, &old)));
  EXPECT_EQ(old, 0);
  EXPECT_TRUE(ok(hlc_atomic_compare_swap({segment, target, 0}, HLC_NUMBER_INT64, 5, 7, &old)));
  EXPECT_EQ(old, 5);
  EXPECT_TRUE(ok(hlc_accumulate({segment, target, 8}, {HLC_OP_SUM, HLC_NUMBER_INT64}, numbers, 3)));
  EXPECT_TRUE(ok(hlc_put_notify({segment, target, 512}, data.data(), 100, {0, 41})));
  EXPECT_TRUE(ok(hlc_notify(segment, target, {1, 42})));
  EXPECT_TRUE(ok(hlc_flush(segment, target)));
}

TEST(Helper, answers_for_a_rank_that_does_not_call) {
  const int target = size() - 1;
  TestSegment segment(4'000'000, 2);
  segment.barrier();
  if (rank() == 0) do_everything(segment.raw(), target);
  if (rank() == 0) tell(target);
  if (rank() == target) {
    wait_for(0);
    const auto *numbers = reinterpret_cast<const std::int64_t *>(segment.data());
    EXPECT_EQ(numbers[0], 7);
    EXPECT_EQ(numbers[1] * 10000 + numbers[2] * 100 + numbers[3], 102030);
    EXPECT_EQ(segment.data()[512 + 99], byte_of(0, 1, 99));
    std::uint32_t value = 0;
    for (const int id : {0, 1}) {
      EXPECT_TRUE(ok(hlc_notify_reset(segment.raw(), id, &value)));
      EXPECT_EQ(value, 41U + static_cast<std::uint32_t>(id));
    }
  }
  segment.barrier();
}

TEST(Helper, starts_with_the_first_segment_and_ends_with_the_context) {
  const std::size_t before = my_helpers().size(), one = starts_helpers() ? 1 : 0;
  {
    const OtherContext other;
    EXPECT_EQ(my_helpers().size(), before) << "no segment has needed one";
    {
      const OtherSegment first(other, 100, 1), second(other, 100, 1);
      EXPECT_EQ(my_helpers().size(), before + one);
    }
    EXPECT_EQ(my_helpers().size(), before + one);
  }
  EXPECT_EQ(my_helpers().size(), before);
}

TEST(Helper, sleeps_while_nothing_comes) {
  TestSegment segment(8);
  segment.barrier();
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<double> before;
  for (const pid_t helper : my_helpers()) before.push_back(busy_s(helper));
  const bool one = starts_helpers();
  EXPECT_EQ(!before.empty(), one);
  const std::timespec time{0, 500'000'000};
  nanosleep(&time, nullptr);
  std::size_t i = 0;
  for (const pid_t helper : my_helpers()) EXPECT_LT(busy_s(helper) - before[i++], 0.1) << "seconds of work in half a second without any";
}

TEST(Helper, says_that_it_moves_segments) {
  TestSegment segment(8);
  const std::string network = hlc_context_network(context());
  EXPECT_NE(network.find("progress by a helper process of each node for segments"), std::string::npos) << network;
}

/// More than the network accepts at once: the rank that has begun the put waits in MPI for word from its target.
TEST(Helper, leaves_no_put_half_sent_by_a_rank_inside_mpi) {
  constexpr std::int64_t bytes = 64 << 20;
  const int target = size() - 1;
  TestSegment segment(rank() == target ? bytes : 8, 1);
  const auto data = bytes_of(rank(), 3, rank() == 0 ? bytes : 0);
  segment.barrier();
  if (rank() == 0) {
    EXPECT_TRUE(ok(hlc_put_notify({segment.raw(), target, 0}, data.data(), bytes, {0, 1})));
    wait_for(target);
  } else if (rank() == target) {
    int id = -1;
    EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {0, 1}, &id)));
    EXPECT_EQ(segment.data()[bytes - 1], byte_of(0, 3, bytes - 1));
    tell(0);
  }
  segment.barrier();
}

/// psm3 is there with Intel MPI only; it is refused by its name before it is looked for.
TEST(Helper, is_refused_beside_the_provider_psm3) {
  const Variables psm3{{"HALOCLINE_PROVIDER", "psm3"}};
  const OtherContext other;
  hlc_segment *segment = nullptr;
  const hlc_segment_spec spec{8, 0, 0};
  EXPECT_TRUE(is_status(HLC_ERR_UNSUPPORTED, hlc_segment_create(other.raw(), &spec, &segment)));
  const std::string said = hlc_error_message();
  EXPECT_NE(said.find("HALOCLINE_PROVIDER is 'psm3', which does not work with HALOCLINE_PROGRESS=helper"), std::string::npos) << said;
}

/// Sends my rank and the round to both neighbours of a ring, and checks what they have sent.
class Ring {
 public:
  Ring() {
    hlc_exchange_spec spec{};
    const hlc_neighbour neighbours[] = {{left_, 0, 1, sizeof(int), sizeof(int)}, {right_, 1, 0, sizeof(int), sizeof(int)}};
    spec.nneighbours = 2;
    spec.neighbours = neighbours;
    spec.pack = [](int, void *buffer, void *self) { *static_cast<int *>(buffer) = static_cast<const Ring *>(self)->number(rank()); };
    spec.unpack = [](int edge, const void *buffer, void *self) {
      const auto &ring = *static_cast<const Ring *>(self);
      EXPECT_EQ(*static_cast<const int *>(buffer), ring.number(edge == 0 ? ring.left_ : ring.right_));
    };
    spec.user = this;
    spec.mode = HLC_MODE_NOTIFY;
    EXPECT_TRUE(ok(hlc_exchange_create(context(), &spec, &exchange_)));
  }
  Ring(const Ring &) = delete;
  Ring &operator=(const Ring &) = delete;
  ~Ring() { EXPECT_TRUE(ok(hlc_exchange_destroy(&exchange_))); }
  void start() {
    round_ += 1;
    EXPECT_TRUE(ok(hlc_exchange_start(exchange_)));
  }
  void finish() { EXPECT_TRUE(ok(hlc_exchange_finish(exchange_))); }
  int via_network() const {
    hlc_plan_info info{};
    EXPECT_TRUE(ok(hlc_exchange_info(exchange_, &info)));
    return info.via_network;
  }

 private:
  int number(int from) const { return 1000 * round_ + from; }

  int left_ = (rank() + size() - 1) % size(), right_ = (rank() + 1) % size(), round_ = 0;
  hlc_exchange *exchange_ = nullptr;
};

TEST(Helper, leaves_swaps_between_nodes_as_they_are) {
  TestSegment segment(8);
  Ring ring;
  EXPECT_EQ(ring.via_network(), size() == 2 ? 2 : 1);
  std::int64_t old = 0;
  for (int round = 0; round < 100; ++round) {
    ring.start();
    EXPECT_TRUE(ok(hlc_atomic_fetch_add(segment.at((rank() + 1) % size(), 0), HLC_NUMBER_INT64, 1, &old)));
    EXPECT_EQ(old, round);
    ring.finish();
  }
  segment.barrier();
}

/// A put of so many bytes is acknowledged: one that fails is reported at once, and not when a reply does not arrive in time.
constexpr std::int64_t kLong = 100'000;

/// A segment's ranks after the helper of the second node was killed; rank 0 writes to the last rank, which waits for that.
void miss_the_helper(hlc_segment *segment, int target) {
  const auto data = bytes_of(rank(), 2, kLong);
  int id = -1;
  const auto said = [](const std::string &words) { return std::string(hlc_error_message()).find(words) != std::string::npos; };
  if (rank() == 0) {
    const hlc_status put = hlc_put({segment, target, 0}, data.data(), kLong);
    EXPECT_TRUE(is_status(HLC_ERR_PEER_DIED, put == HLC_OK ? hlc_flush(segment, target) : put));
    EXPECT_TRUE(said("cannot reach rank " + std::to_string(target) + " on host ")) << hlc_error_message();
  }
  if (rank() == target) {
    EXPECT_TRUE(is_status(HLC_ERR_PEER_DIED, hlc_notify_wait(segment, {0, 1}, &id)));
    EXPECT_TRUE(said("rank " + std::to_string(rank()) + ": the helper process of its node has ended")) << hlc_error_message();
  }
}

/// Kills a helper, and waits until the system has taken its memory away: until then a device may still write there.
void end(pid_t helper) {
  kill(helper, SIGKILL);
  const std::timespec moment{0, 1'000'000};
  for (auto fields = fields_of("/proc/" + std::to_string(helper)); !fields.empty() && fields[0] != "Z";
       fields = fields_of("/proc/" + std::to_string(helper)))
    nanosleep(&moment, nullptr);
}

TEST(Helper, that_is_killed_is_an_error_for_whoever_needs_it) {
  const int target = size() - 1, killer = first_of_second_node();
  {
    const OtherContext other;
    OtherSegment segment(other, kLong, 1);
    const auto data = bytes_of(rank(), 1, kLong);
    if (rank() == 0) {
      EXPECT_TRUE(ok(hlc_put({segment.raw(), target, 0}, data.data(), kLong)));
      EXPECT_TRUE(ok(hlc_flush(segment.raw(), target)));
      segment.lose_a_rank();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == killer) {
      const auto helpers = my_helpers();
      EXPECT_FALSE(helpers.empty());
      if (!helpers.empty()) end(*std::max_element(helpers.begin(), helpers.end()));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    miss_the_helper(segment.raw(), target);
    MPI_Barrier(MPI_COMM_WORLD);
    hlc_segment *more = nullptr;
    const hlc_segment_spec spec{8, 0, 0};
    EXPECT_TRUE(is_status(HLC_ERR_PEER_DIED, hlc_segment_create(other.raw(), &spec, &more)));
  }
  // The test's own context has a helper of its own.
  TestSegment segment(64, 1);
  int id = -1;
  if (rank() == 0) {
    EXPECT_TRUE(ok(hlc_notify(segment.raw(), target, {0, 1})));
  } else if (rank() == target) {
    EXPECT_TRUE(ok(hlc_notify_wait(segment.raw(), {0, 1}, &id)));
  }
}

}  // namespace
}  // namespace halocline::test
