// How requests are carried out in a memory. An access follows the other; or those that may follow are carried out with it; or many requests
// have accesses at the same time; or cache lines are requested some requests ahead.
//
// A memory has   Word carry_out(const Access &)                          and where several are under way
//                void carry_out(std::span<const Access>, std::span<Word> answers)
//                bool looks_ahead() const                                if several accesses take little more time than one     or
//                void fetch_to_change(int rank, std::int64_t word), and fetch_to_read, which request the cache line of a word
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "walk_steps.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace hashtable {

/// What the requests of a rank share.
struct Place {
  Shape shape;
  Spares spares{shape.ranks};
};

template <class Memory>
void carry_out(Memory &memory, Place &place, Request &request) {
  Walk walk(place.shape, place.spares, request);
  for (std::optional<Access> next = walk.begin(); next;) next = walk.go_on(memory.carry_out(*next));
}

/// A walk with the accesses that it has under way: what it asks for, and what may follow.
struct Stride {
  static constexpr std::size_t kMax = 1 + Walk::kMaxAhead;

  Walk walk;
  std::size_t count = 0;

  /// Writes its accesses, kMax at most.
  void ask(const Access &first, bool looks_ahead, Access *accesses) {
    accesses[0] = first;
    count = 1 + (looks_ahead ? walk.look_ahead(accesses + 1) : 0);
  }
  /// Takes their answers as far as the walk asks for them; returns what it asks for then.
  std::optional<Access> go_on(const Access *accesses, const Word *answers) {
    std::optional<Access> next = walk.go_on(answers[0]);
    for (std::size_t i = 1; next && i < count; ++i)
      if (*next == accesses[i]) next = walk.go_on(answers[i]);
    return next;
  }
};

/// As carry_out of one request; the accesses that may follow are carried out together with the one before.
template <class Memory>
void carry_out_together(Memory &memory, Place &place, Request &request) {
  Stride stride{Walk(place.shape, place.spares, request)};
  std::array<Access, Stride::kMax> accesses;
  std::array<Word, Stride::kMax> answers;
  for (std::optional<Access> next = stride.walk.begin(); next; next = stride.go_on(accesses.data(), answers.data())) {
    stride.ask(*next, true, accesses.data());
    if (stride.count == 1)
      answers[0] = memory.carry_out(*next);
    else
      memory.carry_out(std::span<const Access>(accesses.data(), stride.count), std::span<Word>(answers.data(), stride.count));
  }
}

/// Has up to `at_once` requests under way. Requests on one key may overtake each other.
template <class Memory>
void carry_out(Memory &memory, Place &place, std::span<Request> requests, std::size_t at_once) {
  at_once = std::max<std::size_t>(at_once, 1);
  const bool looks_ahead = memory.looks_ahead();
  std::vector<Stride> strides;
  std::vector<Access> accesses(at_once * Stride::kMax), asked(at_once * Stride::kMax);
  std::vector<Word> answers(at_once * Stride::kMax);
  strides.reserve(at_once);
  std::size_t used = 0;  // accesses of the next round
  const auto ask = [&](Stride &stride, const Access &first) {
    stride.ask(first, looks_ahead, asked.data() + used);
    used += stride.count;
  };
  for (std::size_t next = 0; next < requests.size() || !strides.empty();) {
    for (; strides.size() < at_once && next < requests.size(); ++next) {
      strides.push_back({Walk(place.shape, place.spares, requests[next])});
      ask(strides.back(), strides.back().walk.begin());
    }
    accesses.swap(asked);
    memory.carry_out(std::span<const Access>(accesses.data(), used), std::span<Word>(answers.data(), used));
    used = 0;
    std::size_t kept = 0, first = 0;
    for (Stride &stride : strides) {
      const std::optional<Access> access = stride.go_on(accesses.data() + first, answers.data() + first);
      first += stride.count;
      if (!access) continue;
      strides[kept] = stride;
      ask(strides[kept++], *access);
    }
    strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(kept), strides.end());
  }
}

/// For memory that is mapped: requests the cache lines of up to `at_once` buckets before it carries out the request of the first. A
/// request then takes the time of its instructions, and not that in which a line arrives from another core.
template <class Memory>
void carry_out_ahead(Memory &memory, Place &place, std::span<Request> requests, std::size_t at_once) {
  const auto fetch = [&](const Request &request) {
    const Home home = home_of(request.key, place.shape);
    const std::int64_t word = word_of(home.cell, kKey);
    request.what == Request::What::insert ? memory.fetch_to_change(home.rank, word) : memory.fetch_to_read(home.rank, word);
  };
  const std::size_t ahead = std::min(at_once - 1, requests.size());
  for (std::size_t i = 0; i < ahead; ++i) fetch(requests[i]);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (i + ahead < requests.size()) fetch(requests[i + ahead]);
    carry_out(memory, place, requests[i]);
  }
}

}  // namespace hashtable
