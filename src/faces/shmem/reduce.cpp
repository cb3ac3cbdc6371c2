// Reductions. Few bytes: each PE reads those of all, and combines them. Many: each PE does so for its share of the elements, and
// puts the result to all. Both begin when all sources are there, and end when no source is read any longer.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/reduce.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "faces/shmem/place.hpp"

namespace halocline::core::shmem {
namespace {

/// As many bytes as are combined at a time: they stay in the cache.
constexpr std::size_t kPiece = 16384;

/// What is fetched of other nodes during a collective call.
ContextState fetching;

/// Elements of the source: the same on all PEs.
struct Elements {
  std::size_t first, count;
};

const char *source_at(const Reduction &reduction, std::size_t element) {
  return static_cast<const char *>(reduction.source) + element * reduction.combination.element_bytes;
}

char *dest_at(const Reduction &reduction, std::size_t element) {
  return static_cast<char *>(reduction.dest) + element * reduction.combination.element_bytes;
}

/// Combines some elements of all members.
class Combiner {
 public:
  Combiner(const Collective &collective, const Reduction &reduction)
      : collective_(collective), reduction_(reduction), places_(static_cast<std::size_t>(collective.size())) {}

  /// values has room for them, aligned for any type.
  void combine(const Elements &elements, char *values) {
    const std::size_t bytes = elements.count * reduction_.combination.element_bytes;
    find(elements, bytes);
    std::memcpy(values, places_[0], bytes);
    for (std::size_t member = 1; member < places_.size(); ++member) reduction_.combination.combine(values, places_[member], elements.count);
  }

 private:
  /// Finds the elements of each member, and fetches those of other nodes.
  void find(const Elements &elements, std::size_t bytes) {
    const char *mine = source_at(reduction_, elements.first);
    bool fetches = false;
    for (std::size_t member = 0; member < places_.size(); ++member) {
      const int pe = collective_.pes.to_world(static_cast<int>(member));
      places_[member] = find_place(collective_.call, {mine, bytes, "source"}, pe);
      if (places_[member]) continue;
      if (fetched_.empty()) fetched_.resize(places_.size() * std::max(bytes, kPiece));
      char *here = fetched_.data() + member * std::max(bytes, kPiece);
      get_bytes(collective_.call, fetching, {here, mine, bytes, pe}, Returns::at_once);
      places_[member] = here;
      fetches = true;
    }
    if (fetches) quiet(collective_.call, fetching);
  }

  const Collective &collective_;
  const Reduction &reduction_;
  std::vector<const char *> places_;
  std::vector<char> fetched_;
};

void reduce_small(const Collective &collective, const Reduction &reduction) {
  alignas(64) char values[kSmallReduction];
  sync_members(collective);
  Combiner(collective, reduction).combine({0, reduction.count}, values);
  sync_members(collective);
  std::memcpy(reduction.dest, values, reduction.bytes());
}

/// Where an argument is wrong, the message names it as a whole, on each PE.
void check(const Collective &collective, const Reduction &reduction) {
  const int pe = collective.pes.to_world(collective.me);
  find_offset(collective.call, {reduction.source, reduction.bytes(), "source"}, pe);
  if (reduction.bytes() > kSmallReduction) find_offset(collective.call, {reduction.dest, reduction.bytes(), "dest"}, pe);
  if (!reduction.dest) stop_for_null(collective.call, "dest");
}

/// The share of a member.
Elements share_of(const Collective &collective, std::size_t count) {
  const auto members = static_cast<std::size_t>(collective.size()), me = static_cast<std::size_t>(collective.me);
  const std::size_t first = count / members * me + std::min(me, count % members);
  return {first, count / members + (me < count % members ? 1 : 0)};
}

void reduce_share(const Collective &collective, const Reduction &reduction) {
  alignas(64) char values[kPiece];
  Combiner combiner(collective, reduction);
  const Elements share = share_of(collective, reduction.count);
  const std::size_t at_a_time = kPiece / reduction.combination.element_bytes;
  for (std::size_t done = 0; done < share.count; done += at_a_time) {
    const Elements piece{share.first + done, std::min(at_a_time, share.count - done)};
    combiner.combine(piece, values);
    for (int i = 0; i < collective.size(); ++i) {
      const int member = (collective.me + i) % collective.size();
      put_bytes(
          collective.call, fetching,
          {dest_at(reduction, piece.first), values, piece.count * reduction.combination.element_bytes, collective.pes.to_world(member)},
          Returns::when_reusable);
    }
  }
}

}  // namespace

void reduce_members(const Collective &collective, const Reduction &reduction) {
  if (reduction.count == 0) return;
  check(collective, reduction);
  if (reduction.bytes() <= kSmallReduction) return reduce_small(collective, reduction);
  sync_members(collective);
  reduce_share(collective, reduction);
  quiet(collective.call, fetching);
  sync_members(collective);
}

}  // namespace halocline::core::shmem
