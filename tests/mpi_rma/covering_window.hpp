// A window of the covering test, as a row of the array wants it, and an epoch on it. Memory that the program brings has guards around it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "mpi_rma/covering_values.hpp"

// Calls name, or name_c with large counts if the row wants that and the MPI has it.
#if MPI_VERSION >= 4
#define COVERING_CALL(large, name, ...) ((large) ? name##_c(__VA_ARGS__) : name(__VA_ARGS__))
#else
#define COVERING_CALL(large, name, ...) name(__VA_ARGS__)
#endif

namespace covering {

/// A row of the array: the value of each factor.
class Row {
 public:
  explicit Row(std::string line);
  const std::string &operator[](const std::string &factor) const;
  bool is(const std::string &factor, const std::string &value) const { return (*this)[factor] == value; }
  bool large() const { return is("count", "large"); }
  bool active() const { return is("sync", "fence") || is("sync", "pscw") || is("sync", "pscw_test"); }
  const std::string &line() const { return line_; }

 private:
  std::string line_;
  std::map<std::string, std::string> words_;
};

/// Memory of the program: aligned to 64 bytes, between guards.
class Guarded {
 public:
  Guarded(std::ptrdiff_t bytes, bool from_mpi);
  ~Guarded();
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;
  char *data() const { return data_; }
  bool is_whole() const;

 private:
  bool from_mpi_;
  std::ptrdiff_t bytes_;
  char *block_ = nullptr, *data_ = nullptr;
};

class Window {
 public:
  Window(const Row &row, MPI_Comm comm, std::ptrdiff_t bytes);
  ~Window();
  Window(const Window &) = delete;
  Window &operator=(const Window &) = delete;

  /// For accesses: the second window over the memory, if there are two.
  MPI_Win win() const { return twin_ != MPI_WIN_NULL ? twin_ : win_; }
  MPI_Win first() const { return win_; }
  char *data() const { return data_; }
  std::ptrdiff_t bytes() const { return bytes_; }
  MPI_Aint displacement(int target, std::ptrdiff_t offset) const;
  int unit_of(int rank) const;
  /// Collective: `change` stores into my memory, between synchronisations.
  template <class Change>
  void store(Change change) {
    open_stores();
    change();
    close_stores();
  }
  /// Collective: attaches a copy of dynamic memory, and detaches the first.
  void move();
  /// What attributes, names, info, group and handlers say wrongly; empty if nothing.
  std::string inspect();
  /// The memory of a rank as this one loads it, or null.
  const char *shared_memory_of(int rank) const;
  bool guards_are_whole() const { return !memory_ || memory_->is_whole(); }

 private:
  void create(MPI_Info info);
  void create_twin();
  void attach(char *data);
  void open_stores();
  void close_stores();
  std::string inspect_attributes() const;
  std::string inspect_user_data();
  std::string inspect_handler() const;

  const Row &row_;
  MPI_Comm comm_;
  std::ptrdiff_t bytes_;
  int rank_ = 0, size_ = 0;
  MPI_Win win_ = MPI_WIN_NULL, twin_ = MPI_WIN_NULL;
  char *data_ = nullptr;
  Guarded *memory_ = nullptr;
  std::vector<MPI_Aint> addresses_;
  int key_ = MPI_KEYVAL_INVALID;
};

/// An epoch that gives access to one rank, and lets those in that access this one.
class Epoch {
 public:
  /// `target` may be MPI_PROC_NULL; `origins` are those whose target I am.
  Epoch(const Row &row, MPI_Win win, int target, std::vector<int> origins);
  ~Epoch();
  Epoch(const Epoch &) = delete;
  Epoch &operator=(const Epoch &) = delete;
  void begin();
  void end();
  /// A rank that a flush may name.
  int flushed() const { return target_ == MPI_PROC_NULL ? rank_ : target_; }

 private:
  void begin_pscw();
  void lock();

  const Row &row_;
  MPI_Win win_;
  int target_, rank_ = 0;
  MPI_Group to_ = MPI_GROUP_NULL, from_ = MPI_GROUP_NULL, all_ = MPI_GROUP_NULL;
};

}  // namespace covering
