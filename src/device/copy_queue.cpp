// A plan's copies, until one fails.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/copy_queue.hpp"

#include <algorithm>
#include <cstdio>

namespace halocline::core::device {

Status CopyQueue::open(const void *data, int device, std::int64_t bytes) {
  return staging_.open({call_, rank_}, data, device, std::max<std::int64_t>(bytes, 1));
}

void CopyQueue::begin(const char *call) {
  call_ = call;
  failed_ = Status::ok;
}

void CopyQueue::copy(std::span<const StridedCopy> copies) {
  if (!failed(failed_) && !copies.empty()) note(staging_.begin({call_, rank_}, copies));
}

void CopyQueue::follow(void *stream) {
  if (!failed(failed_)) note(staging_.follow({call_, rank_}, stream));
}

void CopyQueue::precede(void *stream) {
  if (!failed(failed_)) note(staging_.precede({call_, rank_}, stream));
}

void CopyQueue::start(bool is_read) {
  if (in_order_.is_given || is_read) follow(in_order_.stream);
}

void CopyQueue::end() {
  if (in_order_.is_given)
    precede(in_order_.stream);
  else
    static_cast<void>(wait());
}

Status CopyQueue::wait() {
  if (!failed(failed_)) note(staging_.wait({call_, rank_}));
  return result();
}

void CopyQueue::note(Status status) {
  if (!failed(status) || failed(failed_)) return;
  failed_ = status;
  std::snprintf(words_, sizeof words_, "%s", error_message());
}

Status CopyQueue::result() const { return failed(failed_) ? fail(failed_, "%s", words_) : Status::ok; }

}  // namespace halocline::core::device
