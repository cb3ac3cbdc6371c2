// Exchanges with any list of neighbours; pack and unpack are lambdas.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef HALOCLINE_CXX_EXCHANGE_HPP
#define HALOCLINE_CXX_EXCHANGE_HPP

#include <halocline/cxx/context.hpp>

#include <memory>
#include <vector>

namespace halocline {

/// One neighbour of an exchange.
using Neighbour = hlc_neighbour;

/// How an Exchange moves.
struct ExchangeOptions {
  Mode mode = Mode::standard;     ///< the same on all ranks
  Epoch epoch = Epoch::standard;  ///< of modes fence and pscw
  Drive drive = Drive::standard;  ///< of mode fence
  const char *name = nullptr;     ///< for messages, the same on all ranks
};

/// Planned exchanges with any list of neighbours (hlc_exchange_create). pack(int neighbour, void *buffer) fills the data for a neighbour.
/// unpack(int neighbour, const void *buffer) takes the data received from it. Start or finish rethrows an exception that leaves them.
template <class Pack, class Unpack>
class Exchange {
 public:
  /// Plans exchanges with these neighbours. Collective; all ranks throw HLC_ERR_MISMATCH if the sizes of two sides differ.
  Exchange(const Context &context, const std::vector<Neighbour> &neighbours, Pack pack, Unpack unpack, const ExchangeOptions &options = {})
      : calls_(new Calls{std::move(pack), std::move(unpack), nullptr}), handle_(open(context, neighbours, options, calls_.get())) {}
  /// Packs for every neighbour and sends.
  void start() {
    const hlc_status status = hlc_exchange_start(raw());
    rethrow();
    check(status);
  }
  /// Moves the exchange along; true: finish will not wait any more.
  bool test() { return done(hlc_exchange_test(raw())); }
  /// Unpacks every neighbour in order of arrival.
  void finish() {
    const hlc_status status = hlc_exchange_finish(raw());
    rethrow();
    check(status);
  }
  /// What the plan decided: mode, routes, bytes.
  hlc_plan_info info() const {
    hlc_plan_info info{};
    check(hlc_exchange_info(raw(), &info));
    return info;
  }
  /// Which mode is used, and why: in words or as JSON (hlc_halo_explain).
  std::string explain(Format format = Format::text) const { return explanation<hlc_exchange>(hlc_exchange_explain, raw(), format); }
  /// Releases the exchange now and says so if that fails. Collective.
  void finalise() { handle_.finalise(); }
  /// The handle for calls of the C API. It is closed with this object.
  hlc_exchange *raw() const noexcept { return handle_.get(); }

 private:
  struct Calls {
    Pack pack;
    Unpack unpack;
    std::exception_ptr failure;
  };
  static void pack(int neighbour, void *buffer, void *user) {
    auto *calls = static_cast<Calls *>(user);
    try {
      calls->pack(neighbour, buffer);
    } catch (...) {
      calls->failure = std::current_exception();
    }
  }
  static void unpack(int neighbour, const void *buffer, void *user) {
    auto *calls = static_cast<Calls *>(user);
    try {
      calls->unpack(neighbour, buffer);
    } catch (...) {
      calls->failure = std::current_exception();
    }
  }
  static hlc_exchange *open(const Context &context, const std::vector<Neighbour> &neighbours, const ExchangeOptions &options,
                            Calls *calls) {
    hlc_exchange_spec spec{};
    spec.nneighbours = static_cast<int>(neighbours.size());
    spec.neighbours = neighbours.data();
    spec.pack = &Exchange::pack;
    spec.unpack = &Exchange::unpack;
    spec.user = calls;
    spec.mode = static_cast<hlc_mode>(options.mode);
    spec.epoch = static_cast<hlc_epoch>(options.epoch);
    spec.drive = static_cast<hlc_drive>(options.drive);
    spec.name = options.name;
    hlc_exchange *raw = nullptr;
    check(hlc_exchange_create(context.raw(), &spec, &raw));
    return raw;
  }
  void rethrow() {
    if (calls_->failure) std::rethrow_exception(std::exchange(calls_->failure, nullptr));
  }

  std::unique_ptr<Calls> calls_;
  detail::Handle<hlc_exchange, hlc_exchange_destroy> handle_;
};

}  // namespace halocline
#endif
