// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

namespace ghost {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

class PrivateMemory : public Memory {
 public:
  explicit PrivateMemory(std::size_t bytes) : data_(static_cast<std::byte *>(std::aligned_alloc(kPage, pages(bytes))), &std::free) {
    if (!data_) throw std::bad_alloc();
    std::memset(data_.get(), 0, pages(bytes));
  }
  std::byte *mine() override { return data_.get(); }
  std::byte *of(int) override { return data_.get(); }

 private:
  std::unique_ptr<std::byte, decltype(&std::free)> data_;
};

/// Parts of their own, so that each lies on its owner's memory; a page more, because the standard promises no alignment.
class WindowMemory : public Memory {
 public:
  WindowMemory(MPI_Comm node, std::size_t bytes) : me_(common::rank_of(node)), parts_(static_cast<std::size_t>(common::size_of(node))) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    std::byte *base = nullptr;
    MPI_Win_allocate_shared(static_cast<MPI_Aint>(pages(bytes) + kPage), 1, info, node, &base, &window_);
    MPI_Info_free(&info);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    find_parts(node, base);
    std::memset(mine(), 0, pages(bytes));
    MPI_Barrier(node);
  }
  ~WindowMemory() override {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  std::byte *mine() override { return parts_[static_cast<std::size_t>(me_)]; }
  std::byte *of(int node_rank) override { return parts_[static_cast<std::size_t>(node_rank)]; }

 private:
  /// Each owner says how far its first page lies from the beginning, for it may see it elsewhere than the others.
  void find_parts(MPI_Comm node, std::byte *base) {
    const std::size_t over = reinterpret_cast<std::uintptr_t>(base) % kPage, lead = over ? kPage - over : 0;
    std::vector<std::size_t> leads(parts_.size());
    MPI_Allgather(&lead, sizeof lead, MPI_BYTE, leads.data(), sizeof lead, MPI_BYTE, node);
    for (std::size_t r = 0; r < parts_.size(); ++r) {
      MPI_Aint bytes = 0;
      int unit = 1;
      MPI_Win_shared_query(window_, static_cast<int>(r), &bytes, &unit, &base);
      parts_[r] = base + leads[r];
    }
  }

  MPI_Win window_ = MPI_WIN_NULL;
  int me_ = 0;
  std::vector<std::byte *> parts_;
};

}  // namespace

std::unique_ptr<Memory> private_memory(std::size_t bytes) { return std::make_unique<PrivateMemory>(bytes); }

std::unique_ptr<Memory> window_memory(MPI_Comm node, std::size_t bytes) { return std::make_unique<WindowMemory>(node, bytes); }

void must(gaspi_return_t code, const char *call) {
  if (code == GASPI_SUCCESS) return;
  gaspi_string_t text = nullptr;
  const bool has_text = gaspi_print_error(code, &text) == GASPI_SUCCESS;
  const std::string message = std::string(call) + ": " + (has_text ? text : "failed");
  std::free(text);
  throw std::runtime_error(message);
}

SegmentMemory::SegmentMemory(const Grid &grid, gaspi_segment_id_t id, std::size_t bytes)
    : id_(id), me_(grid.info.node_rank), parts_(static_cast<std::size_t>(grid.info.node_size)) {
  must(gaspi_segment_create(id, pages(bytes), GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_SHARED | GASPI_MEM_INITIALIZED),
       "gaspi_segment_create");
  for (std::size_t r = 0; r < parts_.size(); ++r) {
    gaspi_pointer_t pointer = nullptr;
    must(gaspi_segment_ptr_of(id, static_cast<gaspi_rank_t>(grid.node_ranks[r]), &pointer), "gaspi_segment_ptr_of");
    if (!pointer) throw std::runtime_error("GASPI and the library disagree on which ranks share a node");
    parts_[r] = static_cast<std::byte *>(pointer);
  }
  must(gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK), "gaspi_barrier");
}

SegmentMemory::~SegmentMemory() {
  MPI_Barrier(MPI_COMM_WORLD);  // nobody reads or writes here any more
  gaspi_segment_delete(id_);
}

}  // namespace ghost
