// The order of what arrives. UCX documents none among active messages. So each message says how many writes and messages were sent before it over
// the same connection, and waits here until they have arrived. Where UCX keeps the order none waits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace halocline::core::transport::ucx {

/// One thread at a time.
class Order {
 public:
  using Bytes = std::vector<char>;

  /// True if all before this number have arrived.
  bool is_next(std::uint64_t stream, std::uint64_t number) { return streams_[stream].arrived == number; }
  /// Keeps a message that is not next.
  void keep(std::uint64_t stream, std::uint64_t number, const char *from, std::size_t bytes) {
    streams_[stream].early.emplace(number, Bytes(from, from + bytes));
  }
  /// A write or a message has arrived: call `next` until it returns nothing.
  void count(std::uint64_t stream) { streams_[stream].arrived += 1; }
  /// Takes a message that is next, and counts it.
  std::optional<Bytes> next(std::uint64_t stream) {
    Stream &one = streams_[stream];
    const auto first = one.early.begin();
    if (first == one.early.end() || first->first != one.arrived) return std::nullopt;
    Bytes bytes = std::move(first->second);
    one.early.erase(first);
    one.arrived += 1;
    return bytes;
  }

 private:
  struct Stream {
    std::uint64_t arrived = 0;
    std::map<std::uint64_t, Bytes> early;
  };
  std::unordered_map<std::uint64_t, Stream> streams_;
};

}  // namespace halocline::core::transport::ucx
