// Check mode's post office, one per context: messages between ranks that wait in a box until the plan they are for looks, and a record of
// what each plan of this process is doing, which other plans need to tell a wait from a deadlock. Only there with HALOCLINE_CHECK=1.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace halocline {

class Communicator;

/// What a message says.
enum class Word : int {
  started,    // a swap over one edge; the text is the plan's own
  finishing,  // the sender is in finish; the text lists the plans that the same thread would finish later
  ready,      // a stage of a barrier
  gave_up     // the sender has given up the plan; the text says why
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

/// Letters and records. Any thread may call; the lock is held only while a call runs.
class CheckMailbox {
 public:
  CheckMailbox() = default;
  CheckMailbox(const CheckMailbox &) = delete;
  CheckMailbox &operator=(const CheckMailbox &) = delete;
  ~CheckMailbox();

  /// Duplicates the communicator. Collective.
  Status open(MPI_Comm comm);
  /// Receives what is still on its way, so that no rank's send stays behind. Collective.
  Status close(Communicator &communicator);

  /// The first serial that no plan of this rank has had.
  std::int64_t next_serial();
  /// Makes a record of a new plan.
  void enroll(std::int64_t serial, const std::string &label);
  void strike(std::int64_t serial);

  /// Sends without waiting; the message is kept until it has been received. Without memory for all of it nothing is sent.
  Status send(int rank, const CheckMessage &message);
  /// Puts a message into this rank's own box.
  void keep(CheckMessage message);
  /// True once all messages of a plan have been received.
  bool all_sent(std::int64_t serial);
  /// Takes in what has come for any plan, without waiting.
  Status receive();
  /// Hands over the messages of a plan that have come, but for those that say `finishing`.
  std::vector<CheckMessage> take(std::int64_t serial);

  /// Notes that this thread starts, begins to finish, has finished (or given up) a round of a plan. The second returns the text of its message.
  void note_start(std::int64_t serial);
  std::vector<char> note_finishing(std::int64_t serial);
  void note_finished(std::int64_t serial);

  /// True if the rank has come to the finish of this round of a plan.
  bool finishes(std::int64_t serial, int rank, std::uint64_t round);
  /// The plan that `rank` finishes first and this thread later, while `mine` is finished here first and there later; 0 if there is none.
  /// Two such ranks wait for each other for ever. Its label and round are written to `what`.
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
  /// A piece of a message under way.
  struct Sending {
    std::int64_t plan;
    std::shared_ptr<std::vector<char>> bytes;  // of the whole message
    std::size_t first;  // of this piece
    MPI_Request request;
  };
  /// A piece of a message that MPI is writing.
  struct Receiving {
    int source;
    std::vector<char> bytes;
    MPI_Request request;
  };

  Status receive_locked();
  Status begin_receives();
  Status end_receives();
  Status set_aside(std::list<Receiving>::iterator piece, Status why);
  void take_in(int source, const std::vector<char> &piece);
  void sort(int source, const std::vector<char> &bytes);
  Status forget_sent();
  bool mine_to_finish(const Record &record) const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  bool many_threads_ = false;
  std::mutex mutex_;
  std::int64_t next_serial_ = 1;
  std::map<std::int64_t, Record> records_;
  std::list<Sending> sending_;
  std::list<Receiving> receiving_;  // in the order in which they were seen
  std::list<Receiving> lost_;  // that MPI has refused; it may still write them
  std::map<int, std::vector<char>> pieces_;  // by source: a message that has not come whole
};

}  // namespace halocline
