// SPDX-License-Identifier: BSD-3-Clause
#include "writer.hpp"

#include <algorithm>

namespace simulate {

bool Writer::message(int peer, double bytes, double cost_us) {
  const Node &node = machine_.node;
  Send send{peer, kData, bytes, cost_us + node.message_us};
  if (near(peer)) {
    script().work(node.message_us + machine_.message_copy_us(bytes));
    send.cost_us += machine_.message_copy_us(bytes);
    script().send(send);
    return false;
  }
  script().work(node.message_us + machine_.network.overhead_us);
  if (bytes <= machine_.network.eager_bytes) {
    send.cost_us += machine_.pack_us(bytes);
  } else {
    send.way = Way::rendezvous, send.ack = kSent;
  }
  script().send(send);
  return send.ack == kSent;
}

bool Writer::put(int peer, double bytes) {
  if (near(peer)) {
    script().work(machine_.node.put_us + machine_.put_copy_us(bytes));
    return false;
  }
  script().work(machine_.network.overhead_us);
  script().send({peer, kNone, bytes, 0, kAcknowledged});
  return true;
}

void Writer::flush(int puts) {
  script().work(machine_.node.flush_us);
  script().wait(kAcknowledged, puts);
}

void Writer::notified_put(int peer, double bytes, double cost_us) {
  if (!near(peer)) script().work(machine_.network.overhead_us);
  script().send({peer, kData, bytes, cost_us});
}

void Writer::signal(int peer, Flag flag, double least_us) {
  const Network &network = machine_.network;
  const double work_us = near(peer) ? machine_.node.message_us : network.signal_us;
  const double delay_us = near(peer) ? machine_.node.message_us : std::max(least_us - work_us - network.latency_us, 0.0);
  script().work(work_us);
  script().send({peer, flag, 0, 0, kNone, Way::put, delay_us});
}

void Writer::atomic(int peer) {
  script().work(near(peer) ? machine_.node.put_us : machine_.network.overhead_us);
  script().send({peer, kNone, 8, 0, kFetched, Way::atomic});
  script().wait(kFetched, 1);
}

void Writer::empty_message(int peer, Flag flag) {
  script().work(machine_.node.message_us + (near(peer) ? 0 : machine_.network.overhead_us));
  script().send({peer, flag});
}

void Writer::lock_all(int owner) {
  script().work(machine_.node.lock_us + (near(owner) ? 0 : machine_.network.lock_us));
  atomic(owner);
}

void Writer::unlock_all(int owner) {
  script().work(near(owner) ? machine_.node.put_us : machine_.network.overhead_us);
  script().send({owner, kNone, 8, 0, kNone, Way::atomic});
}

void Writer::barrier_of_messages(Flag first) {
  for (int round = 0; round < barrier_rounds(ranks()); ++round) {
    const auto flag = static_cast<Flag>(first + round);
    empty_message(static_cast<int>((rank_ + (std::int64_t{1} << round)) % ranks()), flag);
    script().wait(flag, 1);
    script().work(machine_.node.message_us);
  }
}

int Writer::barrier_rounds(int ranks) {
  int rounds = 0;
  while ((1 << rounds) < ranks) ++rounds;
  return rounds;
}

void Writer::barrier(Flag first) {
  for (int round = 0; round < barrier_rounds(ranks()); ++round) {
    const auto flag = static_cast<Flag>(first + round);
    signal(static_cast<int>((rank_ + (std::int64_t{1} << round)) % ranks()), flag, machine_.network.barrier_us);
    script().wait(flag, 1);
  }
}

}  // namespace simulate
