// Plays random neighbourhood collectives, and compares what arrives with what the topology says, byte by byte, gaps included. It uses nothing
// but MPI. Arguments: --seed=N --topologies=N --calls=N --delay-us=N --way=blocking, nonblocking or persistent, and --shortest-period=3 for MPIs
// whose own collectives are wrong in periodic dimensions of one or two ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>

#include "mpi_collective/calls.hpp"
#include "mpi_collective/topologies.hpp"

namespace random_neighbor {
namespace {

using random_rma::Basic;
using random_rma::chance;
using random_rma::Layout;
using random_rma::pick;

constexpr char kMark = 0x5a;

struct Options {
  std::int64_t seed = 1, topologies = 12, calls = 12, delay_us = 0, shortest_period = 1;
  Way way = Way::blocking;
};

/// What is sent over an edge of a call: the layouts of both ends have as many elements of one type.
struct Message {
  Layout from, to;
};

/// A call, the same on all ranks: which function it is, and its messages, by the sender's rank and block.
struct Plan {
  Function function = Function::alltoall;
  std::vector<std::vector<Message>> messages;
};

Layout plain(Basic basic, int elements) {
  Layout layout;
  layout.basic = basic;
  layout.count = elements;
  for (int i = 0; i < elements; ++i) layout.offsets.push_back(static_cast<std::int64_t>(i) * random_rma::bytes_of(basic));
  layout.bytes = static_cast<std::int64_t>(elements) * random_rma::bytes_of(basic);
  return layout;
}

/// Mostly short, now and then empty, or longer than a slot.
int random_length(Random &random) {
  if (chance(random, 15)) return 0;
  return static_cast<int>(chance(random, 15) ? pick(random, 1000, 30000) : pick(random, 1, 200));
}

Layout random_side(Random &random, Function function, Basic basic, int elements) {
  return function == Function::alltoallw && elements > 0 ? random_rma::random_layout(random, basic, elements) : plain(basic, elements);
}

Plan random_plan(Random &random, const Topology &topology) {
  Plan plan;
  plan.function = static_cast<Function>(pick(random, 0, 2));
  plan.messages.resize(topology.out.size());
  const auto basic = [&] { return static_cast<Basic>(pick(random, 0, static_cast<int>(Basic::count_) - 1)); };
  const Basic one = basic();
  const int length = random_length(random);
  for (std::size_t rank = 0; rank < topology.out.size(); ++rank)
    for (std::size_t i = 0; i < topology.out[rank].size(); ++i) {
      const Basic type = plan.function == Function::alltoallw ? basic() : one;
      const int elements = plan.function == Function::alltoall ? length : random_length(random);
      plan.messages[rank].push_back(
          {random_side(random, plan.function, type, elements), random_side(random, plan.function, type, elements)});
    }
  return plan;
}

/// Differs with the sender, and with where it was there.
unsigned char byte_of(std::int64_t call, End from, std::size_t element, int byte) {
  std::uint64_t value = static_cast<std::uint64_t>(call) * 1000003 + static_cast<std::uint64_t>(from.rank) * 8191 +
                        static_cast<std::uint64_t>(from.block) * 131 + element * 17 + static_cast<std::uint64_t>(byte) + 1;
  value *= 0x9E3779B97F4A7C15;
  return static_cast<unsigned char>(value >> 56);
}

void write_elements(std::vector<char> &buffer, std::int64_t begin, const Layout &layout, std::int64_t call, End from) {
  const int bytes = random_rma::bytes_of(layout.basic);
  for (std::size_t element = 0; element < layout.offsets.size(); ++element)
    for (int byte = 0; byte < bytes; ++byte)
      buffer[static_cast<std::size_t>(begin + layout.offsets[element] + byte)] = static_cast<char>(byte_of(call, from, element, byte));
}

/// The buffers of a rank in a call, its arguments, and what has to be there afterwards.
class Played {
 public:
  Played(const Topology &topology, const Plan &plan, std::int64_t call, int rank) : topology_(topology), plan_(plan), rank_(rank) {
    const auto me = static_cast<std::size_t>(rank);
    for (std::size_t i = 0; i < topology.out[me].size(); ++i) add(arguments_.sent, sent_, plan.messages[me][i].from);
    for (const End &from : topology.in[me]) add(arguments_.received, received_, layout_of(from));
    arguments_.function = plan.function;
    sent_.reserve(1), received_.reserve(1);  // MPICH refuses a null pointer where there are no blocks
    renew(call);
  }

