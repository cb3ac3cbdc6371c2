// The arithmetic of a reduction: how arrays of elements are folded into one, from left to right.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halocline/reduce.h>

#include <cstdint>

#include "base/status.hpp"
#include "base/types.hpp"

namespace halocline::core {

/// Copies a result: by stream_copy, after which a stream_fence is needed, or through the caches.
void copy_result(char *to, const char *from, std::int64_t bytes, bool past_caches);

/// The loops of an operation on elements of one type.
struct FoldLoops {
  /// acc[i] = acc[i] o x[i]
  void (*append)(char *acc, const char *x, std::int64_t count) = nullptr;
  /// to[i] = a[i] o b[i]
  void (*join)(char *to, const char *a, const char *b, std::int64_t count) = nullptr;
};

/// The arithmetic of one reduction on one type. Allocates nothing.
class Combiner {
 public:
  /// Chooses the loops. Unsupported for minimum and maximum of types without an order; argument if the spec is wrong. The messages begin
  /// with `who`.
  Status choose(const char *who, const hlc_allreduce_spec &spec);
  std::int64_t element_bytes() const { return element_bytes_; }

  /// A second place for the result.
  struct Second {
    char *to = nullptr;
    bool past_caches = false;  // written by stream_copy: a stream_fence is then needed
  };
  /// Folds n >= 1 sources of count elements into `to`: ((s0 o s1) o s2) ... `to` may be the first source, and overlaps no other. The second
  /// place is written block by block, each block after it has been read from all sources. So it may be any of them.
  void fold(char *to, const char *const *sources, int n, std::int64_t count, Second second) const;
  void fold(char *to, const char *const *sources, int n, std::int64_t count) const { fold(to, sources, n, count, Second()); }

 private:
  Status choose_loops(const char *who, const hlc_allreduce_spec &spec);
  void append(char *acc, const char *x, std::int64_t count) const;

  std::int64_t element_bytes_ = 0;
  std::int64_t block_ = 1;  // elements of each source that are folded at a time
  FoldLoops loops_;
  hlc_reduce_fn function_ = nullptr;
  void *user_ = nullptr;
};

}  // namespace halocline::core
