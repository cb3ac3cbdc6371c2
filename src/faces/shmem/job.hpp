// The job of this process between shmem_init and shmem_finalize: one segment with all symmetric memory of each PE.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "engine/rma/segment.hpp"
#include "faces/common/runtime.hpp"
#include "faces/shmem/heap.hpp"
#include "faces/shmem/settings.hpp"
#include "faces/shmem/static_data.hpp"

namespace halocline::core::shmem {

/// Bytes of each PE's internal memory, for the synchronisation of collective calls. 0 at first.
inline constexpr std::int64_t kInternalBytes = std::int64_t{1} << 20;

/// A PE's part of the segment, laid out the same on all PEs:
///
///   | internal memory | symmetric heap | static data of the first object, from a page on | of the second ... |
class Job final : public FaceJob {
 public:
  explicit Job(const Settings &chosen);
  Job(const Job &) = delete;
  Job &operator=(const Job &) = delete;
  ~Job() override;

  /// This PE's part, in which offsets count from its begin.
  char *part() const { return segment->mine().data(); }
  char *internal() const { return part(); }
  char *heap_begin() const { return part() + kInternalBytes; }
  /// The offset of bytes of this PE in its part; -1 if they are not symmetric.
  std::int64_t offset_of(const void *address, std::size_t bytes) const;

  Settings settings;
  std::optional<Segment> segment;
  Heap heap;
  std::int64_t committed = 0;  // bytes from the begin of the heap whose pages are there
  StaticData static_data;

 private:
  Status open_face() override;
  void abandon_face() override;
  Status agree_on_heap();
  Status make_segment();
  Status agree_on_alignment();
  Status move_static_data();
  void find_near();
  Status watch_others();
};

/// The open job; null before shmem_init and after shmem_finalize.
inline Job *the_job() { return static_cast<Job *>(runtime.job()); }

/// The open job; without one the program ends with a message.
Job &need_job(const char *call);

}  // namespace halocline::core::shmem
