// Replaces this folder if UCX's headers were missing at build time: opening the endpoint fails and reports the reason.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>

#include "transport/survey.hpp"
#include "transport/ucx/region.hpp"

namespace halocline::core::transport::ucx {

struct State {};

Endpoint::Endpoint() = default;
Endpoint::~Endpoint() = default;

Status Endpoint::choose(const Wish &, Choice *) {
  return fail(Status::unsupported, "this Halocline was built without UCX's headers (Debian package libucx-dev)");
}
Status Endpoint::open(const Wish &wish, const Choice &) {
  Choice choice;
  return choose(wish, &choice);
}

void Endpoint::close_endpoint() {}

// Never called, because no endpoint can be opened.
Status Endpoint::resolve(const Address &, Peer *) { std::abort(); }
void Endpoint::release_peer(const Address &) { std::abort(); }
void Endpoint::release_peer(Peer) { std::abort(); }
std::uint64_t Endpoint::register_counter(Counter *) { std::abort(); }
void Endpoint::release_counter(std::uint64_t) { std::abort(); }
Status Endpoint::register_words(const NotificationWords &, std::uint64_t *) { std::abort(); }
void Endpoint::release_words(std::uint64_t) { std::abort(); }
void Endpoint::start(Transfer &) { std::abort(); }
Transfer *Endpoint::take_ended() { std::abort(); }
Status Endpoint::register_source(Transfer &) { std::abort(); }
bool Endpoint::waits_for_room(const Transfer &) { std::abort(); }
bool Endpoint::withdraw(Transfer &) { std::abort(); }
void Endpoint::abandon(Transfer &, int) { std::abort(); }
void Endpoint::poll() { std::abort(); }
void Endpoint::sleep(int, long) { std::abort(); }
const char *Endpoint::text_of(int) const { std::abort(); }
Status Region::open(Endpoint &, std::int64_t, Use) { std::abort(); }
Status Region::cover(Endpoint &, char *, std::int64_t, Use) { std::abort(); }
Region &Region::operator=(Region &&other) noexcept {
  std::swap(base_, other.base_);
  return *this;
}
Region::~Region() {}

bool has_device(const Wish &) { return false; }

Status survey(const Wish &wish, Survey *) {
  Choice choice;
  return Endpoint::choose(wish, &choice);
}

}  // namespace halocline::core::transport::ucx
