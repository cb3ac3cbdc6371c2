// The system calls, which may copy less than they are asked to.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/rma/kernel_copy.hpp"

#include <bit>
#include <cerrno>
#include <cstring>

namespace halocline::core {
namespace {

void skip(iovec *piece, std::size_t bytes) {
  piece->iov_base = static_cast<char *>(piece->iov_base) + bytes;
  piece->iov_len -= bytes;
}

}  // namespace

Status KernelCopy::add(std::int64_t offset, void *data, std::int64_t bytes) {
  if (bytes == 0) return Status::ok;
  if (count_ == kMax) HLC_TRY(run());
  const auto length = static_cast<std::size_t>(bytes);
  here_[count_] = {data, length};
  there_[count_] = {std::bit_cast<void *>(memory_.address() + static_cast<std::uint64_t>(offset)), length};
  count_ += 1;
  return Status::ok;
}

Status KernelCopy::copy(const char *call, Target target, Direction direction, Sink local) {
  KernelCopy kernel(call, target.memory, direction);
  HLC_TRY(kernel.add(target.offset, local.data, local.bytes));
  return kernel.run();
}

ssize_t KernelCopy::copy_some(std::size_t first) const {
  const auto copy = direction_ == Direction::put ? process_vm_writev : process_vm_readv;
  return copy(memory_.process(), &here_[first], count_ - first, &there_[first], count_ - first, 0);
}

Status KernelCopy::failure() const {
  return fail(errno == ESRCH ? Status::peer_died : Status::unsupported,
              "%s: rank %d cannot access user-provided memory of rank %d, process %d of its node: %s", call_, memory_.communicator().rank(),
              memory_.rank(), memory_.process(), std::strerror(errno));
}

Status KernelCopy::run() {
  std::size_t first = 0;
  while (first < count_) {
    const ssize_t copied = copy_some(first);
    if (copied <= 0) return failure();
    auto rest = static_cast<std::size_t>(copied);
    for (; first < count_ && rest >= here_[first].iov_len; ++first) rest -= here_[first].iov_len;
    if (rest == 0) continue;
    skip(&here_[first], rest);
    skip(&there_[first], rest);
  }
  count_ = 0;
  return Status::ok;
}

}  // namespace halocline::core
