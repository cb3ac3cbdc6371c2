// Requests of exchanges over links, and of calls that the host carries anew in each start.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "faces/mpi/collective/links.hpp"
#include "faces/mpi/collective/own_request.hpp"

namespace halocline::core::mpi {

/// An exchange over links. Its blocks are filled before the first start.
class ExchangeRequest final : public OwnRequest {
 public:
  ExchangeRequest(Kind kind, std::shared_ptr<Links> links);
  ~ExchangeRequest() override;

  Exchange &exchange() { return exchange_; }
  /// After the blocks are filled: the program may free their datatypes.
  void keep_types();
  /// The data that are sent are overwritten by what arrives: each start copies them first.
  void copy_first();

  int start() override;
  bool test() override;
  int wait() override { return links_->await(exchange_); }
  int end() override { return exchange_.code; }

 private:
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

}  // namespace halocline::core::mpi
