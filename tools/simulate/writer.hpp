// Writes the script of one rank: calls of MPI and of the engine as their work and their messages. The protocols are written with it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "machine.hpp"
#include "pattern.hpp"
#include "script.hpp"

namespace simulate {

class Writer {
 public:
  Writer(Job &job, const Machine &machine, int rank) : job_(job), machine_(machine), rank_(rank) {}

  Script &script() { return job_.of(rank_); }
  int rank() const { return rank_; }
  int ranks() const { return job_.ranks(); }
  const Machine &machine() const { return machine_; }
  bool near(int peer) const { return machine_.same_node(rank_, peer); }

  void copy(double bytes) { script().work(machine_.copy_us(bytes)); }
  /// Packs or unpacks.
  void pack(double bytes) { script().work(machine_.pack_us(bytes)); }
  /// A message of MPI, whose receiver then works `cost_us`. Returns true if the sender has to wait for kSent.
  bool message(int peer, double bytes, double cost_us);
  /// MPI_Put, of whose remote completion the origin learns by kAcknowledged. Returns true if it goes to another node.
  bool put(int peer, double bytes);
  /// Waits for the remote completion of so many puts.
  void flush(int puts);
  /// A put whose notification is a flag at the target: the copy on the node is made before.
  void notified_put(int peer, double bytes, double cost_us);
  /// A small message that only counts, and is there no sooner than `least_us` after it began.
  void signal(int peer, Flag flag, double least_us = 0);
  /// A store into a word of the node that others wait for.
  void store(int peer, Flag flag, double cost_us = 0) { script().send({peer, flag, 0, cost_us}); }
  /// An atomic operation on a word of that rank, and its result.
  void atomic(int peer);
  /// An empty message that only counts. The work of its receiver is not in it.
  void empty_message(int peer, Flag flag);
  /// An epoch on a window whose lock is a word of that rank: the lock is waited for, its release is not.
  void lock_all(int owner);
  void unlock_all(int owner);
  /// The same as `barrier` by empty messages, as a non-blocking barrier has it.
  void barrier_of_messages(Flag first = kBarrier);
  /// A barrier of all ranks, by dissemination. Its flags begin at `first`.
  void barrier(Flag first = kBarrier);
  /// Flags that a barrier of so many ranks takes.
  static int barrier_rounds(int ranks);

 private:
  Job &job_;
  const Machine &machine_;
  const int rank_;
};

/// A job of which every rank is timed, from its first step to its last: write(writer) writes the script of one rank.
template <class Write>
Job timed_job(const Machine &machine, int ranks, Write write) {
  Job job(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    Writer writer(job, machine, rank);
    writer.script().begin();
    write(writer);
    writer.script().end();
  }
  return job;
}

}  // namespace simulate
