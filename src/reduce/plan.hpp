// Which elements of a reduction are combined where, in what order, and their places in shared memory. Plain arithmetic, the same on all
// ranks.
//
// The array has a part per node, each part `rounds` rows of `lanes` chunks. In step s, 0 <= s <= 2N - 2, node k works on part k - s (modulo
// N). In step 0 it combines the elements of its own ranks. In steps 1 to N - 1 it combines what it received from node k - 1 with its ranks'
// elements. In step N - 1 that is the result, which steps N to 2N - 2 pass on. Every step but the last sends to node k + 1. A *unit* is one
// step of one round. Steps of several rounds interleave, each round `kAhead` ticks after the one before, so the chunks of several rounds
// are under way in the ring.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/atomics.hpp"
#include "base/rounds.hpp"

namespace halocline::core {

/// Elements first to first + count - 1.
struct Range {
  std::int64_t first = 0, count = 0;
};

/// The chunks of a part in one round, one per lane.
struct ChunkRow {
  std::uint64_t serial;  // counts the units of all runs: it chooses the slots
  std::int64_t round;
  int part;
};

/// How an array is cut.
struct Cut {
  std::int64_t count = 0, element_bytes = 1;
  int nodes = 1, lanes = 1;
  std::int64_t chunk = 1;  // elements at most
  std::int64_t rounds = 0;

  /// Chooses the chunks.
  static Cut of(std::int64_t count, std::int64_t element_bytes, int nodes, int lanes);
  std::int64_t chunk_bytes() const { return round_up(chunk * element_bytes, 64); }
  int steps() const { return 2 * nodes - 1; }
  int sends() const { return 2 * nodes - 2; }  // of each lane in each round
  std::int64_t units() const { return rounds * steps(); }
  Range part(int p) const {
    const std::int64_t each = count / nodes, more = count % nodes;
    return {each * p + (p < more ? p : more), each + (p < more ? 1 : 0)};
  }
  /// The part that a node works on in a step.
  int part_at(int node, int step) const { return (node - step + 2 * nodes) % nodes; }
  Range chunk_of(std::int64_t round, int p, int lane) const;
  Range chunk_of(const ChunkRow &row, int lane) const { return chunk_of(row.round, row.part, lane); }
  /// Number of chunks that hold elements.
  std::int64_t chunks() const;
  std::int64_t bytes() const { return count * element_bytes; }
  std::int64_t bytes(Range range) const { return range.count * element_bytes; }
  std::int64_t offset(Range range) const { return range.first * element_bytes; }
};

/// Number of steps in which every node's pack reaches all nodes. In step s a node sends all packs it has to the node 2^s after, which
/// doubles what each node has.
constexpr int doubling_steps(int nodes) { return doubling_rounds(nodes); }
/// Number of packs in one message: in step s as many as a node has, or as are still missing.
constexpr int packs_of_step(int nodes, int step) { return std::min(1 << step, nodes - (1 << step)); }

/// The distance in bytes between the ranks' elements in a pack.
constexpr std::int64_t pack_stride(std::int64_t bytes) { return round_up(bytes, 16); }

/// The number of ticks between the beginnings of two rounds.
inline constexpr int kAhead = 2;

/// Iterates over the units of a run, in the order in which every rank works on them.
class Units {
 public:
  explicit Units(const Cut &cut) : cut_(cut) { settle(); }
  bool over() const { return number_ >= cut_.units(); }
  int step() const { return step_; }
  std::int64_t round() const { return tick_ - std::int64_t{kAhead} * step_; }
  std::int64_t number() const { return number_; }
  /// What the step does with its chunks: a node combines its elements; the result is final; the node after gets it.
  bool combines() const { return step_ < cut_.nodes; }
  bool is_final() const { return step_ >= cut_.nodes - 1; }
  bool sends() const { return step_ < cut_.sends(); }
  void next() {
    number_ += 1;
    step_ += 1;
    settle();
  }

 private:
  bool there() const { return step_ < cut_.steps() && round() >= 0 && round() < cut_.rounds; }
  void settle() {
    while (!over() && !there()) {
      // Later steps belong to earlier rounds: a tick ends with its last step, or where round 0 is passed.
      if (step_ + 1 < cut_.steps() && round() >= cut_.rounds)
        step_ += 1;
      else
        tick_ += 1, step_ = 0;
    }
  }
  const Cut &cut_;
  std::int64_t tick_ = 0, number_ = 0;
  int step_ = 0;
};

/// The words by which a rank publishes its progress to the node, in units since the plan was made. All are written by this rank alone.
struct Milestones {
  Counter given;  // its elements are in its part, for the others to combine
  Counter worked;  // the results of its lanes are in its part, and it needs the others' elements no more
  Counter taken;  // it has taken the others' results
  Counter opened;  // counts the exchanges of notices about the ranks' arrays
};
static_assert(sizeof(Milestones) == 4 * kLinePair);

///   a rank's part:  | Milestones | a Notice | a word that other nodes write | a word to send from | elements: given_slots x lanes chunks |
///                   | results: result_slots x my lanes chunks | from the node before: slots x my lanes chunks |
/// Where elements are few, there are no chunks: each of the given_slots holds the elements of a whole run. Between nodes only the first
/// rank then has lanes, one per step of doubling. Its result slots are rows of packs, one per node: its own node's, then those of the nodes
/// before.
struct Layout {
  static constexpr std::int64_t notice = sizeof(Milestones), word = notice + kLinePair, source = word + 64, given = word + 128;

  std::int64_t chunk_bytes = 0;
  int lanes = 1, members = 1, slots = 0;
  int given_slots = 3, result_slots = 4;
  std::int64_t pack_bytes = 0, given_bytes = 0;  // of a node, of a rank; 0: chunks are sent round the ring
  int packs = 0;

  /// Chooses given_slots and result_slots; slots: for chunks from the node before.
  static Layout of(std::int64_t chunk_bytes, int lanes, int members, int slots);
  /// The layout where few elements are sent to other nodes in packs.
  static Layout of_packs(std::int64_t pack_bytes, std::int64_t given_bytes, int members, int nodes);
  static constexpr int kPackTurns = 4;
  bool doubles() const { return packs > 0; }
  int lanes_of(int member) const {
    if (doubles()) return member == 0 ? lanes : 0;
    return (lanes - member + members - 1) / members;
  }
  /// A lane sends to the node that is this number of nodes after mine.
  int distance_of(int lane) const { return doubles() ? 1 << lane : 1; }
  std::int64_t given_row() const { return doubles() ? given_bytes : lanes * chunk_bytes; }
  std::int64_t given_at(std::int64_t unit, int lane) const { return given + unit % given_slots * given_row() + lane * chunk_bytes; }
  std::int64_t results() const { return given + given_slots * given_row(); }
  std::int64_t result_row(int member) const {
    if (doubles()) return member == 0 ? packs * pack_bytes : 0;
    return lanes_of(member) * chunk_bytes;
  }
  /// The result slot of the index-th lane of a member; in doubling all lanes send from the same rows.
  std::int64_t result_at(int member, int slot, int index) const {
    return results() + slot * result_row(member) + (doubles() ? 0 : index * chunk_bytes);
  }
  std::int64_t incoming(int member) const { return results() + result_slots * result_row(member); }
  std::int64_t incoming_at(int member, int slot, int index) const {
    return incoming(member) + (std::int64_t{slot} * lanes_of(member) + index) * chunk_bytes;
  }
  std::int64_t bytes(int member) const { return incoming_at(member, slots, 0); }
};

}  // namespace halocline::core
