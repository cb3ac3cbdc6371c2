// SPDX-License-Identifier: BSD-3-Clause
#include "window.hpp"

#include <cstdint>

#include "errors.hpp"
#include "watchdog.hpp"

namespace doctor {
namespace {

/// Windows of shared memory are for the ranks of one node alone.
void refuse_several_nodes(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  int size = 0, near = 0;
  CALL(MPI_Comm_split_type, comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  CALL(MPI_Comm_size, comm, &size);
  CALL(MPI_Comm_size, node, &near);
  CALL(MPI_Comm_free, &node);
  if (near != size) throw Lacks("the ranks are on several nodes: no shared window of all of them");
}

}  // namespace

const char *name_of(Kind kind) {
  constexpr const char *names[] = {"create", "allocate", "shared", "dynamic"};
  return names[static_cast<int>(kind)];
}

const char *maker_of(Kind kind) {
  constexpr const char *names[] = {"MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_create_dynamic"};
  return names[static_cast<int>(kind)];
}

Window::Window(Kind kind, MPI_Comm comm, const WindowShape &shape) : kind_(kind), comm_(comm), shape_(shape), unit_(shape.unit) {
  watch_phase("a window of " + std::to_string(shape.bytes) + " bytes by " + maker_of(kind));
  if (kind == Kind::create || kind == Kind::dynamic) allocate_memory();
  make();
  return_window_errors(handle_);
}

Window::~Window() {
  // MPI still knows the memory of a window that a probe was cut short in.
  if (memory_ && handle_ == MPI_WIN_NULL) MPI_Free_mem(memory_);
}

void Window::free() {
  settle();
  if (kind_ == Kind::dynamic) CALL(MPI_Win_detach, handle_, base_);
  CALL(MPI_Win_free, &handle_);
}

/// Open MPI 5 crashes soon after a window is freed while messages of its transfers are still on their way home. The probe
/// epochs/free_at_once looks for that; every other one lets them come home first, which each look for a message does for some of them.
void Window::settle() const {
  constexpr int kLooks = 128;
  int any = 0;
  CALL(MPI_Barrier, comm_);
  for (int i = 0; i < kLooks; ++i) CALL(MPI_Iprobe, MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &any, MPI_STATUS_IGNORE);
}

/// The standard lets an MPI restrict locks to memory of MPI_Alloc_mem.
void Window::allocate_memory() {
  CALL(MPI_Alloc_mem, static_cast<MPI_Aint>(shape_.bytes + shape_.offset + 2 * kGuard + 64), MPI_INFO_NULL, &memory_);
  const auto start = (reinterpret_cast<std::uintptr_t>(memory_) + kGuard + 63) / 64 * 64;
  base_ = reinterpret_cast<unsigned char *>(start + shape_.offset);
}

void Window::make() {
  const auto bytes = static_cast<MPI_Aint>(shape_.bytes);
  if (kind_ == Kind::create) {
    CALL(MPI_Win_create, base_, bytes, unit_, MPI_INFO_NULL, comm_, &handle_);
  } else if (kind_ == Kind::allocate) {
    CALL(MPI_Win_allocate, bytes, unit_, MPI_INFO_NULL, comm_, &base_, &handle_);
  } else if (kind_ == Kind::shared) {
    refuse_several_nodes(comm_);
    CALL(MPI_Win_allocate_shared, bytes, unit_, MPI_INFO_NULL, comm_, &base_, &handle_);
  } else {
    int size = 0;
    CALL(MPI_Comm_size, comm_, &size);
    CALL(MPI_Win_create_dynamic, MPI_INFO_NULL, comm_, &handle_);
    CALL(MPI_Win_attach, handle_, base_, bytes);
    MPI_Aint mine = 0;
    CALL(MPI_Get_address, base_, &mine);
    addresses_.resize(static_cast<std::size_t>(size));
    CALL(MPI_Allgather, &mine, 1, MPI_AINT, addresses_.data(), 1, MPI_AINT, comm_);
  }
}

MPI_Aint Window::displacement(int rank, std::size_t byte) const {
  const auto place = static_cast<MPI_Aint>(byte);
  return kind_ == Kind::dynamic ? MPI_Aint_add(addresses_[static_cast<std::size_t>(rank)], place) : place / unit_;
}

}  // namespace doctor
