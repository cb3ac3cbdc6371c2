// The running of an index halo: which fields a swap moves, and the copies. Planning stands in plan.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "index_halo/index_halo.hpp"

#include "index_halo/check.hpp"

namespace halocline {

Status IndexHalo::check_swap(const hlc_index_swap &what) const {
  constexpr const char *call = "hlc_index_halo_start";
  const int me = context_.rank(), nfields = static_cast<int>(fields_.size());
  if (what.nfields < 0 || what.nfields > nfields)
    return fail(Status::argument, "%s on rank %d: nfields is %d, it must be 0 to %d", call, me, what.nfields, nfields);
  if (what.nfields > 0 && !what.fields) return fail(Status::argument, "%s on rank %d: fields is NULL", call, me);
  for (int i = 0; i < what.nfields; ++i)
    if (what.fields[i] < (i > 0 ? what.fields[i - 1] + 1 : 0) || what.fields[i] >= nfields)
      return fail(Status::argument, "%s on rank %d: fields[%d] is %d; indices must ascend and lie below %d", call, me, i, what.fields[i],
                  nfields);
  for (int i = 0; what.reverse && i < (what.nfields ? what.nfields : nfields); ++i) {
    const int f = what.nfields ? what.fields[i] : i;
    const Field &field = fields_[static_cast<std::size_t>(f)];
    if (field.kind.type == HLC_OPAQUE)
      return fail(Status::unsupported, "%s on rank %d: fields[%d] '%s' has type HLC_OPAQUE, its values cannot be added in a reverse swap",
                  call, me, f, field.name.c_str());
  }
  return Status::ok;
}

Status IndexHalo::bad_call(const char *call, const char *why) const {
  if (check_) return exchange_.check()->wrong_call(call, why);
  return fail(Status::state, "%s on rank %d: %s", call, context_.rank(), why);
}

Status IndexHalo::start(const hlc_index_swap *what) {
  constexpr const char *call = "hlc_index_halo_start";
  if (broken()) return bad_call(call, "an earlier swap of this halo failed; it can only be finalised");
  if (in_flight()) return bad_call(call, "a swap of this halo is in flight already; finish it first");
  if (what) HLC_TRY(check_swap(*what));
  if (what && what->reverse && exchange_.views_out())
    return bad_call(call, "views of the last swap are out, and a reverse swap writes what they show; call hlc_index_halo_release first");
  set_swap(what);
  return check_ ? start_checked() : exchange_.start();
}

Status IndexHalo::test() {
  if (!in_flight()) return bad_call("hlc_index_halo_test", "no swap has been started");
  if (broken()) return bad_call("hlc_index_halo_test", "this swap has failed; the halo can only be finalised");
  return check_ ? exchange_.test_checked() : exchange_.test();
}

Status IndexHalo::check_finish(const char *call) const {
  if (!in_flight()) return bad_call(call, "no swap has been started");
  if (broken()) return bad_call(call, "this swap has failed; the halo can only be finalised");
  return Status::ok;
}

Status IndexHalo::finish() {
  HLC_TRY(check_finish("hlc_index_halo_finish"));
  if (check_) return finish_checked();
  copy_to_myself();
  HLC_TRY(exchange_.finish());
  if (reverse_) clear_ghosts();
  return Status::ok;
}

Status IndexHalo::start_checked() {
  HLC_TRY(alone(context_, [&] {
    check_->start();
    return Status::ok;
  }));
  return exchange_.start_checked(check_->card());
}

/// As finish, between looks at what must not have changed and at what was delivered.
Status IndexHalo::finish_checked() {
  return exchange_.in_round([this] {
    check_->before_finish();
    HLC_TRY(exchange_.meet());
    // The neighbours may wait inside MPI from here on: they get their part, whether mine can be checked or not.
    const Status ready = alone(context_, [this] {
      check_->before_delivery();
      return Status::ok;
    });
    copy_to_myself();
    HLC_TRY(exchange_.finish());
    if (reverse_) clear_ghosts();
    HLC_TRY(ready);
    check_->after_finish();
    return exchange_.check()->verdict();
  });
}

void IndexHalo::set_swap(const hlc_index_swap *what) {
  const bool all_fields = !what || what->nfields == 0 || what->nfields == static_cast<int>(fields_.size());
  const bool everything = all_fields && !(what && what->reverse);
  if (everything && everything_) return;
  everything_ = everything;
  reverse_ = what && what->reverse;
  swapped_.clear();
  for (std::size_t i = 0; i < (all_fields ? fields_.size() : static_cast<std::size_t>(what->nfields)); ++i)
    swapped_.push_back(all_fields ? static_cast<int>(i) : what->fields[i]);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const auto out = static_cast<std::int64_t>(links_[i].out.size()), in = static_cast<std::int64_t>(links_[i].in.size());
    exchange_.parts()[i] = {message_bytes(reverse_ ? in : out, swapped_), message_bytes(reverse_ ? out : in, swapped_)};
  }
  exchange_.set_round(everything, reverse_);
}

/// A reverse swap swaps the two lists. No past_caches: entries are too small for it.
void IndexHalo::pack(int edge, void *buffer, bool) {
  const Link &link = links_[static_cast<std::size_t>(edge)];
  const EntryMap &map = reverse_ ? link.in_map : link.out_map;
  std::int64_t offset = 0;
  for (const int f : swapped_) {
    const Field &field = fields_[static_cast<std::size_t>(f)];
    offset = aligned(offset, field);
    give(map, field.kind, field.layout, packed_at(static_cast<char *>(buffer) + offset, field.kind));
    offset += map.count * field.kind.bytes();
  }
}

void IndexHalo::unpack(int edge, const void *buffer) {
  const Link &link = links_[static_cast<std::size_t>(edge)];
  const EntryMap &map = reverse_ ? link.out_map : link.in_map;
  auto *from = const_cast<char *>(static_cast<const char *>(buffer));  // a layout's data; only read here
  std::int64_t offset = 0;
  for (const int f : swapped_) {
    const Field &field = fields_[static_cast<std::size_t>(f)];
    offset = aligned(offset, field);
    const EntryLayout packed = packed_at(from + offset, field.kind);
    reverse_ ? add(map, field.kind, field.layout, packed) : take(map, field.kind, field.layout, packed);
    offset += map.count * field.kind.bytes();
  }
}

void IndexHalo::pull(int edge) {
  const Link &link = links_[static_cast<std::size_t>(edge)];
  for (const int number : swapped_) {
    const auto f = static_cast<std::size_t>(number);
    const Field &field = fields_[f];
    if (reverse_)
      add(link.out_map, field.kind, field.layout, link.fields[f].layout);
    else
      take(link.in_map, field.kind, field.layout, link.fields[f].layout);
  }
}

/// What my own lists give me, or get back.
void IndexHalo::copy_to_myself() {
  for (const Link &link : self_links_)
    for (const int f : swapped_) {
      const Field &field = fields_[static_cast<std::size_t>(f)];
      if (reverse_)
        add(link.out_map, field.kind, field.layout, field.layout);
      else
        take(link.in_map, field.kind, field.layout, field.layout);
    }
}

void IndexHalo::clear_ghosts() {
  for (const auto *links : {&links_, &self_links_})
    for (const Link &link : *links)
      for (const int f : swapped_) {
        const Field &field = fields_[static_cast<std::size_t>(f)];
        clear(link.in_map, field.kind, field.layout);
      }
}

}  // namespace halocline
