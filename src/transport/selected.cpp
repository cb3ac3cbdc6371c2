// Opening the selected network, and the calls that are passed to it.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/selected.hpp"

#include <cstring>
#include <string>

#include "transport/ofi/region.hpp"
#include "transport/survey.hpp"
#include "transport/ucx/region.hpp"

namespace halocline::core::transport {
namespace {

/// The network that HALOCLINE_NETWORK names; libfabric without it.
Status find_kind(const Wish &wish, Kind *kind) {
  for (const auto &[name, known] : {std::pair{"", Kind::ofi}, {"ofi", Kind::ofi}, {"ucx", Kind::ucx}})
    if (wish.network == name) {
      *kind = known;
      return Status::ok;
    }
  return fail(Status::unsupported, "HALOCLINE_NETWORK is '%s'; available: ofi (libfabric), ucx", wish.network.c_str());
}

/// True if neither the network nor libfabric's file nor a provider is named, which is a name of one of the two.
bool is_free(const Wish &wish) {
  return wish.network.empty() && wish.provider.empty() && wish.only_library.empty() && wish.fake == Fake::no;
}

/// True if the processor moves the bytes: UCX may know a device that does, where libfabric has no provider for it.
bool is_slow(const Choice &choice) {
  for (const char *copies : {"tcp", "net", "udp", "sockets"})
    if (std::strncmp(choice.provider, copies, std::strlen(copies)) == 0) return true;
  return false;
}

/// Libfabric's choice, unless the wish leaves it open and UCX has a device where libfabric has none.
Status choose_usual(const Wish &wish, Choice *choice) {
  const Status status = ofi::Endpoint::choose(wish, choice);
  if (!is_free(wish) || (status == Status::ok && !is_slow(*choice))) return status;
  const std::string reason = status == Status::ok ? "" : error_message();
  Choice of_ucx;
  of_ucx.kind = Kind::ucx;
  of_ucx.for_device = true;
  if (ucx::has_device(wish) && ucx::Endpoint::choose(wish, &of_ucx) == Status::ok) {
    *choice = of_ucx;
    return Status::ok;
  }
  return status == Status::ok ? status : fail(status, "%s", reason.c_str());
}

}  // namespace

namespace selected {

Status Endpoint::choose(const Wish &wish, Choice *choice) {
  Kind kind = Kind::ofi;
  HLC_TRY(find_kind(wish, &kind));
  choice->kind = kind;
  return kind == Kind::ofi ? choose_usual(wish, choice) : ucx::Endpoint::choose(wish, choice);
}

/// *report becomes a part of the network's endpoint.
template <class Network>
static Status open_network(std::unique_ptr<Network> &network, EndpointReport **report, const Wish &wish, const Choice &choice) {
  auto made = std::make_unique<Network>();
  HLC_TRY(made->open(wish, choice));
  *report = made.get();
  network = std::move(made);
  return Status::ok;
}

Endpoint::Endpoint() = default;
Endpoint::~Endpoint() = default;

Status Endpoint::open(const Wish &wish, const Choice &choice) {
  return choice.kind == Kind::ofi ? open_network(ofi_, &report_, wish, choice) : open_network(ucx_, &report_, wish, choice);
}

template <class Call>
auto Endpoint::pass_on(Call call) const {
  return ofi_ ? call(*ofi_) : call(*ucx_);
}

void Endpoint::close_endpoint() {
  if (report_) pass_on([](auto &network) { network.close_endpoint(); });
}

const char *Endpoint::text_of(int error) const {
  return pass_on([&](const auto &network) { return network.text_of(error); });
}

Status Endpoint::resolve(const Address &address, Peer *peer) {
  return pass_on([&](auto &network) { return network.resolve(address, peer); });
}

void Endpoint::release_peer(const Address &address) {
  pass_on([&](auto &network) { network.release_peer(address); });
}

void Endpoint::release_peer(Peer peer) {
  pass_on([&](auto &network) { network.release_peer(peer); });
}

std::uint64_t Endpoint::register_counter(Counter *counter) {
  return pass_on([&](auto &network) { return network.register_counter(counter); });
}

void Endpoint::release_counter(std::uint64_t word) {
  pass_on([&](auto &network) { network.release_counter(word); });
}

Status Endpoint::register_words(const NotificationWords &words, std::uint64_t *words_id) {
  return pass_on([&](auto &network) { return network.register_words(words, words_id); });
}

void Endpoint::release_words(std::uint64_t words_id) {
  pass_on([&](auto &network) { network.release_words(words_id); });
}

Status Endpoint::register_source(Transfer &transfer) {
  return pass_on([&](auto &network) { return network.register_source(transfer); });
}

void Endpoint::start(Transfer &transfer) {
  pass_on([&](auto &network) { network.start(transfer); });
}

bool Endpoint::waits_for_room(const Transfer &transfer) {
  return pass_on([&](auto &network) { return network.waits_for_room(transfer); });
}

bool Endpoint::withdraw(Transfer &transfer) {
  return pass_on([&](auto &network) { return network.withdraw(transfer); });
}

void Endpoint::abandon(Transfer &transfer, int error) {
  pass_on([&](auto &network) { network.abandon(transfer, error); });
}

void Endpoint::poll() {
  pass_on([](auto &network) { network.poll(); });
}

void Endpoint::sleep(int until, long timeout_ns) {
  pass_on([&](auto &network) { network.sleep(until, timeout_ns); });
}

Transfer *Endpoint::take_ended() {
  return pass_on([](auto &network) { return network.take_ended(); });
}

bool Endpoint::any_ended() const {
  return pass_on([](const auto &network) { return network.any_ended(); });
}

Region::Region() = default;
Region::Region(Region &&other) noexcept { *this = std::move(other); }
Region &Region::operator=(Region &&other) noexcept {
  std::swap(ofi_, other.ofi_);
  std::swap(ucx_, other.ucx_);
  std::swap(seen_, other.seen_);
  return *this;
}
Region::~Region() = default;

template <class Enter>
Status Region::enter(Endpoint &endpoint, Enter enter) {
  const auto enter_at = [&](auto &region, auto &network) {
    const Status status = enter(region, network);
    seen_ = {region.base(), region.bytes(), region.desc(), region.remote()};
    return status;
  };
  ofi_ = nullptr;
  ucx_ = nullptr;
  if (!endpoint.ofi_) return enter_at(*(ucx_ = std::make_unique<ucx::Region>()), *endpoint.ucx_);
  return enter_at(*(ofi_ = std::make_unique<ofi::Region>()), *endpoint.ofi_);
}

Status Region::open(Endpoint &endpoint, std::int64_t bytes, Use use) {
  return enter(endpoint, [&](auto &region, auto &network) { return region.open(network, bytes, use); });
}

Status Region::cover(Endpoint &endpoint, char *base, std::int64_t bytes, Use use) {
  return enter(endpoint, [&](auto &region, auto &network) { return region.cover(network, base, bytes, use); });
}

}  // namespace selected

Status survey(const Wish &wish, Survey *found) {
  Kind kind = Kind::ofi;
  HLC_TRY(find_kind(wish, &kind));
  Choice choice;
  if (is_free(wish) && choose_usual(wish, &choice) == Status::ok) kind = choice.kind;
  return kind == Kind::ofi ? ofi::survey(wish, found) : ucx::survey(wish, found);
}

}  // namespace halocline::core::transport
