// Memory of the library in which views show cells, as Python may keep it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <utility>

#include "library.hpp"

namespace halocline::python {

/// The bytes from an address on, and what keeps them.
struct KeptBytes {
  std::uintptr_t address;
  nb::object owner;
};

/// An array over a view may live longer than what it shows. So shared pages are mapped once more, and others are copied.
class ShownCells {
 public:
  /// `lasts`: until `clear` the library shows the same pages at an address, so that each is mapped once.
  explicit ShownCells(bool lasts) : lasts_(lasts) {}
  KeptBytes kept(const char *first, std::size_t bytes);
  void clear() { mapped_.clear(); }

 private:
  bool lasts_;
  std::map<std::pair<const char *, std::size_t>, KeptBytes> mapped_;
};

}  // namespace halocline::python
