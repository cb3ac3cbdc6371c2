// Opening and closing the libfabric objects of an endpoint.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/state.hpp"

#include <unistd.h>

#include <cstring>

#include "transport/ofi/initialising.hpp"
#include "transport/ofi/random.hpp"
#include "transport/ofi/registration_cache.hpp"

namespace halocline::core::transport::ofi {
namespace {

constexpr std::size_t kQueueLength = 4096;

/// A random key of as many bytes as the provider's keys have.
std::uint64_t draw_key(std::size_t bytes) {
  const std::uint64_t key = random_bits();
  return bytes < sizeof key ? key & ((std::uint64_t{1} << (8 * bytes)) - 1) : key;
}

/// The memory of this host.
std::size_t bytes_of_host() { return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

/// Closes the endpoint first: then no peer can write here any more. A domain with memory that was leaked after a failed swap stays open.
State::~State() {
  if (endpoint) fi_close(&endpoint->fid);
  if (queue) fi_close(&queue->fid);
  if (addresses) fi_close(&addresses->fid);
  if (domain) fi_close(&domain->fid);
  if (fabric) fi_close(&fabric->fid);
}

Status State::check(int code, const char *call) const {
  if (code == 0) return Status::ok;
  return fail(Status::unsupported, "%s: %s: %s", description.c_str(), call, library->text_of(-code));
}

Status State::open_queue(bool sleeps) {
  fi_cq_attr attributes{};
  attributes.size = kQueueLength;
  attributes.format = FI_CQ_FORMAT_DATA;
  attributes.wait_obj = sleeps ? FI_WAIT_FD : FI_WAIT_NONE;
  const int code = fi_cq_open(domain, &attributes, &queue, nullptr);
  return code != 0 && sleeps ? open_queue(false) : check(code, "fi_cq_open");
}

void State::find_wait_object() {
  int object = -1;
  if (fi_control(&queue->fid, FI_GETWAIT, &object) == 0) wait_object = object;
}

/// The provider rxm makes a queue for all peers when the endpoint is enabled, and the device may have none that is so long.
Status State::enable() const {
  const int code = fi_enable(endpoint);
  const bool may_be_long = code == -FI_EINVAL && std::strstr(info->fabric_attr->prov_name, "ofi_rxm");
  if (!may_be_long) return check(code, "fi_enable");
  return fail(Status::unsupported,
              "%s: fi_enable: %s; the device may have no queue for so many peers: set FI_UNIVERSE_SIZE to the number of ranks, or less",
              description.c_str(), library->text_of(-code));
}

Status State::open(bool sleeps) {
  fi_av_attr address_attributes{};
  const TemporaryVariable shared_receives(kSharedReceives, shared_receives_for(info->fabric_attr->prov_name));
  HLC_TRY(check(library->fabric(info->fabric_attr, &fabric, nullptr), "fi_fabric"));
  HLC_TRY(do_without_cache(*library, *fabric, info->fabric_attr->prov_name));
  HLC_TRY(check(fi_domain(fabric, info.get(), &domain, nullptr), "fi_domain"));
  HLC_TRY(open_queue(sleeps));
  HLC_TRY(check(fi_av_open(domain, &address_attributes, &addresses, nullptr), "fi_av_open"));
  HLC_TRY(check(fi_endpoint(domain, info.get(), &endpoint, nullptr), "fi_endpoint"));
  HLC_TRY(check(fi_ep_bind(endpoint, &addresses->fid, 0), "fi_ep_bind"));
  HLC_TRY(check(fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind"));
  find_wait_object();
  inject_bytes = info->tx_attr->inject_size;
  return enable();
}

Status State::name(Address *address) const {
  std::size_t bytes = sizeof address->text;
  HLC_TRY(check(fi_getname(&endpoint->fid, address->text, &bytes), "fi_getname"));
  address->bytes = static_cast<std::uint32_t>(bytes);
  return Status::ok;
}

Status State::register_memory(const Registering &memory, fid_mr **registration) const {
  constexpr int tries = 4;  // a key may be taken
  const fi_domain_attr &attributes = *info->domain_attr;
  const std::uint64_t access = memory.for_peers ? FI_REMOTE_WRITE | FI_REMOTE_READ : FI_WRITE | FI_READ | FI_SEND | FI_RECV;
  const auto bytes = static_cast<std::size_t>(memory.bytes);
  // The system would end processes of the host to keep all pages in memory, among them those that the program has never touched.
  if (registers_pages(info->fabric_attr->prov_name) && bytes > bytes_of_host())
    return fail(Status::memory, "%s cannot register %zu bytes: it keeps them in memory, and this host has %zu", description.c_str(), bytes,
                bytes_of_host());
  int code = -FI_ENOKEY;
  for (int i = 0; i < tries && code == -FI_ENOKEY; ++i)
    code = fi_mr_reg(domain, memory.base, bytes, access, 0, draw_key(attributes.mr_key_size), 0, registration, nullptr);
  if (code == 0 && (attributes.mr_mode & FI_MR_ENDPOINT) != 0) {
    code = fi_mr_bind(*registration, &endpoint->fid, 0);
    if (code == 0) code = fi_mr_enable(*registration);
  }
  if (code == 0) return Status::ok;
  return fail(Status::memory, "%s cannot register %zu bytes: %s", description.c_str(), bytes, library->text_of(-code));
}

}  // namespace halocline::core::transport::ofi
