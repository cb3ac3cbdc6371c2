// Rank 0 chooses provider and network, the others look for the same.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network.hpp"

#include <cstdio>
#include <cstring>

#include "base/environment.hpp"
#include "engine/collective.hpp"
#include "engine/context.hpp"

namespace halocline {
namespace {

using transport::ofi::Choice;
using transport::ofi::Wish;

transport::ofi::Fake fake_of(const char *name) {
  using transport::ofi::Fake;
  if (std::strcmp(name, "unordered") == 0) return Fake::unordered;
  return std::strcmp(name, "poor") == 0 ? Fake::poor : Fake::no;
}

Wish wish_of(const Context &context) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  return {environment("PROVIDER"), environment("INTERFACE"), context.one_host(), provided == MPI_THREAD_MULTIPLE,
          fake_of(environment("FAKE_NETWORK"))};
}

/// The choice of rank 0, under way to the others.
struct Choosing : Job {
  Choosing() { requests.resize(1, MPI_REQUEST_NULL); }
  Choice choice;
};

Status choose(Context &context, const Wish &wish, Choice *choice) {
  std::unique_ptr<Choosing> choosing;
  HLC_TRY(prepare(context, context.comm(), [&] {
    choosing = std::make_unique<Choosing>();
    if (wish.provider == "none") return fail(Status::unsupported, "rank %d has HALOCLINE_PROVIDER=none", context.rank());
    return context.rank() == 0 ? NetworkPort::choose(wish, &choosing->choice) : Status::ok;
  }));
  HLC_TRY(check_mpi(MPI_Ibcast(&choosing->choice, sizeof(Choice), MPI_BYTE, 0, context.comm(), choosing->requests.data()), "MPI_Ibcast"));
  HLC_TRY(await(context, choosing));
  *choice = choosing->choice;
  return Status::ok;
}

}  // namespace

Status Network::open(Context &context) {
  if (port_) return Status::ok;
  if (asked_) return fail(Status::unsupported, "%s", description_);
  const Status opened = try_to_open(context);
  asked_ = opened == Status::ok || opened == Status::unsupported;
  if (asked_) std::snprintf(description_, sizeof description_, "%s", port_ ? port_->description().c_str() : error_message());
  return opened;
}

Status Network::try_to_open(Context &context) {
  Wish wish;
  Choice choice;
  HLC_TRY(prepare(context, context.comm(), [&] {
    wish = wish_of(context);
    return Status::ok;
  }));
  HLC_TRY(choose(context, wish, &choice));
  std::unique_ptr<NetworkPort> port;
  std::unique_ptr<Traffic> traffic;
  HLC_TRY(prepare(context, context.comm(), [&] {
    port = std::make_unique<NetworkPort>();
    traffic = std::make_unique<Traffic>(context, *port, choice.secret, wish.many_threads);
    return port->open(wish, choice);
  }));
  port_ = std::move(port);
  traffic_ = std::move(traffic);
  return Status::ok;
}

void Network::close() {
  traffic_.reset();
  port_.reset();
  leaders_.give_up();
}

}  // namespace halocline
