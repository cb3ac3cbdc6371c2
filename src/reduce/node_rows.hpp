// What the ranks of a node pass each other in a run with many elements, row by row: elements to combine, and results. It goes through slots
// in the plan's memory. Arrays that the node can read are not copied for this, but combined and taken in place.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "reduce/algorithm.hpp"
#include "reduce/node_ranks.hpp"
#include "reduce/shared_arrays.hpp"

namespace halocline::core {

/// One rank's side. A rank gives its elements, works on the chunks of its own lanes, and takes the results of the others.
class NodeRows {
 public:
  /// Allocates.
  NodeRows(const ReducePlan &plan, NodeRanks &ranks, Fields &fields);
  /// Begins a run: finds the arrays that are read in place.
  Status open(RunArrays arrays);
  /// Ends a run: waits until no rank reads my array any more. `rows`: those of all runs so far.
  Status close(std::uint64_t rows);
  /// Exists from before `open` to the end of the run, also of one that fails; then releases the arrays.
  class Opened;

  /// Gives my elements of a row.
  Status give(const ChunkRow &row, const char *in);
  /// Waits until all have given theirs.
  Status await_given(const ChunkRow &row);
  /// The elements of all ranks of the node, by member, for a chunk of a lane. `in`: my own array.
  void list_elements(const ChunkRow &row, int lane, const char *in, const char **sources) const;

  /// Waits until a row's slot of results may be written again.
  Status await_taken(const ChunkRow &row);
  /// The result slot of my index-th lane.
  int result_slot(const ChunkRow &row) const {
    return static_cast<int>(row.serial % static_cast<std::uint64_t>(plan_.layout.result_slots));
  }
  char *my_result(const ChunkRow &row, int index) const {
    return ranks_.part(ranks_.me()) + plan_.layout.result_at(ranks_.me(), result_slot(row), index);
  }
  /// True if other ranks take my results from my array.
  bool shows_array() const { return arrays_.out(ranks_.me()) != nullptr; }
  /// True if they take them from my slots.
  bool shows_slots() const { return ranks_.members() > 1 && !shows_array(); }
  /// True if my array is written past the caches.
  bool streams() const { return plan_.past_caches && !shows_array(); }
  /// The results of my lanes are there, and I have read all elements.
  void publish_worked(const ChunkRow &row);

  /// Takes the results of the others' lanes.
  Status take(const ChunkRow &row, char *out);
  /// The others' slots of a row may be written again.
  void publish_taken(const ChunkRow &row);

 private:
  Status meet();
  Status share(const Notice &mine);

  const ReducePlan &plan_;
  NodeRanks &ranks_;
  SharedArrays arrays_;  // of the current run
  std::uint64_t opened_ = 0;
};

class NodeRows::Opened {
 public:
  explicit Opened(NodeRows &rows) : rows_(rows) {}
  Opened(const Opened &) = delete;
  Opened &operator=(const Opened &) = delete;
  ~Opened() { rows_.arrays_.release(); }

 private:
  NodeRows &rows_;
};

}  // namespace halocline::core
