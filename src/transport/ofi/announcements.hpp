// Immediate data on networks whose writes carry none: when the bytes of a write are at the target, a tagged message of eight bytes follows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/network.hpp"

struct fid_ep;

namespace halocline::core::transport::ofi {

struct Completion;

/// Sends them, and receives those of peers. One thread at a time.
class Announcements {
 public:
  /// The memory in which those of peers arrive, which some networks want to be registered.
  const char *memory() const { return reinterpret_cast<const char *>(words_.data()); }
  static constexpr std::int64_t memory_bytes() { return kBuffers * sizeof(std::uint64_t); }
  /// Posts the buffers for those of peers. `desc`: of the memory, if it is registered.
  void open(fid_ep *endpoint, void *desc);
  bool are_open() const { return endpoint_ != nullptr; }
  /// Sends the immediate data of a transfer whose write is delivered.
  std::int64_t send(Transfer &transfer) const;
  /// True for a buffer that `open` has posted.
  bool own(const Transfer &buffer) const { return &buffer >= buffers_.data() && &buffer < buffers_.data() + buffers_.size(); }
  /// Returns the immediate data that have arrived in one of these buffers, which is posted again. Nothing for what is of another size, or an error.
  std::optional<std::uint64_t> take(const Completion &arrived);
  /// Posts the buffers that the network had no room for.
  void post_again();

 private:
  static constexpr std::size_t kBuffers = 128;

  bool post(Transfer &buffer);

  fid_ep *endpoint_ = nullptr;
  std::array<std::uint64_t, kBuffers> words_{};
  std::array<Transfer, kBuffers> buffers_;
  std::size_t waiting_ = 0;  // buffers that the network had no room for
};

}  // namespace halocline::core::transport::ofi
