// Opening and closing the libfabric objects of an endpoint.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/state.hpp"

#include <unistd.h>

#include <cstring>
#include <utility>

#include "transport/ofi/initialising.hpp"
#include "transport/ofi/registration_cache.hpp"
#include "transport/pinned_memory.hpp"
#include "transport/random.hpp"

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

/// What a user can do where a provider that pins pages may pin no more; "" if the reason is another one.
std::string cure_of_refusal(int code, const char *provider) {
  return code == -FI_ENOMEM && registers_pages(provider) ? limit_of_pinned_memory() : "";
}

}  // namespace

/// Closes the endpoint first: then no peer can write here any more. A domain with memory that was leaked after a failed swap stays open.
State::~State() {
  if (endpoint) fi_close(&endpoint->fid);
  if (announcements_memory) fi_close(&announcements_memory->fid);
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
              "%s: fi_enable: %s; the device may lack queues for this many peers; set FI_UNIVERSE_SIZE to the number of ranks, or less",
              description.c_str(), library->text_of(-code));
}

Status State::open(bool sleeps) {
  fi_av_attr address_attributes{};
  const TemporaryVariable shared_receives(kSharedReceives, shared_receives_for(info->fabric_attr->prov_name));
  HLC_TRY(check(library->fabric(info->fabric_attr, &fabric, nullptr), "fi_fabric"));
  HLC_TRY(do_without_cache(*library, *fabric, info->fabric_attr->prov_name));
  HLC_TRY(check(fi_domain(fabric, info.get(), &domain, nullptr), "fi_domain"));
  HLC_TRY(open_queue(sleeps && traits.has_wait_object));
  HLC_TRY(check(fi_av_open(domain, &address_attributes, &addresses, nullptr), "fi_av_open"));
  HLC_TRY(check(fi_endpoint(domain, info.get(), &endpoint, nullptr), "fi_endpoint"));
  HLC_TRY(check(fi_ep_bind(endpoint, &addresses->fid, 0), "fi_ep_bind"));
  HLC_TRY(check(fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind"));
  find_wait_object();
  inject_bytes = info->tx_attr->inject_size;
  inject_write_bytes = traits.injects_writes ? inject_bytes : 0;
  HLC_TRY(enable());
  return traits.announces ? open_announcements() : Status::ok;
}

Status State::open_announcements() {
  if (inject_bytes < sizeof Transfer::immediate)
    return fail(Status::unsupported, "%s carries no immediate data with writes, and cannot inject messages of %zu bytes to replace it",
                description.c_str(), sizeof Transfer::immediate);
  if ((info->domain_attr->mr_mode & FI_MR_LOCAL) != 0)
    HLC_TRY(register_memory({announcements.memory(), Announcements::memory_bytes(), false}, &announcements_memory));
  announcements.open(endpoint, announcements_memory ? fi_mr_desc(announcements_memory) : nullptr);
  return Status::ok;
}

Status State::name(Address *address) const {
  std::size_t bytes = sizeof address->text;
  HLC_TRY(check(fi_getname(&endpoint->fid, address->text, &bytes), "fi_getname"));
  address->bytes = static_cast<std::uint32_t>(bytes);
  return Status::ok;
}

/// A provider that registers memory per endpoint may find only then that a key is taken.
int State::try_to_register(const Registering &memory, std::uint64_t key, fid_mr **registration) const {
  const std::uint64_t access = memory.for_peers ? FI_REMOTE_WRITE | FI_REMOTE_READ : FI_WRITE | FI_READ | FI_SEND | FI_RECV;
  int code = fi_mr_reg(domain, memory.base, static_cast<std::size_t>(memory.bytes), access, 0, key, 0, registration, nullptr);
  if (code != 0 || (info->domain_attr->mr_mode & FI_MR_ENDPOINT) == 0) return code;
  code = fi_mr_bind(*registration, &endpoint->fid, 0);
  if (code == 0) code = fi_mr_enable(*registration);
  if (code != 0) fi_close(&std::exchange(*registration, nullptr)->fid);
  return code;
}

Status State::register_memory(const Registering &memory, fid_mr **registration) const {
  constexpr int tries = 4;  // a key may be taken
  // The system would end processes of the host to keep all pages in memory, among them those that the program has never touched.
  if (registers_pages(info->fabric_attr->prov_name) && static_cast<std::size_t>(memory.bytes) > bytes_of_host())
    return fail(Status::memory, "%s cannot register %lld bytes: it pins them, and this host has %zu", description.c_str(),
                static_cast<long long>(memory.bytes), bytes_of_host());
  int code = -FI_ENOKEY;
  for (int i = 0; i < tries && code == -FI_ENOKEY; ++i)
    code = try_to_register(memory, draw_key(info->domain_attr->mr_key_size), registration);
  if (code == 0) return Status::ok;
  return fail(Status::memory, "%s cannot register %lld bytes: %s%s", description.c_str(), static_cast<long long>(memory.bytes),
              library->text_of(-code), cure_of_refusal(code, info->fabric_attr->prov_name).c_str());
}

}  // namespace halocline::core::transport::ofi
