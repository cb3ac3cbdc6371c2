// Sparse exchanges: messages to ranks that do not know of them; what takes them is a lambda.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HALOCLINE_CXX_SPARSE_HPP
#define HALOCLINE_CXX_SPARSE_HPP

#include <halocline/sparse.h>
#include <halocline/cxx/context.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace halocline {

/// A message to a rank.
using SparseMessage = hlc_sparse_message;

/// Exchanges in which no rank knows from which ranks it receives (hlc_sparse_create). receive(int origin, const void *data, std::int64_t bytes)
/// takes a message; the method that called it rethrows an exception that leaves it. Making and closing one is collective.
template <class Receive>
class SparseExchange {
 public:
  /// slots of each rank as in hlc_sparse_spec, 0: the default. name: for messages, the same on all ranks. Collective.
  SparseExchange(const Context &context, Receive receive, int slots = 0, const char *name = nullptr)
      : call_(new Call{std::move(receive), nullptr}), handle_(open(context, {slots, &SparseExchange::take, call_.get(), name})) {}
  /// Sends as far as there is room; the data must not change until finish.
  void start(const std::vector<SparseMessage> &messages) {
    settle(hlc_sparse_start(raw(), static_cast<int>(messages.size()), messages.data()));
  }
  /// Moves the exchange along; true: it is complete.
  bool test() {
    const hlc_status status = hlc_sparse_test(raw());
    rethrow();
    return done(status);
  }
  /// Returns when all messages have arrived.
  void finish() { settle(hlc_sparse_finish(raw())); }
  /// Start and finish in one.
  void exchange(const std::vector<SparseMessage> &messages) {
    settle(hlc_sparse_exchange(raw(), static_cast<int>(messages.size()), messages.data()));
  }
  /// Releases it now and says so if that fails. Collective.
  void finalise() { handle_.finalise(); }
  /// The handle for calls of the C API. It is closed with this object.
  hlc_sparse *raw() const noexcept { return handle_.get(); }

 private:
  struct Call {
    Receive receive;
    std::exception_ptr failure;
  };
  static void take(int origin, const void *data, std::int64_t bytes, void *user) {
    auto *call = static_cast<Call *>(user);
    try {
      call->receive(origin, data, bytes);
    } catch (...) {
      call->failure = std::current_exception();
    }
  }
  static hlc_sparse *open(const Context &context, const hlc_sparse_spec &spec) {
    hlc_sparse *raw = nullptr;
    check(hlc_sparse_create(context.raw(), &spec, &raw));
    return raw;
  }
  void rethrow() {
    if (call_->failure) std::rethrow_exception(std::exchange(call_->failure, nullptr));
  }
  void settle(hlc_status status) {
    rethrow();
    check(status);
  }

  std::unique_ptr<Call> call_;
  detail::Handle<hlc_sparse, hlc_sparse_destroy> handle_;
};

}  // namespace halocline
#endif
