// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/announcements.hpp"

#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include "transport/ofi/completion_queue.hpp"

namespace halocline::core::transport::ofi {
namespace {

constexpr std::uint64_t kTag = 0x48'61'6c'6f;  // no other message has a tag

}  // namespace

void Announcements::open(fid_ep *endpoint, void *desc) {
  endpoint_ = endpoint;
  for (std::size_t i = 0; i < kBuffers; ++i) {
    buffers_[i].kind = Transfer::Kind::receive;
    buffers_[i].into = reinterpret_cast<char *>(&words_[i]);
    buffers_[i].desc = desc;
    post(buffers_[i]);
  }
}

std::int64_t Announcements::send(Transfer &transfer) const {
  const iovec from{&transfer.immediate, sizeof transfer.immediate};
  void *desc = nullptr;
  const fi_msg_tagged message{&from, &desc, 1, transfer.peer, kTag, 0, &transfer.for_network, 0};
  return fi_tsendmsg(endpoint_, &message, FI_INJECT | FI_COMPLETION);
}

std::optional<std::uint64_t> Announcements::take(const Completion &arrived) {
  const std::uint64_t data = words_[static_cast<std::size_t>(arrived.transfer - buffers_.data())];
  post(*arrived.transfer);
  if (arrived.error != 0 || arrived.bytes != sizeof data) return std::nullopt;
  return data;
}

bool Announcements::post(Transfer &buffer) {
  const ssize_t code = fi_trecv(endpoint_, buffer.into, sizeof(std::uint64_t), buffer.desc, FI_ADDR_UNSPEC, kTag, 0, &buffer.for_network);
  if (buffer.waits != (code == -FI_EAGAIN)) {
    buffer.waits = code == -FI_EAGAIN;
    buffer.waits ? ++waiting_ : --waiting_;
  }
  return code == 0;
}

void Announcements::post_again() {
  for (std::size_t i = 0; i < kBuffers && waiting_ > 0; ++i)
    if (buffers_[i].waits && !post(buffers_[i])) return;
}

}  // namespace halocline::core::transport::ofi
