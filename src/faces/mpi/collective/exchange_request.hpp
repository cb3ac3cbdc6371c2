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
  int wait() override { return links_->await(exchange_); }
  int end() override { return exchange_.code; }

 private:
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
  int wait() override;
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

/// A request that makes this nonblocking call of the host in each start, with copies of its arguments. Collective. An MPI error code.
template <class Function, class Sent, class Received>
int make_host_request(Function *begin, MPI_Comm comm, Sent sent, Received received, BlockNumbers blocks,
                      std::unique_ptr<OwnRequest> *made) {
  const auto kept = std::make_shared<KeptArguments>();
  if (!blocks.in_place)
    if (const int code = sent.keep(*kept, blocks.out)) return code;
  if (const int code = received.keep(*kept, blocks.in)) return code;
  MPI_Comm own = comm;
  if (const int code = kept->keep_comm(&own)) return code;
  *made = std::make_unique<HostRequest>([=](MPI_Request *request) {
    static_cast<void>(kept);
    return std::apply(begin, std::tuple_cat(sent.arguments(), received.arguments(), std::tuple(own, request)));
  });
  (*made)->comm = comm;
  return MPI_SUCCESS;
}

}  // namespace halocline::core::mpi
