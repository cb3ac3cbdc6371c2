// Running swaps of blocks: which fields a swap copies, and the copies themselves. Planning is in plan.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks/blocks.hpp"

namespace halocline::core {

Status Blocks::check_swap(const hlc_swap *what) const {
  const int me = communicator_.rank();
  if (!what) return Status::ok;
  if (what->one_dim || what->side != HLC_SIDE_BOTH)
    return fail(Status::unsupported, "hlc_blocks_start on rank %d: blocks swap all dimensions together; one_dim and side must be 0", me);
  HLC_TRY(check_field_list("hlc_blocks_start", me, *what, static_cast<int>(fields_.size())));
  return check_addable("hlc_blocks_start", me, *what, fields_, [](const Field &field) { return field.type; });
}

Status Blocks::start(const hlc_swap *what) {
  HLC_TRY(exchange_.may_start("hlc_blocks_start", {in_flight(), broken()}));
  HLC_TRY(check_swap(what));
  set_swap(what);
  whole_ = true;
  return launch();
}

Status Blocks::test() {
  HLC_TRY(exchange_.may_go_on("hlc_blocks_test", {whole_, broken()}));
  return exchange_.test();
}

Status Blocks::finish() {
  HLC_TRY(exchange_.may_go_on("hlc_blocks_finish", {whole_, broken()}));
  HLC_TRY(exchange_.finish());
  whole_ = false;
  return Status::ok;
}

/// Blocks have no checks of their own: check mode compares the descriptors and the stamps of messages.
Status Blocks::launch() {
  return exchange_.start([this] {
    RoundDescriptor descriptor{{{reverse_}, reverse_ ? "fields in reverse" : "fields"}, {}};
    for (const int f : swapped_) {
      descriptor.what.push_back(f);
      descriptor.words += (f == swapped_.front() ? " '" : "', '") + fields_[static_cast<std::size_t>(f)].name;
    }
    descriptor.words += "'";
    return descriptor;
  });
}

void Blocks::copy_to_myself() { do_all(own_.in, {Task::to_myself}); }

void Blocks::end_round() {
  if (reverse_) clear_halos();
}

void Blocks::set_swap(const hlc_swap *what) {
  const bool everything = !what || ((what->nfields == 0 || what->nfields == static_cast<int>(fields_.size())) && !what->reverse);
  if (everything && everything_) return;
  everything_ = everything;
  reverse_ = what && what->reverse;
  list_swapped(what, fields_.size(), swapped_);
  cell_bytes_ = 0;
  for (const int f : swapped_) cell_bytes_ += fields_[static_cast<std::size_t>(f)].element;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const std::int64_t in = links_[i].in.cells * cell_bytes_, out = links_[i].out.cells * cell_bytes_;
    exchange_.parts()[i] = reverse_ ? Part{in, out} : Part{out, in};
  }
  exchange_.set_round(everything, reverse_);
}

void Blocks::pack(int edge, void *buffer, bool past_caches) {
  const Link &link = links_[static_cast<std::size_t>(edge)];
  do_all(reverse_ ? link.in : link.out, {Task::pack, static_cast<char *>(buffer), past_caches});
}

void Blocks::unpack(int edge, const void *buffer) {
  const Link &link = links_[static_cast<std::size_t>(edge)];
  do_all(reverse_ ? link.out : link.in, {Task::unpack, const_cast<char *>(static_cast<const char *>(buffer))});
}

void Blocks::pull(int edge) {
  const Link &link = links_[static_cast<std::size_t>(edge)];
  do_all(reverse_ ? link.out : link.in, {Task::pull});
}

/// In reverse several pieces may add to one cell: so one thread processes all, in their order.
void Blocks::do_all(const PieceList &list, const Work &work) {
  if (sharing_ && !reverse_) return share(list, work);
  for (const Piece &piece : list.pieces) do_piece(piece, work);
}

void Blocks::do_piece(const Piece &piece, const Work &work) const {
  const auto copy_out = work.past_caches ? copy_past_caches : copy;
  const std::int64_t cells = piece.mine.cells();
  char *packed = work.buffer + piece.cells_before * cell_bytes_;
  for (const int number : swapped_) {
    const auto f = static_cast<std::size_t>(number);
    const Move &move = piece.moves[f];
    const hlc_type type = fields_[f].type;
    switch (work.task) {
      case Task::pack: copy_out(packed, move.mine, move.to_buffer); break;
      case Task::unpack: reverse_ ? add(move.mine, packed, move.from_buffer, type) : copy(move.mine, packed, move.from_buffer); break;
      case Task::pull: reverse_ ? add(move.mine, move.theirs, move.pull, type) : copy(move.mine, move.theirs, move.pull); break;
      case Task::to_myself: reverse_ ? add(move.theirs, move.mine, move.push, type) : copy(move.mine, move.theirs, move.pull); break;
    }
    packed += cells * fields_[f].element;
  }
}

/// Clears the halos after their values have been added at the owners.
void Blocks::clear_halos() {
  const auto clear_list = [&](const PieceList &list) {
    for (const Piece &piece : list.pieces)
      for (const int f : swapped_) {
        const Move &move = piece.moves[static_cast<std::size_t>(f)];
        clear(move.mine, move.from_buffer);
      }
  };
  for (const Link &link : links_) clear_list(link.in);
  clear_list(own_.in);
}

}  // namespace halocline::core
