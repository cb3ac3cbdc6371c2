// The elements that the covering test computes with, and their places in datatypes: known here without asking MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

namespace covering {

using Bytes = std::vector<char>;

/// A part of an element that has a value; what is between parts is a gap.
struct Part {
  std::ptrdiff_t offset = 0;
  std::size_t bytes = 0;
};

/// What MPI calls a predefined datatype, or a struct of three of them (`mixed`).
struct Element {
  std::string name;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::ptrdiff_t extent = 0;
  std::vector<Part> parts;
  bool gaps_may_change = false;  // of pairs and long double: MPI does not say what becomes of their gaps
};

/// The element of that name; `mixed` is committed at the first call.
const Element &element_named(const std::string &name);
MPI_Op op_named(const std::string &name);

/// Writes small numbers that depend on `seed`, none of them 0 but false.
void write_number(const Element &element, char *to, unsigned seed);
/// Writes what an accumulate with `op` gives: numbers for which no order of operations rounds.
void write_operand(const Element &element, const std::string &op, char *to, unsigned seed);
/// Writes bytes that tell the seed and the place, none of them 0.
void write_pattern(const Element &element, char *to, unsigned seed);
/// What the target holds after the operation.
void combine(const Element &element, const std::string &op, char *target, const char *operand);

/// Elements in a buffer: `count` of `type` from the address `origin` bytes after the buffer's beginning on.
class Layout {
 public:
  /// `elements` is 0, 1 or a multiple of 6; with 0 the datatype is that of 6.
  Layout(const Element &element, const std::string &shape, int elements);
  ~Layout();
  Layout(const Layout &) = delete;
  Layout &operator=(const Layout &) = delete;

  MPI_Datatype type = MPI_DATATYPE_NULL;
  int count = 0;
  std::vector<std::ptrdiff_t> places;  // of the elements, in the order of the type map, from the buffer's beginning
  std::ptrdiff_t origin = 0;  // a multiple of 16
  std::ptrdiff_t bytes = 0;  // of the buffer, a multiple of 64

 private:
  bool make(const Element &element, const std::string &shape, int n);
  void make_more(const Element &element, const std::string &shape, int n);
  void row(const Element &element, std::ptrdiff_t first, int n, std::ptrdiff_t step = 1);
  void settle(const Element &element, int elements);

  bool is_ours_ = false;
};

}  // namespace covering
