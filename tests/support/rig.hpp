// A rig drives one halo of the library through swaps of a case and compares all of its memory, padding included, with the oracle's.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/cases.hpp"
#include "support/modes.hpp"
#include "support/mpi_test.hpp"

namespace halocline::test {

/// Where the fields are.
enum class Memory {
  shared,           ///< all from hlc_field_alloc
  own,              ///< all from the caller's own heap
  differs_by_rank,  ///< ranks with an odd number use their own heap
  differs_by_arena  ///< arenas with an odd number are on the caller's own heap
};

/// Memory that neither the library allocates nor the host can access.
class Elsewhere {
 public:
  Elsewhere() = default;
  Elsewhere(const Elsewhere &) = delete;
  Elsewhere &operator=(const Elsewhere &) = delete;
  virtual ~Elsewhere() = default;
  /// Whether this rank has an arena there.
  virtual bool has(std::size_t arena) const = 0;
  virtual void *allocate(std::size_t bytes) = 0;
  virtual void release(void *memory) = 0;
  virtual void write(void *to, const Arena &bytes) = 0;
  virtual Arena read(const void *from, std::size_t bytes) = 0;
};

inline constexpr hlc_swap everything{};

class Rig {
 public:
  /// Allocates the fields and plans the halo. Collective. A failure is reported on the rank that detected it; see ready(). With several
  /// sets of arrays swaps are bound to the one that has been chosen, first to that of the spec.
  /// Arenas that `elsewhere` has are there, and `memory` says nothing of them; it has to outlive the rig.
  Rig(Case halo, const ModeChoice &mode, Memory memory = Memory::shared, int sets = 1, Elsewhere *elsewhere = nullptr);
  ~Rig();
  Rig(const Rig &) = delete;
  Rig &operator=(const Rig &) = delete;

  /// Whether the halo can be swapped, the same on all ranks.
  bool ready() const { return ready_; }
  hlc_halo *halo() const { return halo_; }
  const Case &shape() const { return case_; }

  /// From now on all functions use this set of arrays.
  void choose(int set) { set_ = static_cast<std::size_t>(set); }
  /// Starts a swap of the chosen arrays.
  hlc_status start(const hlc_swap &what = everything) const;
  /// Where the fields of the chosen set begin.
  std::vector<void *> addresses() const;

  /// Poisons all memory and writes the interior of a step; before a swap in reverse writes small numbers to all of it.
  void fill(int step, const hlc_swap &what = everything);
  /// Compares all memory with what fill(step, what) and a swap of `what` must leave behind.
  void expect(int step, const hlc_swap &what = everything);
  /// fill, start, finish, expect.
  void swap_once(int step, const hlc_swap &what = everything);

  /// Overwrites memory, and reads it back.
  void write(const Image &image);
  void write_arena(std::size_t arena, const Arena &bytes);
  Image read() const;
  /// All memory, or an image of it, with its halo as the views of a swap show it.
  Image seen(const hlc_swap &what) const;
  Image seen(const hlc_swap &what, Image image) const;
  /// Compares all memory with an image.
  void expect_image(int step, const Image &expected);

 private:
  void allocate(Memory memory);
  hlc_status plan(const ModeChoice &mode);

  Case case_;
  std::vector<std::size_t> bytes_;
  std::size_t sets_ = 1, set_ = 0;
  std::vector<void *> shared_;  ///< per set and arena: from hlc_field_alloc, or null
  Image own_;
  Elsewhere *elsewhere_ = nullptr;
  std::vector<void *> there_;   ///< per set and arena: from elsewhere, or null
  hlc_halo *halo_ = nullptr;
  bool ready_ = false;

  std::byte *data(std::size_t arena) const;
};

}  // namespace halocline::test
