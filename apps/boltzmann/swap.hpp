// How a rank gets the values around its block, and the table of variants.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "domain.hpp"

#include <common/ahead.hpp>
#include <common/skew.hpp>

#include <memory>
#include <string>
#include <vector>

namespace boltzmann {

/// Where the values of a component in one direction of the block are: site (x, y, z), counted from 0 in the block, is at
/// data + x * stride_x + y * stride_y + z.
struct Place {
  const double *data = nullptr;
  std::int64_t stride_x = 0, stride_y = 0;
  const double *at(std::int64_t x, std::int64_t y, std::int64_t z) const { return data + x * stride_x + y * stride_y + z; }
};

/// A value of each site. A component that moves is needed only where it enters a block; one that does not, on all sides.
struct Component {
  const int *velocity = nullptr;  ///< null: it is needed on all sides
  const char *name;
};

/// Two arrays, used in turn. All variants use the same memory, one after the other, so that none has pages that its caches like better.
using Memory = std::array<halocline::SharedArray<double>, 2>;
/// Room for some components of a domain, which the node's ranks can read. Collective.
Memory make_memory(const halocline::Context &context, const Domain &domain, std::size_t components);

/// What all swaps are made of.
struct Setup {
  const halocline::Context &context;
  const Domain &domain;
  common::Skew &skew;
  Memory &memory;
  std::vector<Component> components;
  const char *name;  ///< of the swap, for messages
  bool full;         ///< all components travel to all sides, whether they are needed or not
};

/// Two arrays of components, used in turn, and the swaps of them.
class Swap {
 public:
  /// Collective.
  explicit Swap(const Setup &setup);
  Swap(const Swap &) = delete;
  Swap &operator=(const Swap &) = delete;
  virtual ~Swap() = default;

  /// The block that the values around are those of.
  virtual const Domain &domain() const { return domain_; }
  /// The first site of a component's array, halo included.
  double *array(int turn, int component) {
    return memory_[static_cast<std::size_t>(turn)].data() + static_cast<std::size_t>(component) * domain_.volume();
  }
  /// A row of the block.
  double *row(int turn, int component, std::int64_t x, std::int64_t y) { return array(turn, component) + domain_.offset(x, y, 0); }
  /// The block's values are as they shall travel. Its outer rows are not written until finish of the other turn.
  void start(int turn) {
    skew_.delay();
    do_start(turn);
  }
  /// The values around the block are known, and those of the other turn are no longer read by anyone.
  void finish(int turn) {
    skew_.delay();
    do_finish(turn);
  }
  /// Moves the swap along. Returns what is worth prefetching before the outer rows are computed; null: nothing, or not yet.
  virtual const common::CacheLines *look(int) { return nullptr; }
  /// Nobody reads the arrays any more: other swaps may use them. Collective.
  virtual void settle() {}
  /// Where the values in a direction are: those of the block itself, or beside it after finish.
  const Place &place(int turn, int component, int direction) const {
    return places_[turn][static_cast<std::size_t>(component * kDirections + direction)];
  }
  int components() const { return static_cast<int>(components_.size()); }
  /// Bytes that this rank gets from others per swap.
  virtual std::int64_t bytes_in() const { return 0; }

 protected:
  const std::vector<Component> &list() const { return components_; }
  Place &place_at(int turn, int component, int direction) {
    return places_[turn][static_cast<std::size_t>(component * kDirections + direction)];
  }
  /// Whether a component is swapped in a direction of the block.
  bool is_filled(int component, const int *v) const;
  bool full() const { return full_; }
  const Domain &block() const { return domain_; }

 private:
  virtual void do_start(int turn) = 0;
  virtual void do_finish(int turn) = 0;

  const Domain &domain_;
  common::Skew &skew_;
  Memory &memory_;
  std::vector<Component> components_;
  bool full_;
  std::vector<Place> places_[2];
};

/// As Ludwig: MPI_Isend and MPI_Irecv of derived datatypes, one dimension after the other. Making one is collective.
std::unique_ptr<Swap> make_messages(const Setup &setup);
/// No swaps: each block borders on itself. Only for the time of what is no communication. Making one is collective.
std::unique_ptr<Swap> make_local(const Setup &setup);
/// By the library, in one of its modes. Making one is collective.
std::unique_ptr<Swap> make_halo(const Setup &setup, halocline::Mode mode);

/// A row of the table. Making a swap is collective.
struct Kind {
  const char *name;
  std::unique_ptr<Swap> (*make)(const Setup &setup);
};
const std::vector<Kind> &kinds();

}  // namespace boltzmann
