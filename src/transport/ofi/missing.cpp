// Stands for this folder where libfabric's headers were not there at build time: the port cannot be opened, and says why.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>

#include "transport/ofi/region.hpp"

namespace halocline::transport::ofi {

struct State {};

Port::Port() = default;
Port::~Port() = default;

Status Port::choose(const Wish &, Choice *) {
  return fail(Status::unsupported, "this Halocline was built without libfabric's headers (Debian package libfabric-dev)");
}
Status Port::open(const Wish &wish, const Choice &) {
  Choice choice;
  return choose(wish, &choice);
}

void Port::close_endpoint() {}

// Nobody comes here without an open port.
Status Port::meet(const Address &, Peer *) { std::abort(); }
void Port::part_from(const Address &) { std::abort(); }
void Port::part_from(Peer) { std::abort(); }
std::uint64_t Port::listen(Counter *) { std::abort(); }
void Port::stop_listening(std::uint64_t) { std::abort(); }
Status Port::listen(const Words &, std::uint64_t *) { std::abort(); }
void Port::stop_setting(std::uint64_t) { std::abort(); }
void Port::start(Transfer &) { std::abort(); }
Transfer *Port::take_ended() { std::abort(); }
Status Port::lend(Transfer &) { std::abort(); }
bool Port::waits_for_room(const Transfer &) { std::abort(); }
bool Port::withdraw(Transfer &) { std::abort(); }
void Port::give_up(Transfer &, int) { std::abort(); }
void Port::poll() { std::abort(); }
void Port::sleep(int, long) { std::abort(); }
const char *Port::text_of(int) const { std::abort(); }
Status Region::open(Port &, std::int64_t, Use) { std::abort(); }
Status Region::cover(Port &, char *, std::int64_t, Use) { std::abort(); }
Region &Region::operator=(Region &&other) noexcept {
  std::swap(base_, other.base_);
  return *this;
}
Region::~Region() {}

}  // namespace halocline::transport::ofi
