// The handshake. A rank does not know how many messages it will receive, so a non-blocking barrier finds their end. A list that wrongly
// names this rank is an error, not a hang. See Hoefler, Siebert, Lumsdaine: Scalable communication protocols for dynamic sparse data
// exchange, PPoPP 2010.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/handshake.hpp"

#include <unistd.h>

#include <cstring>
#include <map>
#include <string>
#include <tuple>

#include "base/test_all.hpp"
#include "exchange/modes/modes.hpp"

namespace halocline::core {
namespace {

constexpr int kHelloTag = 1, kDescriptorTag = 2;

/// What the two ends compare: bytes, or the entries of an index halo.
std::int64_t size_out(const Edge &edge) { return edge.entries_out < 0 ? edge.out : edge.entries_out; }
std::int64_t size_in(const Edge &edge) { return edge.entries_in < 0 ? edge.in : edge.entries_in; }
const char *unit_of(const Plan &plan) { return plan.edges.empty() || plan.edges.front().entries_out < 0 ? "bytes" : "entries"; }

/// How a rank describes one of its edges to the rank at its other end.
struct Hello {
  std::int64_t out, in, shape;
  int edge, tag, tag_in, turn, readable;  // turn: how many edges before this one have the same rank and tags
  char host[64];
};

/// (rank, tag_out, tag_in, turn) names an edge.
using Name = std::tuple<int, int, int, int>;
/// How many edges have the same (rank, tag_out, tag_in).
using Turns = std::map<std::tuple<int, int, int>, int>;

/// The hellos that this rank sends, and those it has received, by edge of the sender.
struct Conversation : Job {
  explicit Conversation(const Plan &plan) : said(plan.edges.size()) { requests.resize(plan.edges.size(), MPI_REQUEST_NULL); }
  std::vector<Hello> said;
  std::map<Name, Hello> received;
};

void prepare_hellos(const Plan &plan, Conversation &talk) {
  Turns turns;
  for (std::size_t e = 0; e < plan.edges.size(); ++e) {
    const Edge &edge = plan.edges[e];
    Hello &hello = talk.said[e];
    hello = {size_out(edge),
             size_in(edge),
             edge.shape,
             static_cast<int>(e),
             edge.tag_out,
             edge.tag_in,
             turns[{edge.rank, edge.tag_out, edge.tag_in}]++,
             edge.readable,
             {}};
    gethostname(hello.host, sizeof hello.host - 1);
  }
}

Status send_hellos(const Plan &plan, Conversation &talk) {
  for (std::size_t e = 0; e < plan.edges.size(); ++e)
    HLC_TRY(check_mpi(MPI_Issend(&talk.said[e], sizeof(Hello), MPI_BYTE, plan.edges[e].rank, kHelloTag, plan.comm, &talk.requests[e]),
                      "MPI_Issend"));
  return Status::ok;
}

/// Receives a hello if one has arrived. One for which there is no memory is still received, so that no rank waits; *mine is then that
/// error.
Status receive_hello(const Plan &plan, Conversation &talk, int *there, Status *mine) {
  MPI_Status status;
  HLC_TRY(check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, kHelloTag, plan.comm, there, &status), "MPI_Iprobe"));
  if (!*there) return Status::ok;
  Hello hello;
  HLC_TRY(check_mpi(MPI_Recv(&hello, sizeof hello, MPI_BYTE, status.MPI_SOURCE, kHelloTag, plan.comm, MPI_STATUS_IGNORE), "MPI_Recv"));
  const Status kept = alone(*plan.topology, [&] {
    talk.received[{status.MPI_SOURCE, hello.tag, hello.tag_in, hello.turn}] = hello;
    return Status::ok;
  });
  if (failed(kept)) *mine = kept;
  return Status::ok;
}

/// Receives hellos until every rank's have been received.
Status receive_hellos(const Plan &plan, Conversation &talk, Status *mine) {
  MPI_Request barrier = MPI_REQUEST_NULL;
  BoundedWait wait(*plan.communicator);
  return wait.until([&] {
    int there = 1, sent = 0, done = 0;
    while (there) HLC_TRY(receive_hello(plan, talk, &there, mine));
    if (barrier != MPI_REQUEST_NULL) {
      HLC_TRY(check_mpi(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), "MPI_Test"));
    } else {
      HLC_TRY(test_all(static_cast<int>(talk.requests.size()), talk.requests.data(), &sent));
      if (sent) HLC_TRY(check_mpi(MPI_Ibarrier(plan.comm, &barrier), "MPI_Ibarrier"));
    }
    return done ? Status::ok : Status::again;
  });
}

