// Requests of exchanges over links, and of calls that the host carries anew in each start.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <vector>

#include "faces/mpi/collective/kept_arguments.hpp"
#include "faces/mpi/collective/links.hpp"
#include "faces/mpi/collective/own_request.hpp"
#include "faces/mpi/interpose/error_text.hpp"

namespace halocline::core::mpi {

/// An exchange over links. Its blocks are filled before the first start.
class ExchangeRequest final : public OwnRequest {
 public:
  ExchangeRequest(Kind kind, std::shared_ptr<Links> links);
  ~ExchangeRequest() override;

  Exchange &exchange() { return exchange_; }
  /// After the blocks are filled: the program may free their datatypes. An MPI error code.
  int keep_types();
  /// The data that are sent are overwritten by what arrives: each start copies them first.
  void copy_first();

  int start() override;
  bool test() override;
  void wait() override { links_->await(exchange_); }
  int end() override { return exchange_.code; }

 private:
  int copy_now();
  bool uses_type_later(const Block &block) const;

  std::shared_ptr<Links> links_;
  Exchange &exchange_;
  std::vector<Block> copied_;  // what each start copies
  std::vector<char> copies_;
};

/// A persistent request of a host that has none for this call: each start makes a nonblocking call.
class HostRequest final : public OwnRequest {
 public:
  explicit HostRequest(std::function<int(MPI_Request *)> call) : OwnRequest(Kind::persistent), call_(std::move(call)) {}

  int start() override { return call_(&request_); }
  bool test() override;
  void wait() override;
  int end() override { return code_; }

 private:
  std::function<int(MPI_Request *)> call_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  int code_ = MPI_SUCCESS;
};

/// How many blocks a call has. In place: MPI ignores what describes the outgoing ones.
struct BlockNumbers {
  std::size_t out = 0, in = 0;
  bool in_place = false;
};

/// Collective: an error of any rank is one of all. That of this rank, or MPI_ERR_OTHER.
int agree_on_code(MPI_Comm comm, int mine);

/// A request that makes this nonblocking call of the host in each start, with copies of its arguments. Collective, an error on all ranks or none.
/// `mine`: that of this rank so far. An MPI error code.
template <class Function, class Sent, class Received>
// NOLINTNEXTLINE(readability-function-size): what a call of MPI has, and what is known of it
int make_host_request(Function *begin, MPI_Comm comm, Sent sent, Received received, int mine, BlockNumbers blocks,
                      std::unique_ptr<OwnRequest> *made) {
  std::shared_ptr<KeptArguments> kept;
  const auto keep = [&]() -> int {
    kept = std::make_shared<KeptArguments>();
    if (!blocks.in_place)
      if (const int code = sent.keep(*kept, blocks.out)) return code;
    if (const int code = received.keep(*kept, blocks.in)) return code;
    *made = std::make_unique<HostRequest>([=](MPI_Request *request) {
      return std::apply(begin, std::tuple_cat(sent.arguments(), received.arguments(), std::tuple(kept->comm(), request)));
    });
    (*made)->comm = comm;
    return give_handle(**made);
  };
  int code = agree_on_code(comm, mine == MPI_SUCCESS ? with_memory(keep) : mine);
  if (code == MPI_SUCCESS) code = agree_on_code(comm, kept->copy_comm(comm));
  if (code != MPI_SUCCESS) made->reset();
  return code;
}

}  // namespace halocline::core::mpi
