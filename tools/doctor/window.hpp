// A window of any of the four kinds behind one face: where my memory lies, and which displacement reaches a byte of a rank's memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

namespace doctor {

enum class Kind { create, allocate, shared, dynamic };
inline constexpr Kind kKinds[] = {Kind::create, Kind::allocate, Kind::shared, Kind::dynamic};

const char *name_of(Kind kind);
/// The function that makes it.
const char *maker_of(Kind kind);

/// How a window is asked for. Sizes and units may differ from rank to rank.
struct WindowShape {
  std::size_t bytes = 0;
  std::size_t offset = 0;  ///< of the base behind a multiple of 64; kinds that choose their memory themselves pass over it
  int unit = 1;            ///< displacement unit; dynamic windows have none
};

class Window {
 public:
  /// Collective over comm; throws Refused.
  Window(Kind kind, MPI_Comm comm, const WindowShape &shape);
  Window(const Window &) = delete;
  Window &operator=(const Window &) = delete;
  ~Window();
  /// Ends the window, collectively. Left out when a probe fails: then the ranks may not be at one.
  void free();

  operator MPI_Win() const { return handle_; }
  unsigned char *base() const { return base_; }
  std::size_t bytes() const { return shape_.bytes; }
  std::size_t offset() const { return shape_.offset; }
  int unit() const { return unit_; }
  /// What MPI_Put takes to reach a byte of a rank's memory.
  MPI_Aint displacement(int rank, std::size_t byte) const;
  /// Bytes of mine on both sides of the window, that no put may touch; 0 where the memory is the MPI's.
  std::size_t guard() const { return memory_ ? kGuard : 0; }

 private:
  static constexpr std::size_t kGuard = 128;
  void allocate_memory();
  void make();
  void settle() const;

  Kind kind_;
  MPI_Comm comm_;
  WindowShape shape_;
  MPI_Win handle_ = MPI_WIN_NULL;
  unsigned char *memory_ = nullptr, *base_ = nullptr;
  std::vector<MPI_Aint> addresses_;  // of a dynamic window: every rank's base
  int unit_ = 1;
};

}  // namespace doctor
