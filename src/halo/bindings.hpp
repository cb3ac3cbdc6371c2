// The arrays of a halo whose swaps may use other arrays than the spec's. My own are bound when a swap starts. Those of neighbours that are
// read directly are found once they have sent the places of their fields. Memory from hlc_field_alloc is held until the swap is over.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "engine/communicator/topology.hpp"
#include "engine/memory/fields.hpp"
#include "halo/tables.hpp"

namespace halocline::core {

class Bindings {
 public:
  /// Bytes from the beginning of a neighbour's field to its cells that face me.
  struct Reach {
    std::int64_t halo = 0, edge = 0;
  };

  /// The paths have been listed. places: where neighbours find my fields in the running swap.
  Bindings(HaloTables &tables, const Topology &topology, Fields &fields, std::vector<FieldPlace> &places);
  Bindings(const Bindings &) = delete;
  Bindings &operator=(const Bindings &) = delete;
  ~Bindings() { release(); }

  /// Neighbours read my fields, or I read theirs.
  void note_readers() { is_read_ = true; }
  void note_reach(std::size_t path, std::size_t field, const Reach &reach) { reach_[path * tables_.fields.size() + field] = reach; }

  /// Binds the fields that a swap moves, all or none: to the arrays in data, else to the spec's. Sets *moved if an array is not that of the
  /// last swap.
  Status bind(const hlc_swap *what, void *const *data, bool *moved);
  /// Finds the cells of a neighbour on this node from the places of its fields in this swap.
  Status find(std::size_t path, Member member, std::span<const FieldPlace> places);
  /// The swap is over: its arrays may be freed.
  void release() { release(held_); }

 private:
  /// Memory of a rank of the node.
  struct Held {
    std::int64_t serial = -1;
    Member member = kNotOnNode;
    char *part = nullptr;
  };
  Status hold(std::size_t field);
  void release(std::vector<Held> &some);
  char *borrow(std::int64_t serial, Member member);

  HaloTables &tables_;
  const Topology &topology_;
  Fields &fields_;
  std::vector<FieldPlace> &places_;
  std::vector<char *> planned_;  // per field: the spec's array
  std::vector<char *> wanted_;  // per field: the array of the swap that is being started
  std::vector<Reach> reach_;  // per path and field
  std::vector<Held> held_;  // by the running swap, or by views of the last one
  std::vector<Held> held_before_;  // by the one before, while a swap is being started
  bool is_read_ = false;
};

}  // namespace halocline::core
