// The steps of a walk through a chain, in line. An access to mapped memory takes less time than a call whose arguments are in memory.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "walk.hpp"

#include <algorithm>

namespace hashtable {

inline Walk::Walk(const Shape &shape, Spares &spares, Request &request) : shape_(&shape), spares_(&spares), request_(&request) {
  if (request.key == 0 || (request.what == Request::What::insert && request.value > kLargestValue)) refuse(request);
  const Home home = home_of(request.key, shape);
  rank_ = home.rank;
  cell_ = home.cell;
}

inline Access Walk::begin() { return look_at_key(); }

inline std::optional<Access> Walk::ask(At at, const Access &access) {
  at_ = at;
  return access;
}

/// A bucket is claimed with the same access that reads its key. A cell of the heap had its key before it was linked.
inline Access Walk::look_at_key() {
  const bool is_bucket = cell_ <= shape_->buckets;
  at_ = is_bucket ? At::bucket : At::key;
  const Access::Kind kind = is_bucket && request_->what == Request::What::insert ? Access::Kind::compare_swap : Access::Kind::read;
  return {kind, rank_, word_of(cell_, kKey), request_->key, 0};
}

inline std::optional<Access> Walk::end(bool done) {
  request_->done = done;
  return {};
}

[[gnu::always_inline]] inline std::optional<Access> Walk::go_on(Word answer) {
  switch (at_) {
    case At::bucket:
      if (answer == 0) return request_->what == Request::What::insert ? found() : end(false);
      return compared(answer);
    case At::key: return compared(answer);
    case At::next: return passed(answer);
    case At::allocation: return allocated(answer);
    case At::new_key: return ask(At::new_value, write(kValue, request_->value + 1));
    case At::new_value: return ask(At::link, {Access::Kind::compare_swap, rank_, word_of(cell_, kNext), static_cast<Word>(new_cell_), 0});
    case At::link: return linked(answer);
    case At::value: return valued(answer);
    case At::erasure: return erased(answer);
  }
  return {};
}

inline std::optional<Access> Walk::compared(Word key) {
  if (key == request_->key) return found();
  return ask(At::next, read(kNext));
}

inline std::optional<Access> Walk::passed(Word next) {
  if (next != 0) {
    cell_ = static_cast<std::int64_t>(next);
    return look_at_key();
  }
  if (request_->what != Request::What::insert) return end(false);
  if (const std::int64_t spare = spares_->take(rank_)) return fill(spare);
  return ask(At::allocation, {Access::Kind::add, rank_, 0, kTaken, 0});
}

/// The first of the cells is used now. Of the last ones there may be fewer than were asked for.
inline std::optional<Access> Walk::allocated(Word cells_before) {
  if (cells_before >= static_cast<Word>(shape_->heap)) refuse_more_cells();
  const std::int64_t first = static_cast<std::int64_t>(cells_before), end = std::min(first + kTaken, shape_->heap);
  for (std::int64_t cell = end; --cell > first;) spares_->keep(rank_, 1 + shape_->buckets + cell);
  return fill(1 + shape_->buckets + first);
}

inline std::optional<Access> Walk::fill(std::int64_t cell) {
  new_cell_ = cell;
  return ask(At::new_key, write(kKey, request_->key));
}

/// The new cell had its key and value before it was linked. Or another rank has appended a cell meanwhile, perhaps with this key.
inline std::optional<Access> Walk::linked(Word next) {
  if (next == 0) return end(true);
  spares_->keep(rank_, new_cell_);
  cell_ = static_cast<std::int64_t>(next);
  return look_at_key();
}

/// The cell has the key.
inline std::optional<Access> Walk::found() {
  if (request_->what != Request::What::insert) return ask(At::value, read(kValue));
  return ask(At::value, {Access::Kind::compare_swap, rank_, word_of(cell_, kValue), request_->value + 1, 0});
}

/// With a key its cell's next cell, and the value unless that would be changed. With the key of a new cell its value.
inline std::size_t Walk::look_ahead(Access *some) const {
  if (at_ == At::new_key) {
    some[0] = write(kValue, request_->value + 1);
    return 1;
  }
  if (at_ != At::bucket && at_ != At::key) return 0;
  some[0] = read(kNext);
  if (request_->what == Request::What::insert) return 1;
  some[1] = read(kValue);
  return 2;
}

inline std::optional<Access> Walk::valued(Word value) {
  if (request_->what == Request::What::insert) return end(value == 0);
  if (value == 0) return end(false);
  if (request_->what == Request::What::erase) return erased(value);
  request_->value = value - 1;
  return end(true);
}

/// `value` is the word's last content. It is 0 if another rank has erased the key, and what was expected if this rank has.
inline std::optional<Access> Walk::erased(Word value) {
  if (value == 0) return end(false);
  if (at_ == At::erasure && value == last_value_) return end(true);
  last_value_ = value;
  return ask(At::erasure, {Access::Kind::compare_swap, rank_, word_of(cell_, kValue), 0, value});
}

}  // namespace hashtable
