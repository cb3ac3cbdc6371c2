// The active messages between the endpoints of this folder. Plain structs, sent as they are; the bytes of a write, an answer to a read, or a message
// follow as UCX's data.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

struct ucp_ep;

namespace halocline::core::transport::ucx {

/// UCX's numbers of the active messages.
enum class Id : unsigned { write = 1, read, answer, message, ask_key, give_key };

/// A write or a read. `token` identifies the transfer in the answer, `stream` the connection of a write, at whose end it is counted.
struct Access {
  enum Flag : std::uint32_t { kHasImmediate = 1, kWantsAnswer = 2 };

  std::uint64_t key = 0, address = 0, immediate = 0, token = 0, stream = 0;
  std::uint32_t flags = 0, bytes = 0;
};
static_assert(sizeof(Access) == 48);

/// A message, and how many writes and messages have been sent over its connection before.
struct Place {
  std::uint64_t stream = 0, number = 0;
};

/// A write has been placed, or the bytes of a read follow. `error`: 0, or an errno.
struct Answer {
  std::uint64_t token = 0;
  std::int64_t error = 0;
};

/// A peer asks for UCX's key of the memory with this key; or is given it, and its bytes follow. `peer`: the owner, as the asking rank counts its peers.
struct Key {
  std::uint64_t key = 0, peer = 0;
};

/// An active message that has arrived. Valid until the call returns.
struct Arrival {
  const void *header = nullptr;
  std::size_t header_bytes = 0;
  const char *data = nullptr;
  std::size_t bytes = 0;
  ucp_ep *reply_to = nullptr;

  /// Copies its header, which UCX does not align; false if it has another length.
  template <class Header>
  bool read(Header *as) const {
    if (header_bytes != sizeof *as) return false;
    std::memcpy(as, header, sizeof *as);
    return true;
  }
};

inline void copy_bytes(char *to, const char *from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

}  // namespace halocline::core::transport::ucx
