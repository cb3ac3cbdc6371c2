// The copies of pieces in a swap of blocks, by one thread or shared by all that wait.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "blocks/tables.hpp"
#include "blocks/team.hpp"
#include "exchange/channel.hpp"

namespace halocline::core {

class PieceCopies {
 public:
  explicit PieceCopies(const BlockTables &tables) : tables_(tables) {}
  PieceCopies(const PieceCopies &) = delete;
  PieceCopies &operator=(const PieceCopies &) = delete;

  /// The number of parts is known: makes room for what their threads share.
  void make_team();
  /// The thread of this part launches or drives the swap from now on.
  void work_as(int part) { working_part_ = part; }
  /// Whether several parts have started the running swap, so that their threads can share its copies.
  void set_sharing(bool sharing) { sharing_ = sharing; }
  /// Does a copy that is shared now, if one is left. Any thread, for its part.
  bool help(int part) { return job_->help(static_cast<std::size_t>(part)); }

  void pack(int edge, void *buffer, bool past_caches);
  void unpack(int edge, const void *buffer);
  void pull(Edges edges);
  void copy_to_self() { do_all(tables_.own.in, {Task::to_self}); }
  /// The same of one piece.
  void unpack_piece(const Piece &piece, const void *buffer) const {
    do_piece(piece, {Task::unpack, const_cast<char *>(static_cast<const char *>(buffer))});
  }
  /// Of a neighbour that is read in a reverse swap; buffer: its halos that are in a device's memory, as a message has them.
  void add_piece(const Piece &piece, char *buffer) const { do_piece(piece, {Task::pull, buffer}); }
  void copy_piece_to_self(const Piece &piece) const { do_piece(piece, {Task::to_self}); }
  /// Clears the halos after a reverse swap, which has added their values at the owners.
  void clear_halos() const;

 private:
  /// The operation on the pieces of a message.
  enum class Task : char { pack, unpack, pull, to_self };
  struct Work {
    Task task = Task::pack;
    char *buffer = nullptr;  // the message
    bool past_caches = false;
  };
  /// Work that threads share.
  struct Shared {
    const PieceList *list = nullptr;
    Work work;
  };

  void do_all(const PieceList &list, const Work &work);
  void do_piece(const Piece &piece, const Work &work) const;
  void share(const PieceList &list, const Work &work);
  void do_shared(int item);

  const BlockTables &tables_;
  std::unique_ptr<SharedJob> job_;
  Shared shared_;         // of the job that is posted
  bool sharing_ = false;
  int working_part_ = 0;  // of the thread that launches or drives
};

}  // namespace halocline::core
