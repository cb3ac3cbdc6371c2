// SPDX-License-Identifier: BSD-3-Clause
#include "limit.hpp"

#include "table.hpp"

#include <common/comm.hpp>

#include <algorithm>

namespace hashtable {

static std::int64_t words_of_buckets(const Shape &shape) { return words_of({shape.ranks, shape.buckets, 0}); }

Limit::Limit(const Setup &setup)
    : shape_(setup.shape),
      at_once_(setup.at_once),
      segment_(setup.context, words_of_buckets(setup.shape) * SegmentMemory::kWordBytes),
      memory_(segment_, setup.shape.ranks) {}

Limit::Sample Limit::measure(const std::vector<Word> &keys) const { return {seconds_of(keys, 0), seconds_of(keys, at_once_)}; }

double Limit::seconds_of(const std::vector<Word> &keys, std::size_t ahead) const {
  clear();
  const double begin = MPI_Wtime();
  const auto fetch = [&](std::size_t i) {
    if (i >= keys.size()) return;
    const Home home = home_of(keys[i], shape_);
    memory_.fetch_to_change(home.rank, word_of(home.cell, kKey));
  };
  for (std::size_t i = 0; i < ahead; ++i) fetch(i);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (ahead > 0) fetch(i + ahead);
    const Home home = home_of(keys[i], shape_);
    memory_.carry_out({Access::Kind::compare_swap, home.rank, word_of(home.cell, kKey), keys[i], 0});
  }
  return common::slowest(MPI_Wtime() - begin, MPI_COMM_WORLD) / static_cast<double>(keys.size());
}

void Limit::clear() const {
  segment_.barrier();
  std::fill_n(segment_.data<Word>(), words_of_buckets(shape_), Word{0});
  segment_.barrier();
}

}  // namespace hashtable