/// How messages name an edge to the end that has given it this tag: by its direction in a halo, "direction (-1, 0)".
std::string link_name(const Plan &plan, int tag) {
  if (plan.ndims == 0) return "tag " + std::to_string(tag);
  std::string name = "direction (";
  for (int d = 0, rest = tag; d < plan.ndims; ++d, rest /= 3) name += (d ? ", " : "") + std::to_string(rest % 3 - 1);
  return name + ")";
}

/// The same edge's tag at the other end.
int tag_back(const Plan &plan, int tag) {
  int all = 1;
  for (int d = 0; d < plan.ndims; ++d) all *= 3;
  return plan.ndims == 0 ? tag : all - 1 - tag;
}

/// The error where a rank names another that does not name it with these tags.
Status refuse_one_sided(const Plan &plan, int rank, int other, int tag, std::int64_t out, std::int64_t in) {
  return fail(
      Status::mismatch,
      "%s: neighbours disagree: rank %d has rank %d as a neighbour (%s, %lld %s out, %lld %s in), but rank %d does not have rank %d "
      "(%s)",
      message_prefix(*plan.communicator, plan.options).c_str(), rank, other, link_name(plan, tag).c_str(), static_cast<long long>(out),
      unit_of(plan), static_cast<long long>(in), unit_of(plan), other, rank, link_name(plan, tag_back(plan, tag)).c_str());
}

Status refuse_sizes(const Plan &plan, int from, int to, int tag, std::int64_t sent, std::int64_t expected) {
  return fail(Status::mismatch, "%s: neighbours disagree: rank %d sends %lld %s to rank %d (%s), which expects %lld from it",
              message_prefix(*plan.communicator, plan.options).c_str(), from, static_cast<long long>(sent), unit_of(plan), to,
              link_name(plan, tag).c_str(), static_cast<long long>(expected));
}

Status compare(const Plan &plan, Edge &edge, std::map<Name, Hello> &received, int turn) {
  const int me = plan.topology->rank();
  const auto found = received.find({edge.rank, edge.tag_in, edge.tag_out, turn});
  if (found == received.end()) return refuse_one_sided(plan, me, edge.rank, edge.tag_out, size_out(edge), size_in(edge));
  const Hello &hello = found->second;
  if (hello.in != size_out(edge)) return refuse_sizes(plan, me, edge.rank, edge.tag_out, size_out(edge), hello.in);
  if (hello.out != size_in(edge)) return refuse_sizes(plan, edge.rank, me, hello.tag, hello.out, size_in(edge));
  if (hello.shape != edge.shape)
    return fail(Status::mismatch,
                "%s: neighbours disagree: the block of rank %d and that of rank %d (%s) meet with as many cells, but not in the same shape",
                message_prefix(*plan.communicator, plan.options).c_str(), me, edge.rank, link_name(plan, edge.tag_out).c_str());
  edge.peer_edge = hello.edge;
  edge.peer_readable = hello.readable;
  edge.member = plan.communicator->member_of(edge.rank);
  if (edge.member == kNotOnNode) edge.host.assign(hello.host, strnlen(hello.host, sizeof hello.host));
  received.erase(found);
  return Status::ok;
}

Status compare_all(Plan &plan, std::map<Name, Hello> &received) {
  Turns turns;
  for (Edge &edge : plan.edges) HLC_TRY(compare(plan, edge, received, turns[{edge.rank, edge.tag_out, edge.tag_in}]++));
  if (received.empty()) return Status::ok;
  const auto &[name, hello] = *received.begin();
  return refuse_one_sided(plan, std::get<0>(name), plan.topology->rank(), hello.tag, hello.out, hello.in);
}

}  // namespace

Status join_edges(Plan &plan) {
  std::unique_ptr<Conversation> talk;
  HLC_TRY(prepare(*plan.communicator, plan.comm, [&] {
    talk = std::make_unique<Conversation>(plan);
    prepare_hellos(plan, *talk);
    return Status::ok;
  }));
  Status mine = Status::ok, received = send_hellos(plan, *talk);
  if (!failed(received)) received = receive_hellos(plan, *talk, &mine);
  if (failed(received)) {
    leak(std::move(talk));
    return plan.communicator->lose(received);
  }
  return prepare(*plan.communicator, plan.comm, [&] { return failed(mine) ? mine : compare_all(plan, talk->received); });
}

Status start_descriptor_swap(const Plan &plan, int edge, std::span<const std::byte> mine, std::span<std::byte> theirs,
                             MPI_Request *requests) {
  const Edge &to = plan.edges[static_cast<std::size_t>(edge)];
  HLC_TRY(check_mpi(
      MPI_Irecv(theirs.data(), static_cast<int>(theirs.size()), MPI_BYTE, to.rank, kDescriptorTag + edge, plan.comm, &requests[0]),
      "MPI_Irecv"));
  return check_mpi(
      MPI_Isend(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, to.rank, kDescriptorTag + to.peer_edge, plan.comm, &requests[1]),
      "MPI_Isend");
}

}  // namespace halocline::core
