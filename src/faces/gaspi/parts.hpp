// The segments of this rank, and those of others as far as it has used them. Each rank publishes the descriptors of its segments in its
// control part; a rank that first uses a segment reads its descriptor there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "engine/context/context.hpp"
#include "engine/rma/control_memory.hpp"
#include "faces/gaspi/plan.hpp"

namespace halocline::core::gaspi {

/// Any thread may call, except close. Segment ids are below the limit.
class Parts {
 public:
  Parts(Context &context, ControlMemory &control) : context_(context), control_(control) {}
  Parts(const Parts &) = delete;
  Parts &operator=(const Parts &) = delete;

  /// Releases all segments, before the network is closed.
  void close();

  LocalMemory &control() { return control_.mine(); }
  /// Finds another rank's control part, or this one's. It stays valid.
  Status find_control(int rank, RemoteMemory **part) { return control_.find(rank, part); }

  /// Makes a segment of this rank. GASPI_ERR_INV_SEG if there is one.
  gaspi_return_t add(int id, const MemorySpec &spec);
  /// Lets others read its descriptor.
  void publish(int id);
  /// Reads the descriptor that a rank of this node has published last; version 0 if there is none.
  Status read_descriptor(int rank, int id, MemoryDescriptor *descriptor);
  /// Opens the segment of a rank of another node by its descriptor. Descriptors of ranks of this node are read when they are used.
  void learn_from(int rank, int id, const MemoryDescriptor &descriptor);
  /// Forgets what is known of segments of this id, of all ranks.
  void forget(int id);
  /// Deletes this rank's segment. GASPI_ERR_INV_SEG if there is none.
  gaspi_return_t remove(int id);
  /// Calls use(id) for each segment of this rank, in the order of ids.
  template <class Use>
  void for_each(Use use) {
    const std::shared_lock lock(mutex_);
    for (int id = 0; id < static_cast<int>(kMostSegments); ++id)
      if (own_[static_cast<std::size_t>(id)]) use(id);
  }

  /// Calls use(segment) with the segment of this rank, which stays valid meanwhile.
  template <class Use>
  gaspi_return_t with_own(int id, Use use) {
    const std::shared_lock lock(mutex_);
    LocalMemory *part = own(id);
    return part ? use(*part) : GASPI_ERR_INV_SEG;
  }
  /// The segment of this rank, kept while the caller has it; null if there is none.
  std::shared_ptr<LocalMemory> keep(int id) {
    const std::shared_lock lock(mutex_);
    return id < static_cast<int>(kMostSegments) ? own_[static_cast<std::size_t>(id)] : nullptr;
  }
  /// Calls use(part) with the segment of a rank, which stays valid meanwhile. GASPI_TIMEOUT while its descriptor is read from another node.
  template <class Use>
  gaspi_return_t with(int rank, int id, Use use) {
    while (true) {
      {
        const std::shared_lock lock(mutex_);
        if (RemoteMemory *part = changed() == seen_ ? known(rank, id) : nullptr) return use(*part);
      }
      if (const gaspi_return_t learned = learn(rank, id); learned != GASPI_SUCCESS) return learned;
    }
  }
  /// The address of a rank's segment in this process, null if it is not mapped here. It is valid until this rank deletes its segment of
  /// that id. GASPI_TIMEOUT as above.
  gaspi_return_t show(int rank, int id, gaspi_pointer_t *pointer);
  /// A segment of this rank, null if there is none; to be called inside `with` and `with_own`.
  LocalMemory *own(int id) const { return id < static_cast<int>(kMostSegments) ? own_[static_cast<std::size_t>(id)].get() : nullptr; }

 private:
  static std::uint64_t key(int rank, int id) { return static_cast<std::uint64_t>(rank) << 8 | static_cast<std::uint64_t>(id); }
  /// How often others have registered segments with this rank.
  std::uint64_t changed() const {
    // SYNC descriptor-before-changed (pairs with tell_of_segment)
    return std::atomic_ref(*reinterpret_cast<std::uint64_t *>(control_.mine().data() + Plan::changed())).load(std::memory_order_acquire);
  }
  RemoteMemory *known(int rank, int id) const {
    const auto found = known_.find(key(rank, id));
    return found == known_.end() ? nullptr : found->second.get();
  }
  /// A descriptor that is being read from another node: first its version, then all of it.
  struct Inquiry {
    enum class Stage { none, version, descriptor } stage = Stage::none;
    std::uint64_t changes = 0, version = 0;
    MemoryDescriptor descriptor;
    Flush flush;
  };

  gaspi_return_t learn(int rank, int id);
  Status find_descriptor(int rank, int id, MemoryDescriptor *descriptor);
  Status inquire(int rank, int id, MemoryDescriptor *descriptor);
  Status ask(Inquiry &inquiry, int rank, int id);
  void withdraw(int id);
  MemoryDescriptor *place_of_descriptor(int id) const {
    return reinterpret_cast<MemoryDescriptor *>(control_.mine().data() + Plan::descriptor(id));
  }

  Context &context_;
  ControlMemory &control_;

  std::shared_mutex mutex_;  // of what follows
  std::array<std::shared_ptr<LocalMemory>, kMostSegments> own_;
  std::uint64_t seen_ = 0;
  std::unordered_map<std::uint64_t, std::shared_ptr<OpenedMemory>> known_;  // destroyed before own_
  std::map<std::uint64_t, Inquiry> inquiries_;  // one that has failed stays, because the network may still write to it
  std::mutex shown_mutex_;  // of what follows, beside a shared lock of mutex_
  std::array<std::vector<std::shared_ptr<OpenedMemory>>, kMostSegments> shown_;  // whose addresses the program has
};

}  // namespace halocline::core::gaspi
