// Packing, unpacking and copying the pieces of messages.
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks/piece_copies.hpp"

#include <utility>

#include "base/stream.hpp"

namespace halocline::core {
namespace {

/// The same copy in the other direction.
BoxCopy turned(BoxCopy box) {
  std::swap(box.to, box.from);
  return box;
}

}  // namespace

void PieceCopies::make_team() {
  job_ = std::make_unique<SharedJob>(tables_.parts, [this](int item) { do_shared(item); });
}

void PieceCopies::pack(int edge, void *buffer, bool past_caches) {
  const BlockLink &link = tables_.links[static_cast<std::size_t>(edge)];
  do_all(tables_.reverse ? link.in : link.out, {Task::pack, static_cast<char *>(buffer), past_caches});
}

void PieceCopies::unpack(int edge, const void *buffer) {
  const BlockLink &link = tables_.links[static_cast<std::size_t>(edge)];
  do_all(tables_.reverse ? link.out : link.in, {Task::unpack, const_cast<char *>(static_cast<const char *>(buffer))});
}

void PieceCopies::pull(Edges edges) {
  for (const int e : edges) {
    const BlockLink &link = tables_.links[static_cast<std::size_t>(e)];
    do_all(tables_.reverse ? link.out : link.in, {Task::pull});
  }
}

/// In reverse several pieces may add to one cell: so one thread processes all, in their order.
void PieceCopies::do_all(const PieceList &list, const Work &work) {
  if (sharing_ && !tables_.reverse) return share(list, work);
  for (const Piece &piece : list.pieces) do_piece(piece, work);
}

void PieceCopies::do_piece(const Piece &piece, const Work &work) const {
  const auto copy_out = work.past_caches ? copy_past_caches : copy;
  const bool reverse = tables_.reverse;
  const std::int64_t cells = piece.mine.cells();
  std::int64_t begin = piece.bytes_before;  // in the buffer, if there is one
  tables_.for_each_swapped(piece, [&](const BlockMove &move, const BlockField &field) {
    const hlc_type type = field.type;
    switch (work.task) {
      case Task::pack:
        reverse ? copy_out(work.buffer + begin, move.mine, turned(move.copy)) : copy_out(work.buffer + begin, move.mine, move.copy);
        break;
      case Task::unpack:
        reverse ? add(move.mine, work.buffer + begin, turned(move.copy), type) : copy(move.mine, work.buffer + begin, move.copy);
        break;
      case Task::pull:
        if (!reverse && move.on_their_device) break;  // copied on the device
        reverse ? add(move.mine, move.on_their_device ? work.buffer + begin : move.theirs, turned(move.copy), type)
                : copy(move.mine, move.theirs, move.copy);
        break;
      case Task::to_self:
        if (!reverse && move.image && move.their_image) break;  // copied on the device
        reverse ? add(move.theirs, move.mine, turned(move.copy), type) : copy(move.mine, move.theirs, move.copy);
        break;
    }
    begin += cells * field.element;
  });
}

/// Processes the pieces of a list by all threads that wait. The operation is written to shared_ before the pieces are posted.
void PieceCopies::share(const PieceList &list, const Work &work) {
  shared_ = {&list, work};
  job_->run(list.order, static_cast<std::size_t>(working_part_));
}

void PieceCopies::do_shared(int item) {
  do_piece(shared_.list->pieces[static_cast<std::size_t>(item)], shared_.work);
  if (shared_.work.past_caches) stream_fence();
}

void PieceCopies::clear_halos() const {
  const auto clear_list = [&](const PieceList &list) {
    for (const Piece &piece : list.pieces)
      tables_.for_each_swapped(piece, [](const BlockMove &move, const BlockField &) { clear(move.mine, move.copy); });
  };
  for (const BlockLink &link : tables_.links) clear_list(link.in);
  clear_list(tables_.own.in);
}

}  // namespace halocline::core
