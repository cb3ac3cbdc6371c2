// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/collective/exchange_request.hpp"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "faces/mpi/interpose/host_table.hpp"

namespace halocline::core::mpi {
namespace {

Exchange &take_exchange(Links &links) {
  const std::lock_guard lock(links.busy);
  links.let_continue();
  return links.take();
}

}  // namespace

ExchangeRequest::ExchangeRequest(Kind kind, std::shared_ptr<Links> links)
    : OwnRequest(kind), links_(std::move(links)), exchange_(take_exchange(*links_)) {}

ExchangeRequest::~ExchangeRequest() {
  exchange_.kept.clear();
  exchange_.types.clear();
  // What is left of an abandoned exchange: the host may still read what it sends.
  if (!exchange_.host_sends.empty()) static_cast<void>(new (std::nothrow) std::vector<char>(std::move(copies_)));
  const std::lock_guard lock(links_->busy);
  links_->give_back(exchange_);
}

/// The host gets the datatype of a block after this call: in a later start, by a message that replaces shared memory, or to pack what is on a device.
bool ExchangeRequest::uses_type_later(const Block &block) const {
  return (is_persistent && links_->spans_nodes()) || !links_->comm().reads_others() || block.is_on_device;
}

int ExchangeRequest::keep_types() {
  exchange_.kept.clear();
  exchange_.types.clear();
  for (std::vector<Block> *blocks : {&exchange_.out, &exchange_.in})
    for (Block &block : *blocks) {
      if (exchange_.kept.empty() || exchange_.kept.back().get() != block.layout) exchange_.kept.push_back(block.layout->shared_from_this());
      if (!uses_type_later(block)) continue;
      if (const int code = exchange_.types.keep(&block.type)) return code;
    }
  return MPI_SUCCESS;
}

void ExchangeRequest::copy_first() {
  static const typed::Layout *const bytes = typed::layout_of(MPI_BYTE);
  copied_ = exchange_.out;
  std::int64_t all = 0;
  for (const Block &block : copied_) all += block.bytes();
  copies_.resize(static_cast<std::size_t>(all));
  char *next = copies_.data();
  for (Block &block : exchange_.out) {
    const std::int64_t length = block.bytes();
    block = {next, bytes, MPI_BYTE, length, false};
    next += length;
  }
}

int ExchangeRequest::copy_now() {
  for (std::size_t i = 0; i < copied_.size(); ++i)
    if (const int code = copy_from(copied_[i], static_cast<char *>(exchange_.out[i].address))) return code;
  return MPI_SUCCESS;
}

int ExchangeRequest::start() {
  const int copied = copy_now();
  const std::lock_guard lock(links_->busy);
  if (copied != MPI_SUCCESS) return links_->leave(), copied;
  return links_->start(exchange_);
}

bool ExchangeRequest::test() {
  if (exchange_.is_over.load(std::memory_order_acquire)) return true;
  links_->progress_if_free(false);
  if (exchange_.is_over.load(std::memory_order_acquire)) return true;
  progress_all_links(false);
  links_->comm().yield_if_oversubscribed();
  links_->look_after(exchange_);
  return exchange_.is_over.load(std::memory_order_acquire);
}

int agree_on_code(MPI_Comm comm, int mine) {
  int joins = 0, failed = mine != MPI_SUCCESS ? 1 : 0;
  PMPI_Comm_test_inter(comm, &joins);
  // Between two groups each learns what the other one knows, at last of itself.
  for (int meetings = joins ? 2 : 1; meetings > 0; --meetings) {
    const int known = failed;
    int of_others = 0;
    if (const int code = PMPI_Allreduce(&known, &of_others, 1, MPI_INT, MPI_MAX, comm)) return code;
    failed = std::max(failed, of_others);
  }
  return failed && mine == MPI_SUCCESS ? refuse(MPI_ERR_OTHER, "another rank could not make its request, and says why") : mine;
}

bool HostRequest::test() {
  int done = 0;
  code_ = host::Test(&request_, &done, MPI_STATUS_IGNORE);
  return done != 0 || code_ != MPI_SUCCESS;
}

void HostRequest::wait() { code_ = host::Wait(&request_, MPI_STATUS_IGNORE); }

}  // namespace halocline::core::mpi
