// How a rank gets the values around its block, and the table of variants. A field of one parity is swapped at a time, so only
// the sites of that parity travel.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "geometry.hpp"

#include <common/ahead.hpp>
#include <common/skew.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace lattice {

using common::Ahead;
using common::CacheLines;

/// One of the arrays of a gather. Each parity has two, used in turn: neighbours may still read the last one while the next is written.
struct Slot {
  int parity, turn;
  int number() const { return 2 * parity + turn; }
};
inline constexpr int kSlots = 4;
inline constexpr Slot kAllSlots[kSlots] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};

/// What all gathers are made of.
struct Setup {
  const halocline::Context &context;
  const Geometry &geometry;
  std::size_t entry_bytes;  ///< of a site
  common::Skew &skew;
};

/// Arrays of sites and their ghosts, and their swaps. All are in memory that the node shares, whether it is read there or not.
class Gather {
 public:
  /// Collective.
  explicit Gather(const Setup &setup);
  Gather(const Gather &) = delete;
  Gather &operator=(const Gather &) = delete;
  virtual ~Gather() = default;

  /// The sites of a slot, in the geometry's order.
  template <class T>
  T *array(Slot slot) {
    return reinterpret_cast<T *>(bytes(slot));
  }
  /// The sites are as they shall travel, and are not written until all ranks have finished, and begun with the parity's other slot.
  void start(Slot slot) {
    skew_.delay();
    do_start(slot);
  }
  /// Moves the swap along, once the sites that others need have been read for the last time before finish. Returns what is worth
  /// prefetching until then; null: nothing, or not yet.
  const CacheLines *look(Slot slot) { return do_look(slot); }
  /// The values around the block are known.
  void finish(Slot slot) {
    skew_.delay();
    do_finish(slot);
  }
  /// The location of the ghosts of sides()[side] after finish.
  virtual const std::byte *data(Slot slot, std::size_t side) const;
  /// The entry there of a ghost: the same after each finish.
  virtual std::int32_t entry(Slot slot, std::size_t side, std::int32_t ghost) const;
  /// Bytes that this rank gets from others per swap of a parity, its own left out.
  virtual std::int64_t bytes_in() const;

 protected:
  std::byte *bytes(Slot slot) { return arrays_[slot.number()].data(); }
  const Geometry &geometry() const { return geometry_; }
  std::size_t entry_bytes() const { return entry_bytes_; }

 private:
  virtual void do_start(Slot slot) = 0;
  virtual const CacheLines *do_look(Slot) { return nullptr; }
  virtual void do_finish(Slot slot) = 0;

  const Geometry &geometry_;
  std::size_t entry_bytes_;
  common::Skew &skew_;
  int rank_;
  std::vector<halocline::SharedArray<std::byte>> arrays_;
};

/// MPI_Irecv into the ghosts, MPI_Isend of packed buffers, one message per side, as MILC's gathers. Making one is collective.
std::unique_ptr<Gather> make_messages(const Setup &setup);
/// No swaps: the values around the block are 0. Only for the time of what is no communication. Making one is collective.
std::unique_ptr<Gather> make_local(const Setup &setup);
/// An index halo per parity, in one of the library's modes.
std::unique_ptr<Gather> make_halo(const Setup &setup, halocline::Mode mode);

/// A row of the table. Making a gather is collective.
struct Kind {
  const char *name;
  std::unique_ptr<Gather> (*make)(const Setup &setup);
};
const std::vector<Kind> &kinds();

}  // namespace lattice
