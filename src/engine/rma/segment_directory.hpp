// The segments of this rank, and those of others as far as it has used them. Each rank publishes the descriptors of its segments in its
// control memory; a rank that first uses a segment reads its descriptor there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "engine/rma/control_memory.hpp"
#include "engine/rma/operations.hpp"

namespace halocline::core {

/// Where the control memory holds what the directory publishes, the same on all ranks.
struct SegmentPlaces {
  static constexpr std::int64_t kDescriptor = round_up(sizeof(MemoryDescriptor), kLinePair);

  std::int64_t changed = 0;  // counts the segments that others have registered with this rank
  std::int64_t first = 0;  // the descriptors, by id
  int most = 0;  // ids

  std::int64_t descriptor(int id) const { return first + id * kDescriptor; }
};

/// Any thread may call, except close. Segment ids are below the limit.
class SegmentDirectory {
 public:
  SegmentDirectory(Network &network, ControlMemory &control, const SegmentPlaces &places)
      : network_(network),
        communicator_(network.communicator()),
        control_(control),
        places_(places),
        own_(static_cast<std::size_t>(places.most)),
        shown_(own_.size()) {}
  SegmentDirectory(const SegmentDirectory &) = delete;
  SegmentDirectory &operator=(const SegmentDirectory &) = delete;

  /// Releases all segments, before the network is closed.
  void close();

  LocalMemory &control() { return control_.mine(); }
  /// Finds another rank's control part, or this one's. It stays valid.
  Status find_control(int rank, RemoteMemory **part) { return control_.find(rank, part); }

  /// Lets others read its descriptor.
  void publish(int id);
  /// Reads the descriptor that a rank of this node has published last; version 0 if there is none.
  Status read_descriptor(int rank, int id, MemoryDescriptor *descriptor);
  /// Opens the segment of a rank of another node by its descriptor. Descriptors of ranks of this node are read when they are used.
  void learn_from(int rank, int id, const MemoryDescriptor &descriptor);
  /// Forgets what is known of segments of this id, of all ranks.
  void forget(int id);
  /// Calls use(id) for each segment of this rank, in the order of ids.
  template <class Use>
  void for_each(Use use) {
    const std::shared_lock lock(mutex_);
    for (int id = 0; id < places_.most; ++id)
      if (own_[static_cast<std::size_t>(id)]) use(id);
  }

  /// The segment of this rank, kept while the caller has it; null if there is none.
  std::shared_ptr<LocalMemory> keep(int id) {
    const std::shared_lock lock(mutex_);
    return id < places_.most ? own_[static_cast<std::size_t>(id)] : nullptr;
  }
  /// A segment of this rank, null if there is none; to be called inside `with` and `with_own`.
  LocalMemory *own(int id) const { return id < places_.most ? own_[static_cast<std::size_t>(id)].get() : nullptr; }

 protected:
  /// Makes a segment of this rank, unless there is one.
  Status make(int id, const MemorySpec &spec, bool *is_new);
  /// Deletes this rank's segment. False if there is none.
  bool drop(int id);
  /// The segment of a rank, null unless its descriptor has been read; to be called under a lock.
  RemoteMemory *find(int rank, int id) const { return changed() == seen_ ? known(rank, id) : nullptr; }
  /// Reads its descriptor: `again` while it is read from another node. `exists` is false if there is none.
  Status learn(int rank, int id, bool *exists);
  /// The address of a rank's segment in this process, null if it is not mapped here; to be called under a lock. It is valid until this rank
  /// deletes its segment of that id.
  void *address(int rank, int id, const RemoteMemory &part);
  std::shared_lock<std::shared_mutex> hold() { return std::shared_lock(mutex_); }

 private:
  static constexpr int kIdBits = 16;

  static std::uint64_t key(int rank, int id) { return static_cast<std::uint64_t>(rank) << kIdBits | static_cast<std::uint64_t>(id); }
  static int id_of(std::uint64_t key) { return static_cast<int>(key & ((1u << kIdBits) - 1)); }
  /// How often others have registered segments with this rank.
  std::uint64_t changed() const {
    // SYNC descriptor-before-changed (pairs with announce_segment)
    return std::atomic_ref(*reinterpret_cast<std::uint64_t *>(control_.mine().data() + places_.changed)).load(std::memory_order_acquire);
  }
  RemoteMemory *known(int rank, int id) const {
    const auto found = known_.find(key(rank, id));
    return found == known_.end() ? nullptr : found->second.get();
  }
  /// A descriptor that is being read from another node: its version, all of it, and its version again.
  struct Inquiry {
    enum class Stage { none, version, descriptor, version_again } stage = Stage::none;
    std::uint64_t changes = 0, version = 0, after = 0;
    MemoryDescriptor descriptor;
    Flush flush;
  };

  Status find_descriptor(int rank, int id, MemoryDescriptor *descriptor);
  Status inquire(int rank, int id, MemoryDescriptor *descriptor);
  Status ask(Inquiry &inquiry, int rank, int id);
  void withdraw(int id);
  MemoryDescriptor *place_of_descriptor(int id) const {
    return reinterpret_cast<MemoryDescriptor *>(control_.mine().data() + places_.descriptor(id));
  }

  Network &network_;
  Communicator &communicator_;
  ControlMemory &control_;
  const SegmentPlaces places_;

  std::shared_mutex mutex_;  // of what follows
  std::vector<std::shared_ptr<LocalMemory>> own_;
  std::uint64_t seen_ = 0;
  std::unordered_map<std::uint64_t, std::shared_ptr<OpenedMemory>> known_;  // destroyed before own_
  std::map<std::uint64_t, Inquiry> inquiries_;  // one that has failed stays, because the network may still write to it
  std::mutex shown_mutex_;  // of what follows, beside a shared lock of mutex_
  std::vector<std::vector<std::shared_ptr<OpenedMemory>>> shown_;  // whose addresses the program has
};

/// The directory of a face, whose results are codes of the face. Codes has their type, Code, and of(Status). Its no_segment() is for an id
/// without a segment, and for an id of a segment that is to be made.
template <class Codes>
class FaceSegments final : public SegmentDirectory {
 public:
  using Code = typename Codes::Code;
  using SegmentDirectory::SegmentDirectory;

  /// Makes a segment of this rank.
  Code add(int id, const MemorySpec &spec) {
    bool is_new = false;
    const Status made = make(id, spec, &is_new);
    return is_new ? Codes::of(made) : Codes::no_segment();
  }
  /// Deletes it.
  Code remove(int id) { return drop(id) ? Codes::of(Status::ok) : Codes::no_segment(); }
  /// Calls use(segment) with the segment of this rank, which stays valid meanwhile.
  template <class Use>
  Code with_own(int id, Use use) {
    const auto held = hold();
    LocalMemory *part = own(id);
    return part ? use(*part) : Codes::no_segment();
  }
  /// Calls use(part) with the segment of a rank, which stays valid meanwhile. The code of `again` while its descriptor is read from another
  /// node.
  template <class Use>
  Code with(int rank, int id, Use use) {
    while (true) {
      {
        const auto held = hold();
        if (RemoteMemory *part = find(rank, id)) return use(*part);
      }
      bool exists = true;
      if (const Status learned = learn(rank, id, &exists); learned != Status::ok) return Codes::of(learned);
      if (!exists) return Codes::no_segment();
    }
  }
  /// The address of a rank's segment in this process, as `address` says.
  Code show(int rank, int id, void **pointer) {
    return with(rank, id, [&](const RemoteMemory &part) {
      *pointer = address(rank, id, part);
      return Codes::of(Status::ok);
    });
  }
};

}  // namespace halocline::core
