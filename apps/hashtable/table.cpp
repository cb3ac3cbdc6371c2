// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace hashtable {
namespace {

halocline::Op op_of(Access::Kind kind) {
  if (kind == Access::Kind::read) return halocline::Op::read;
  return kind == Access::Kind::add ? halocline::Op::sum : halocline::Op::replace;
}

std::int64_t checked(std::int64_t count, std::int64_t least, const char *what) {
  if (count >= least) return count;
  throw std::invalid_argument("a hash table of " + std::to_string(count) + " " + what + " per rank but must be " + std::to_string(least) +
                              " or more");
}

}  // namespace

SegmentMemory::SegmentMemory(const halocline::Context &context, std::int64_t words) : segment_(context, words * kWordBytes) {
  if (context.info().nodes > 1) return;
  for (int rank = 0; rank < context.size(); ++rank) parts_.push_back(static_cast<const Word *>(segment_.info(rank).data));
}

void SegmentMemory::carry_out(std::span<const Access> accesses, std::span<Word> answers) {
  list_.clear();
  for (const Access &access : accesses)
    list_.push_back(access.kind == Access::Kind::compare_swap ? segment_.compare_swap_of(place_of(access), access.expected, access.value)
                                                              : segment_.fetch_op_of(place_of(access), op_of(access.kind), access.value));
  halocline::carry_out(list_);
  std::transform(list_.begin(), list_.end(), answers.begin(), [](const hlc_atomic &one) { return static_cast<Word>(one.old); });
}

HashTable::HashTable(const halocline::Context &context, std::int64_t buckets, std::int64_t heap)
    : place_{{context.size(), checked(buckets, 1, "buckets"), checked(heap, 0, "heap cells")}}, memory_(context, words_of(place_.shape)) {}

Request HashTable::carry_out(Request::What what, Word key, Word value) {
  Request request{what, key, value, false};
  if (memory_.is_near())
    hashtable::carry_out(memory_, place_, request);
  else
    carry_out_together(memory_, place_, request);
  return request;
}

void HashTable::carry_out(std::span<Request> requests, std::size_t at_once) {
  if (memory_.is_near())
    carry_out_ahead(memory_, place_, requests, at_once);
  else
    hashtable::carry_out(memory_, place_, requests, at_once);
}

bool HashTable::insert(Word key, Word value) { return carry_out(Request::What::insert, key, value).done; }

std::optional<Word> HashTable::find(Word key) {
  const Request request = carry_out(Request::What::find, key, 0);
  return request.done ? std::optional<Word>(request.value) : std::nullopt;
}

bool HashTable::erase(Word key) { return carry_out(Request::What::erase, key, 0).done; }

void HashTable::clear() {
  barrier();
  const auto words = static_cast<std::size_t>(words_of(place_.shape));
  std::fill_n(memory_.segment().data<Word>(), words, Word{0});
  place_.spares.clear();
  barrier();
}

std::span<const Word> HashTable::part() const { return {memory_.segment().data<Word>(), static_cast<std::size_t>(words_of(place_.shape))}; }

}  // namespace hashtable
