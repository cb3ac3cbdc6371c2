// What a caller holds of requests that are under way: of a flush, or of a query whose reply it tests for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace halocline::core {

struct Request;

/// A query whose reply its caller tests for from time to time.
struct Query {
  Request *request = nullptr;
};

/// A nonblocking wait for the requests begun to a rank, which its caller continues from time to time.
struct Flush {
  int rank = 0;
  bool confirm = false;  // remote completion: until the target has it all
  std::uint64_t end = 0;  // requests before this number
  std::uint64_t progress = 0;  // of the connection, as it was last looked at
};

/// Requests that use memory of their callers: that read into it, or any. Or accumulates.
enum class Uses { reads, any, accumulates };

}  // namespace halocline::core
