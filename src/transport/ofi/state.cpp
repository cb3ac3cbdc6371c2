// Opening and closing what a port consists of.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/state.hpp"

namespace halocline::transport::ofi {
namespace {

constexpr std::size_t kQueueLength = 4096;

}  // namespace

/// The endpoint first: then nobody can write here any more. A domain whose memory was given up, because a swap had failed, stays.
Port::State::~State() {
  if (endpoint) fi_close(&endpoint->fid);
  if (queue) fi_close(&queue->fid);
  if (addresses) fi_close(&addresses->fid);
  if (domain) fi_close(&domain->fid);
  if (fabric) fi_close(&fabric->fid);
}

Status Port::State::check(int code, const char *call, const std::string &description) const {
  if (code == 0) return Status::ok;
  return fail(Status::unsupported, "%s: %s: %s", description.c_str(), call, library->text_of(-code));
}

Status Port::State::open_queue(const std::string &description, bool sleeps) {
  fi_cq_attr attributes{};
  attributes.size = kQueueLength;
  attributes.format = FI_CQ_FORMAT_DATA;
  attributes.wait_obj = sleeps ? FI_WAIT_FD : FI_WAIT_NONE;
  const int code = fi_cq_open(domain, &attributes, &queue, nullptr);
  return code != 0 && sleeps ? open_queue(description, false) : check(code, "fi_cq_open", description);
}

int Port::State::wait_object() const {
  int object = -1;
  return fi_control(&queue->fid, FI_GETWAIT, &object) == 0 ? object : -1;
}

Status Port::State::open(const std::string &description, bool sleeps) {
  fi_av_attr address_attributes{};
  HLC_TRY(check(library->fabric(info->fabric_attr, &fabric, nullptr), "fi_fabric", description));
  HLC_TRY(check(fi_domain(fabric, info.get(), &domain, nullptr), "fi_domain", description));
  HLC_TRY(open_queue(description, sleeps));
  HLC_TRY(check(fi_av_open(domain, &address_attributes, &addresses, nullptr), "fi_av_open", description));
  HLC_TRY(check(fi_endpoint(domain, info.get(), &endpoint, nullptr), "fi_endpoint", description));
  HLC_TRY(check(fi_ep_bind(endpoint, &addresses->fid, 0), "fi_ep_bind", description));
  HLC_TRY(check(fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind", description));
  return check(fi_enable(endpoint), "fi_enable", description);
}

Status Port::State::name(const std::string &description, Address *address) const {
  std::size_t bytes = sizeof address->text;
  HLC_TRY(check(fi_getname(&endpoint->fid, address->text, &bytes), "fi_getname", description));
  address->bytes = static_cast<std::uint32_t>(bytes);
  return Status::ok;
}

}  // namespace halocline::transport::ofi
