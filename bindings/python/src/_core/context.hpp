// The context: the library opened for the ranks of a communicator, its grids and the memory of its fields.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <set>

#include "library.hpp"

namespace halocline::python {

/// A second mapping of shared memory of the library. It stays when the library unmaps its own, so that no array of it ever dangles.
class Alias {
 public:
  Alias(void *shared, std::size_t bytes);
  Alias(const Alias &) = delete;
  Alias &operator=(const Alias &) = delete;
  ~Alias();
  char *data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  char *data_ = nullptr;
  std::size_t bytes_;
};

/// Returns an array of bytes over an alias, which lives as long as the array.
nb::object array_over(std::unique_ptr<Alias> alias);

class Context {
 public:
  /// `comm` is the address of an MPI_Comm; 0: MPI_COMM_WORLD.
  explicit Context(std::uintptr_t comm);
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  ~Context();

  /// The handle. Raises StateError once it is closed, and in a forked process.
  hlc_context *raw() const;
  bool is_open() const { return raw_ != nullptr; }
  /// For calls with the handle that wait.
  Uses &uses() { return uses_; }
  /// Releases the memory of all fields; arrays over it stay. Collective.
  void close();

  /// An array of bytes in memory of hlc_field_alloc. Collective.
  nb::object allocate(std::size_t bytes);
  /// The address of so many bytes in the current device's memory, and what keeps them. Collective.
  nb::tuple allocate_on_device(std::size_t bytes);
  /// Where the library sees memory that Python may see through an alias.
  void *translated(void *data) const;

 private:
  friend class FieldMemory;
  friend class DeviceMemory;
  hlc_context *raw_ = nullptr;
  Uses uses_;
  // By the address of their aliases.
  std::map<const char *, class FieldMemory *> fields_;
  std::set<class DeviceMemory *> on_device_;
};

}  // namespace halocline::python
