// Check mode's mailbox, one per context; exists only with HALOCLINE_CHECK=1. It keeps messages from other ranks until their plan takes
// them. It also records what each plan of this process is doing, so that other plans can distinguish a wait from a deadlock.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "base/status.hpp"

namespace halocline::core {

class Communicator;

/// The kind of a message.
enum class Word : int {
  started,    // a swap over one edge; the text is the plan's own
  finishing,  // the sender is in finish; the text lists the plans that the same thread would finish later
  ready,      // a stage of a barrier
  abandoned     // the sender has abandoned the plan; the text says why
};

/// A message about one round of one plan (a halo or an exchange). Plans have the same serial on all ranks.
struct CheckMessage {
  std::int64_t plan = 0;
  std::uint64_t round = 0;
  Word word = Word::started;
  int edge = 0;    // started: of the receiver; ready: the stage
  int source = 0;  // filled by the receiver
  std::vector<char> text;
};

/// Messages and records. Any thread may call; the lock is held only during a call.
class CheckMailbox {
 public:
  CheckMailbox() = default;
  CheckMailbox(const CheckMailbox &) = delete;
  CheckMailbox &operator=(const CheckMailbox &) = delete;
  ~CheckMailbox();

  /// Duplicates the communicator. Collective.
  Status open(MPI_Comm comm);
  /// Receives all messages that are still under way, so that no rank's send remains pending. Collective.
  Status close(Communicator &communicator);

  /// The first serial that no plan of this rank has had.
  std::int64_t next_serial();
  /// Makes the record of a new plan; strike deletes it.
  void enroll(std::int64_t serial, const std::string &label);
  void strike(std::int64_t serial);

  /// Sends without waiting; the message is kept until it has been received. If there is not memory for all of it nothing is sent.
  Status send(int rank, const CheckMessage &message);
  /// Puts a message into this rank's own mailbox.
  void keep(CheckMessage message);
  /// True once all messages of a plan have been received.
  bool all_sent(std::int64_t serial);
  /// Receives the messages that have arrived for any plan, without waiting.
  Status receive();
  /// Returns and removes the messages received for a plan, except those of kind `finishing`.
  std::vector<CheckMessage> take(std::int64_t serial);

  /// Notes that this thread starts, begins to finish, has finished (or abandoned) a round of a plan. note_finishing returns the text of its
  /// message.
  void note_start(std::int64_t serial);
  std::vector<char> note_finishing(std::int64_t serial);
  void note_finished(std::int64_t serial);

  /// True if the rank has reached the finish of this round of a plan.
  bool finishes(std::int64_t serial, int rank, std::uint64_t round);
  /// The plan that `rank` finishes first and this thread later, while `mine` is finished first here and later there; 0 if there is none.
  /// Two such ranks wait for each other forever. The plan's label and round are written to `what`.
  std::int64_t crosses(std::int64_t mine, int rank, std::string *what);

 private:
  /// The last finish that another rank has announced.
  struct Finish {
    std::uint64_t round = 0;
    std::vector<std::int64_t> later;
  };
  struct Record {
    std::string label;
    std::uint64_t started = 0, finished = 0;
    bool finishing = false;
    int thread = -1;  // that started or finished it last
    std::vector<CheckMessage> messages;
    std::map<int, Finish> finishes;  // by rank
  };
  /// A piece of a message that is being sent.
  struct Sending {
    std::int64_t plan;
    std::shared_ptr<std::vector<char>> bytes;  // of the whole message
    std::size_t first;  // of this piece
    MPI_Request request;
  };
  /// A piece of a message that is being received.
  struct Receiving {
    int source;
    std::vector<char> bytes;
    MPI_Request request;
  };

  Status receive_locked() HLC_REQUIRES(mutex_);
  Status begin_receives() HLC_REQUIRES(mutex_);
  Status end_receives() HLC_REQUIRES(mutex_);
  Status set_aside(std::list<Receiving>::iterator piece, Status why) HLC_REQUIRES(mutex_);
  void take_in(int source, const std::vector<char> &piece) HLC_REQUIRES(mutex_);
  void sort(int source, const std::vector<char> &bytes) HLC_REQUIRES(mutex_);
  Status forget_sent() HLC_REQUIRES(mutex_);
  bool mine_to_finish(const Record &record) const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  bool many_threads_ = false;
  Mutex mutex_;
  std::int64_t next_serial_ HLC_GUARDED_BY(mutex_) = 1;
  std::map<std::int64_t, Record> records_ HLC_GUARDED_BY(mutex_);
  std::list<Sending> sending_ HLC_GUARDED_BY(mutex_);
  std::list<Receiving> receiving_ HLC_GUARDED_BY(mutex_);  // in the order in which the probe found them
  std::list<Receiving> lost_ HLC_GUARDED_BY(mutex_);  // for which MPI returned an error; it may still write them
  std::map<int, std::vector<char>> pieces_ HLC_GUARDED_BY(mutex_);  // by source: a message of which pieces are missing
};

}  // namespace halocline::core
