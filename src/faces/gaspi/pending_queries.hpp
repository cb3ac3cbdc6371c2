// Queries whose reply has not arrived in time: the same call of the same thread continues them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <mutex>
#include <tuple>

#include "engine/context/context.hpp"
#include "engine/rma/operations.hpp"
#include "faces/common/visit.hpp"

namespace halocline::core::gaspi {

/// A call with its arguments.
struct Asked {
  enum class What { fetch_add, compare_swap, registration };

  What what;
  int rank, segment;
  std::int64_t offset = 0;
  std::uint64_t first = 0, second = 0;  // operands
  std::uint64_t thread = thread_number();

  auto parts() const { return std::tie(what, rank, segment, offset, first, second, thread); }
  bool operator<(const Asked &other) const { return parts() < other.parts(); }
};

/// Any thread may call.
class PendingQueries {
 public:
  explicit PendingQueries(Context &context) : context_(context) {}

  /// Calls ask(query) with the query that an earlier call of the thread has begun, or a new one. While ask returns `again` the query is
  /// kept.
  template <class Ask>
  Status look(const RemoteMemory &part, const Asked &asked, Ask ask) {
    Query none;
    if (part.is_near()) return ask(none);
    Query &query = find(asked);
    const Status status = ask(query);
    if (status != Status::again) forget(asked);
    return status;
  }

 private:
  static constexpr std::size_t kMax = 1024;

  Query &find(const Asked &asked);
  void forget(const Asked &asked);

  Context &context_;
  std::mutex mutex_;
  std::map<Asked, Query> queries_;
};

/// Connections to ranks that are being tried. Any thread may call.
class Connections {
 public:
  explicit Connections(Context &context) : context_(context) {}

  /// Reads a word of a rank's control part, which connects: `again` until the word has arrived. A later call of any thread continues this.
  Status look(RemoteMemory &control, std::int64_t offset, const char *call);

 private:
  struct Attempt {
    bool begun = false;
    Flush flush;
    std::uint64_t word = 0;
  };

  Context &context_;
  std::mutex mutex_;
  std::map<int, Attempt> attempts_;  // by rank; one that has failed stays, because the network may still write its word
};

}  // namespace halocline::core::gaspi
