// The running of blocks: which fields a swap moves, and the copies themselves. Planning is in plan.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks/blocks.hpp"

namespace halocline {

Status Blocks::bad_call(const char *call, const char *why) const {
  if (exchange_.check()) return exchange_.check()->wrong_call(call, why);
  return fail(Status::state, "%s on rank %d: %s", call, context_.rank(), why);
}

Status Blocks::check_swap(const hlc_swap *what) const {
  const int me = context_.rank(), nfields = static_cast<int>(fields_.size());
  if (!what) return Status::ok;
  if (what->one_dim || what->side != HLC_SIDE_BOTH)
    return fail(Status::unsupported, "hlc_blocks_start on rank %d: blocks swap all dimensions together; one_dim and side must be 0", me);
  if (what->nfields < 0 || what->nfields > nfields)
    return fail(Status::argument, "hlc_blocks_start on rank %d: nfields is %d, it must be 0 to %d", me, what->nfields, nfields);
  if (what->nfields > 0 && !what->fields) return fail(Status::argument, "hlc_blocks_start on rank %d: fields is NULL", me);
  for (int i = 0; i < what->nfields; ++i)
    if (what->fields[i] < (i > 0 ? what->fields[i - 1] + 1 : 0) || what->fields[i] >= nfields)
      return fail(Status::argument, "hlc_blocks_start on rank %d: fields[%d] is %d; indices must ascend and lie below %d", me, i,
                  what->fields[i], nfields);
  for (int i = 0; what->reverse && i < (what->nfields ? what->nfields : nfields); ++i) {
    const Field &field = fields_[static_cast<std::size_t>(what->nfields ? what->fields[i] : i)];
    if (field.type == HLC_OPAQUE)
      return fail(Status::unsupported,
                  "hlc_blocks_start on rank %d: field '%s' has type HLC_OPAQUE, its values cannot be added in a "
                  "reverse swap",
                  me, field.name.c_str());
  }
  return Status::ok;
}

Status Blocks::start(const hlc_swap *what) {
  if (broken()) return bad_call("hlc_blocks_start", "an earlier swap of these blocks failed; they can only be finalised");
  if (in_flight()) return bad_call("hlc_blocks_start", "a swap of these blocks is in flight already; finish it first");
  HLC_TRY(check_swap(what));
  set_swap(what);
  whole_ = true;
  return exchange_.check() ? start_checked() : exchange_.start();
}

Status Blocks::test() {
  if (!whole_) return bad_call("hlc_blocks_test", "no swap of all parts has been started");
  if (broken()) return bad_call("hlc_blocks_test", "this swap has failed; the blocks can only be finalised");
  return exchange_.check() ? exchange_.test_checked() : exchange_.test();
}

Status Blocks::finish() {
  if (!whole_) return bad_call("hlc_blocks_finish", "no swap of all parts has been started");
  if (broken()) return bad_call("hlc_blocks_finish", "this swap has failed; the blocks can only be finalised");
  HLC_TRY(complete());
  whole_ = false;
  return Status::ok;
}

Status Blocks::complete() {
  if (exchange_.check()) return finish_checked();
  do_all(own_.in, {Task::to_myself});
  HLC_TRY(exchange_.finish());
  if (reverse_) clear_halos();
  return Status::ok;
}

/// Blocks have no guards of their own: the cards and the stamps are compared.
Status Blocks::start_checked() {
  RoundCard card{{reverse_}, reverse_ ? "fields in reverse" : "fields", {}};
  for (const int f : swapped_) {
    card.what.push_back(f);
    card.words += (f == swapped_.front() ? " '" : "', '") + fields_[static_cast<std::size_t>(f)].name;
  }
  card.words += "'";
  return exchange_.start_checked(card);
}

Status Blocks::finish_checked() {
  return exchange_.in_round([this] {
    HLC_TRY(exchange_.meet());
    do_all(own_.in, {Task::to_myself});
    HLC_TRY(exchange_.finish());
    if (reverse_) clear_halos();
    return exchange_.check()->verdict();
  });
}

void Blocks::set_swap(const hlc_swap *what) {
  const bool everything = !what || ((what->nfields == 0 || what->nfields == static_cast<int>(fields_.size())) && !what->reverse);
  if (everything && everything_) return;
  everything_ = everything;
  reverse_ = what && what->reverse;
  swapped_.clear();
  cell_bytes_ = 0;
  const int n = what && what->nfields > 0 ? what->nfields : static_cast<int>(fields_.size());
  for (int i = 0; i < n; ++i) {
    swapped_.push_back(what && what->nfields > 0 ? what->fields[i] : i);
    cell_bytes_ += fields_[static_cast<std::size_t>(swapped_.back())].element;
  }
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

/// In reverse several pieces may add to one cell: one thread does them all, in their order.
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

/// The halo's values have gone to their owners.
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

}  // namespace halocline
