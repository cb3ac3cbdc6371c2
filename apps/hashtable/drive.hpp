// How requests are carried out in a memory. An access follows the other; or many requests have one access each; or cache lines are requested
// some requests ahead.
//
// A memory has   Word carry_out(const Access &)                          and where several are under way
//                void carry_out(std::span<const Access>, std::span<Word> answers)     or
//                void fetch(int rank, std::int64_t word)                 which requests the cache line of a word
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "walk_steps.hpp"

#include <algorithm>
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

/// Has up to `at_once` requests under way. Requests on one key may overtake each other.
template <class Memory>
void carry_out(Memory &memory, Place &place, std::span<Request> requests, std::size_t at_once) {
  std::vector<Walk> walks;
  std::vector<Access> accesses;
  std::vector<Word> answers;
  for (std::size_t next = 0; next < requests.size() || !walks.empty();) {
    for (; walks.size() < at_once && next < requests.size(); ++next) {
      walks.emplace_back(place.shape, place.spares, requests[next]);
      accesses.push_back(walks.back().begin());
    }
    answers.resize(accesses.size());
    memory.carry_out(std::span<const Access>(accesses), std::span<Word>(answers));
    std::size_t kept = 0;
    for (std::size_t i = 0; i < walks.size(); ++i)
      if (const std::optional<Access> access = walks[i].go_on(answers[i])) {
        walks[kept] = walks[i];
        accesses[kept++] = *access;
      }
    walks.erase(walks.begin() + static_cast<std::ptrdiff_t>(kept), walks.end());
    accesses.resize(kept);
  }
}

/// For memory that is mapped: requests the cache lines of up to `at_once` buckets before it carries out the request of the first. A
/// request then takes the time of its instructions, and not that in which a line arrives from another core.
template <class Memory>
void carry_out_ahead(Memory &memory, Place &place, std::span<Request> requests, std::size_t at_once) {
  const auto fetch = [&](const Request &request) {
    const Home home = home_of(request.key, place.shape);
    memory.fetch(home.rank, word_of(home.cell, kKey));
  };
  const std::size_t ahead = std::min(at_once - 1, requests.size());
  for (std::size_t i = 0; i < ahead; ++i) fetch(requests[i]);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (i + ahead < requests.size()) fetch(requests[i + ahead]);
    carry_out(memory, place, requests[i]);
  }
}

}  // namespace hashtable