  /// New data, and marks where something will arrive.
  void renew(std::int64_t call) {
    call_ = call;
    const auto me = static_cast<std::size_t>(rank_);
    std::fill(sent_.begin(), sent_.end(), kMark);
    std::fill(received_.begin(), received_.end(), kMark);
    for (std::size_t i = 0; i < arguments_.sent.size(); ++i)
      write_elements(sent_, arguments_.sent[i].begin, plan_.messages[me][i].from, call, {rank_, static_cast<int>(i)});
    arguments_.sent_buffer = sent_.data();
    arguments_.received_buffer = received_.data();
  }

  const Arguments &arguments() const { return arguments_; }

  /// The number of bytes that are wrong; the first is printed.
  std::int64_t count_wrong() const {
    std::vector<char> expected(received_.size(), kMark);
    const auto &in = topology_.in[static_cast<std::size_t>(rank_)];
    for (std::size_t i = 0; i < in.size(); ++i)
      if (in[i].rank >= 0) write_elements(expected, arguments_.received[i].begin, layout_of(in[i]), call_, in[i]);
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (received_[i] != expected[i] && wrong++ == 0)
        std::printf("rank %d, call %lld, %s: byte %zu of %zu is %d and must be %d\n", rank_, static_cast<long long>(call_),
                    name_of(plan_.function), i, expected.size(), received_[i], expected[i]);
    return wrong;
  }

 private:
  Layout layout_of(const End &from) const {
    if (from.rank < 0) return plain(Basic::int8, 0);
    return plan_.messages[static_cast<std::size_t>(from.rank)][static_cast<std::size_t>(from.block)].to;
  }
  /// A row of blocks with some bytes between. Blocks of MPI_Neighbor_alltoall follow each other, also those without a neighbour.
  void add(std::vector<BlockArgument> &blocks, std::vector<char> &buffer, const Layout &layout) {
    const bool is_row = plan_.function == Function::alltoall;
    const std::int64_t bytes_of_type = random_rma::bytes_of(plan_type(layout));
    std::int64_t begin = static_cast<std::int64_t>(buffer.size());
    if (!is_row) begin = (begin + 24 + bytes_of_type - 1) / bytes_of_type * bytes_of_type;
    BlockArgument block;
    block.begin = begin;
    block.address = begin + layout.origin;
    block.count = layout.count;
    block.type = std::make_shared<random_rma::Datatype>(layout);
    block.basic_bytes = random_rma::bytes_of(plan_type(layout));
    blocks.push_back(block);
    const std::int64_t bytes = is_row ? row_bytes() : layout.bytes;
    buffer.resize(static_cast<std::size_t>(begin + bytes), kMark);
    arguments_.type_of_all = random_rma::handle_of(plan_type(layout));
    arguments_.count_of_all = is_row ? static_cast<int>(row_bytes() / bytes_of_type) : 0;
  }
  /// Without messages, as between ranks that all end the grid, any type will do.
  Basic plan_type(const Layout &layout) const {
    if (plan_.function == Function::alltoallw) return layout.basic;
    for (const auto &messages : plan_.messages)
      if (!messages.empty()) return messages.front().from.basic;
    return layout.basic;
  }
  std::int64_t row_bytes() const {
    for (const auto &messages : plan_.messages)
      if (!messages.empty()) return messages.front().from.bytes;
    return 0;
  }

