// Which network is used: what a user asks for, and what all ranks have agreed on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace halocline::transport::ofi {

/// A network that is made to do less than it can, for tests. crowded: again and again it has no room for writes for some milliseconds, while it has
/// some for messages. unordered: transfers are short and overtake each other, and none is promised not to. poor: also four bytes of
/// announcement, and memory that has to be registered.
enum class Fake : std::uint32_t { no, crowded, unordered, poor };

/// What a user asks for; empty: whatever is fastest.
struct Wish {
  std::string provider, interface;
  bool one_host = false;  // no rank runs on another host, so nobody else need be able to reach us
  bool many_threads = false;  // several threads may call at once
  Fake fake = Fake::no;
  bool sleeps = false;  // a thread sleeps until something comes
  std::string library = {};  // the file of libfabric to try first

  bool operator==(const Wish &other) const = default;
};

/// What all ranks must have in common. Plain bytes, to be sent as they are.
struct Choice {
  char provider[64] = "", network[64] = "";
  std::uint32_t address_format = 0;
  Fake fake = Fake::no;
  std::uint64_t secret = 0;  // what messages between the ranks of the job carry, and others do not know

  /// True if an endpoint that was opened for one serves the other as well.
  bool names_same_network(const Choice &other) const {
    return std::strcmp(provider, other.provider) == 0 && std::strcmp(network, other.network) == 0 &&
           address_format == other.address_format && fake == other.fake;
  }
};

}  // namespace halocline::transport::ofi
