// Opening the selected network.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/selected.hpp"

#include "transport/survey.hpp"

namespace halocline::core::transport {
namespace {

/// The network that HALOCLINE_NETWORK names; libfabric without it.
Status find_kind(const Wish &wish, Kind *kind) {
  for (const auto &[name, known] : {std::pair{"", Kind::ofi}, {"ofi", Kind::ofi}, {"ucx", Kind::ucx}})
    if (wish.network == name) {
      *kind = known;
      return Status::ok;
    }
  return fail(Status::unsupported, "HALOCLINE_NETWORK is '%s'; there are: ofi (libfabric), ucx", wish.network.c_str());
}

}  // namespace

namespace selected {

Status Endpoint::choose(const Wish &wish, Choice *choice) {
  Kind kind = Kind::ofi;
  HLC_TRY(find_kind(wish, &kind));
  HLC_TRY(kind == Kind::ofi ? ofi::Endpoint::choose(wish, choice) : ucx::Endpoint::choose(wish, choice));
  choice->kind = kind;
  return Status::ok;
}

template <class Network>
Status Opened::open(std::unique_ptr<Network> &network, const Wish &wish, const Choice &choice) {
  auto made = std::make_unique<Network>();
  HLC_TRY(made->open(wish, choice));
  report_ = made.get();
  network = std::move(made);
  return Status::ok;
}

Status Opened::open(const Wish &wish, const Choice &choice) {
  return choice.kind == Kind::ofi ? open(ofi_, wish, choice) : open(ucx_, wish, choice);
}

Status Endpoint::open(const Wish &wish, const Choice &choice) { return opened_.open(wish, choice); }

void Endpoint::close_endpoint() {
  if (opened_.is_open()) opened_.pass_on([](auto &network) { network.close_endpoint(); });
}

template <class Enter>
Status Region::enter(Endpoint &endpoint, Enter enter) {
  return endpoint.opened_.pass_on([&]<class Network>(Network &network) {
    constexpr bool is_ofi = std::is_same_v<Network, ofi::Endpoint>;
    auto &region = region_.emplace<std::conditional_t<is_ofi, ofi::Region, ucx::Region>>();
    const Status status = enter(region, network);
    seen_ = {region.base(), region.bytes(), region.desc(), region.remote()};
    return status;
  });
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
  return kind == Kind::ofi ? ofi::survey(wish, found) : ucx::survey(wish, found);
}

}  // namespace halocline::core::transport