  const Topology &topology_;
  const Plan &plan_;
  int rank_;
  std::int64_t call_ = 0;
  std::vector<char> sent_, received_;
  Arguments arguments_;
};

void delay(Random &random, std::int64_t most_us) {
  if (most_us > 0 && chance(random, 30)) usleep(static_cast<useconds_t>(pick(random, 0, most_us)));
}

struct Totals {
  std::int64_t calls = 0, wrong = 0;
};

void play_blocking(const std::vector<Plan> &plans, const Topology &topology, MPI_Comm comm, Random &delays, const Options &options,
                   Totals &totals) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  for (const Plan &plan : plans) {
    Played played(topology, plan, ++totals.calls, rank);
    delay(delays, options.delay_us);
    call_blocking(played.arguments(), comm);
    totals.wrong += played.count_wrong();
  }
}

/// All are begun, and waited for together, one by one, or by tests.
void play_nonblocking(const std::vector<Plan> &plans, const Topology &topology, MPI_Comm comm, Random &delays, const Options &options,
                      Totals &totals) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::deque<Played> played;
  std::vector<MPI_Request> requests;
  for (const Plan &plan : plans) {
    played.emplace_back(topology, plan, ++totals.calls, rank);
    delay(delays, options.delay_us);
    requests.push_back(call_nonblocking(played.back().arguments(), comm));
  }
  await_somehow(requests, delays());
  for (const Played &one : played) totals.wrong += one.count_wrong();
}

/// Each is made once, and started several times, in an order that differs from that in which they were made.
void play_persistent(const std::vector<Plan> &plans, const Topology &topology, MPI_Comm comm, Random &delays, const Options &options,
                     Totals &totals) {
  constexpr int kStarts = 3;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::deque<Played> played;
  std::vector<MPI_Request> requests;
  for (const Plan &plan : plans) {
    played.emplace_back(topology, plan, ++totals.calls, rank);
    requests.push_back(call_init(played.back().arguments(), comm));
  }
  for (int start = 0; start < kStarts; ++start) {
    for (Played &one : played) one.renew(++totals.calls);
    delay(delays, options.delay_us);
    if (start == 0)
      MPI_Startall(static_cast<int>(requests.size()), requests.data());
    else
      for (std::size_t i = requests.size(); i-- > 0;) MPI_Start(&requests[i]);
    std::vector<MPI_Request> copies = requests;
    await_somehow(copies, delays());
    for (std::size_t i = 0; i < requests.size(); ++i)
      if (copies[i] != requests[i]) std::printf("rank %d: a wait has changed a persistent request\n", rank), ++totals.wrong;
    for (const Played &one : played) totals.wrong += one.count_wrong();
  }
  for (MPI_Request &request : requests) MPI_Request_free(&request);
}

Totals play(const Options &options, int ranks) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Random random(static_cast<std::uint64_t>(options.seed)), delays(static_cast<std::uint64_t>(options.seed * 1000 + rank));
  Totals totals;
  for (std::int64_t t = 0; t < options.topologies; ++t) {
    const Topology topology = random_topology(random, ranks, static_cast<int>(options.shortest_period));
    MPI_Comm comm = make_comm(topology);
    std::vector<Plan> plans;
    for (std::int64_t call = 0; call < options.calls; ++call) plans.push_back(random_plan(random, topology));
    if (options.way == Way::blocking) play_blocking(plans, topology, comm, delays, options, totals);
    if (options.way == Way::nonblocking) {
      // The first call of a communicator is a blocking one; a distributed graph needs none.
      const bool is_linked = topology.kind == Topology::Kind::dist_graph;
      if (!is_linked) play_blocking({plans.front()}, topology, comm, delays, options, totals);
      play_nonblocking(plans, topology, comm, delays, options, totals);
    }
    if (options.way == Way::persistent) play_persistent(plans, topology, comm, delays, options, totals);
    MPI_Comm_free(&comm);
  }
  return totals;
}

Options read(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto set = [&](const std::string &name, std::int64_t &value) {
      if (word.rfind(name, 0) == 0) value = std::atoll(word.c_str() + name.size());
    };
    set("--seed=", options.seed);
    set("--topologies=", options.topologies);
    set("--calls=", options.calls);
    set("--delay-us=", options.delay_us);
    set("--shortest-period=", options.shortest_period);
    if (word == "--way=nonblocking") options.way = Way::nonblocking;
    if (word == "--way=persistent") options.way = Way::persistent;
  }
  return options;
}

}  // namespace
}  // namespace random_neighbor

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const random_neighbor::Totals mine = random_neighbor::play(random_neighbor::read(argc, argv), ranks);
  long long wrong = mine.wrong, all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%lld calls on %d ranks, %lld wrong bytes\n", static_cast<long long>(mine.calls), ranks, all);
  MPI_Finalize();
  return all == 0 && mine.calls > 0 ? 0 : 1;
}
