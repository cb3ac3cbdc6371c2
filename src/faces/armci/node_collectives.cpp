// Up and down the binomial tree of the processes of a node.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/armci/node_collectives.hpp"

#include <message.h>

#include <cstring>
#include <vector>

namespace halocline::core::armci {
namespace {

/// Tags of their own, so that messages of the program match none of these, nor those of another scope.
int tag_of(int scope) { return -1 - scope; }

void send(const NodeCall &call, Member to, const void *bytes, std::int64_t count) {
  const Outgoing message{to, tag_of(call.scope), bytes, count};
  settle(await(call.job, call.call, [&] { return call.job.node_messages.send_by_ring(message); }));
}

void receive(const NodeCall &call, Member from, void *to, std::int64_t count) {
  Wanted wanted{.from = from, .tag = tag_of(call.scope), .to = to, .capacity = count};
  settle(await(call.job, call.call, [&] { return call.job.node_messages.receive(wanted); }, WakeUp::by_doorbell));
  if (wanted.count != count)
    end_all_with("%s on rank %d: the call is of %lld bytes here, but of %lld on rank %d", call.call, call.job.rank(),
                 static_cast<long long>(count), static_cast<long long>(wanted.count), call.job.context.rank_of(from));
}

/// Brings what all have up the tree: combine(what another one has) after each of them. Calls it in the order of the processes.
template <class Combine>
void gather_up(const NodeCall &call, const void *mine, std::int64_t bytes, Combine combine) {
  const int size = call.job.context.members();
  const Member me = call.job.context.member();
  std::vector<char> other;
  for (int bit = 1; bit < size; bit *= 2) {
    if ((me & bit) != 0) return send(call, me - bit, mine, bytes);
    if (me + bit >= size) continue;
    other.resize(static_cast<std::size_t>(bytes));
    receive(call, me + bit, other.data(), bytes);
    combine(other.data());
  }
}

}  // namespace

bool is_by_rings(const Job &job, int scope, const ARMCI_Group &group, std::int64_t bytes) {
  const bool of_node = scope == SCOPE_NODE || (scope == SCOPE_ALL && !job.has_other_nodes());
  return of_node && group.comm == job.world.comm && bytes >= 0 && bytes <= job.node_messages.longest();
}

void broadcast_by_rings(const NodeCall &call, void *buffer, std::int64_t bytes, Member root) {
  const int size = call.job.context.members();
  const auto member = [&](int place) { return static_cast<Member>((place + root) % size); };
  const int place = (call.job.context.member() - root + size) % size;
  int bit = 1;
  while (bit < size && (place & bit) == 0) bit *= 2;
  if (place > 0) receive(call, member(place - bit), buffer, bytes);
  for (bit /= 2; bit > 0; bit /= 2)
    if (place + bit < size) send(call, member(place + bit), buffer, bytes);
}

void reduce_by_rings(const NodeCall &call, const NodeNumbers &numbers, bool for_first_alone) {
  const std::int64_t bytes = std::int64_t{numbers.size} * numbers.count;
  gather_up(call, numbers.data, bytes, [&](const void *other) {
    settle_mpi(MPI_Reduce_local(other, numbers.data, numbers.count, numbers.type, numbers.op), "MPI_Reduce_local");
  });
  if (!for_first_alone) broadcast_by_rings(call, numbers.data, bytes, 0);
}

Candidate select_by_rings(const NodeCall &call, Candidate mine, bool greatest) {
  gather_up(call, &mine, sizeof mine, [&](const void *other) {
    Candidate theirs;
    std::memcpy(&theirs, other, sizeof theirs);
    if (is_better(theirs, mine, greatest)) mine = theirs;
  });
  broadcast_by_rings(call, &mine, sizeof mine, 0);
  return mine;
}

}  // namespace halocline::core::armci
