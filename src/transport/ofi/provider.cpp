// Asks libfabric what there is and takes the first that will do: its list is in the order of speed.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/provider.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstdio>
#include <cstring>

namespace halocline::transport::ofi {
namespace {

/// Providers that are taken only by name.
struct Row {
  const char *name, *reason;
};
constexpr Row kByNameOnly[] = {
    {"shm", "reaches no other node"},        {"sm2", "reaches no other node"},    {"lnx", "joins other providers, and is on trial"},
    {"udp", "is for libfabric's own tests"}, {"sockets", "is superseded by tcp"}, {"net", "is on trial"},
};

bool is_by_name_only(const std::string &provider) {
  for (const Row &row : kByNameOnly)
    if (provider == row.name || provider.rfind(std::string(row.name) + ";", 0) == 0) return true;
  return false;
}

const char *text(const char *name) { return name ? name : ""; }

/// The IP address of an endpoint, "" if it has none.
std::string ip_of(const sockaddr *address) {
  char written[INET6_ADDRSTRLEN] = "";
  if (address && address->sa_family == AF_INET)
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in *>(address)->sin_addr, written, sizeof written);
  if (address && address->sa_family == AF_INET6)
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6 *>(address)->sin6_addr, written, sizeof written);
  return written;
}

std::string ip_of(const fi_info &info) {
  const bool ip = info.addr_format == FI_SOCKADDR || info.addr_format == FI_SOCKADDR_IN || info.addr_format == FI_SOCKADDR_IN6;
  return ip ? ip_of(static_cast<const sockaddr *>(info.src_addr)) : "";
}

/// The interface of this host that has an IP address, "" if none has.
std::string interface_with(const std::string &ip) {
  std::string name;
  ifaddrs *all = nullptr;
  if (ip.empty() || getifaddrs(&all) != 0) return name;
  for (const ifaddrs *one = all; one && name.empty(); one = one->ifa_next)
    if (ip_of(one->ifa_addr) == ip) name = one->ifa_name;
  freeifaddrs(all);
  return name;
}

bool is_loopback(const std::string &ip) { return ip.rfind("127.", 0) == 0 || ip == "::1"; }
/// Such addresses mean something only together with an interface.
bool is_link_local(const std::string &ip) { return ip.rfind("fe80:", 0) == 0; }

/// What the endpoint has to offer. Which memory modes are borne: see region.cpp.
Info make_hints(const Library &library) {
  Info hints(library.dup_info(nullptr), {&library});
  if (!hints) return hints;
  hints->caps = FI_RMA | FI_MSG;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  // The port lets one thread in at a time, and whoever waits moves the data: a provider needs neither locks nor threads of its own.
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->control_progress = hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->cq_data_size = 4;
  return hints;
}

/// How well an endpoint fits; 0: not at all.
int grade(const fi_info &info, const Wish &wish, const Choice *agreed) {
  const std::string provider = text(info.fabric_attr->prov_name), domain = text(info.domain_attr->name), ip = ip_of(info);
  if (wish.provider.empty() ? is_by_name_only(provider) : provider != wish.provider) return 0;
  if (agreed && (provider != agreed->provider || info.addr_format != agreed->address_format)) return 0;
  if (is_link_local(ip)) return 0;
  if (!wish.interface.empty()) return domain == wish.interface || ip == wish.interface || interface_with(ip) == wish.interface ? 1 : 0;
  if (is_loopback(ip) != (wish.one_host && !ip.empty())) return 0;
  return agreed && std::strcmp(text(info.fabric_attr->name), agreed->network) == 0 ? 2 : 1;
}

/// The names of all providers that were offered, each once.
std::string list_providers(const fi_info *offered) {
  std::string names;
  for (const fi_info *info = offered; info; info = info->next) {
    const std::string name = text(info->fabric_attr->prov_name);
    if ((", " + names + ", ").find(", " + name + ", ") == std::string::npos) names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

Status nothing_fits(const Library &library, const Wish &wish, const Choice *agreed, const fi_info *offered) {
  std::string wanted = agreed ? std::string(" what rank 0 has chosen (") + agreed->provider + ")" : std::string();
  if (!wish.provider.empty()) wanted += " HALOCLINE_PROVIDER=" + wish.provider;
  if (!wish.interface.empty()) wanted += " HALOCLINE_INTERFACE=" + wish.interface;
  return fail(Status::unsupported, "none of the providers of %s fits%s; there are: %s", library.name().c_str(), wanted.c_str(),
              list_providers(offered).c_str());
}

}  // namespace

Status choose(const Library &library, const Wish &wish, const Choice *agreed, Info &chosen) {
  const Info hints = make_hints(library);
  if (!hints) return fail(Status::memory, "no memory for what libfabric is asked");
  fi_info *offered = nullptr;
  const int code = library.get_info(kInterface, nullptr, nullptr, 0, hints.get(), &offered);
  if (code != 0)
    return fail(Status::unsupported, "%s has no provider that can write to other nodes: %s", library.name().c_str(),
                library.text_of(-code));
  const Info all(offered, {&library});
  const fi_info *best = nullptr;
  int best_grade = 0;
  for (const fi_info *info = offered; info; info = info->next)
    if (const int here = grade(*info, wish, agreed); here > best_grade) best = info, best_grade = here;
  if (!best) return nothing_fits(library, wish, agreed, offered);
  chosen = Info(library.dup_info(best), {&library});
  return chosen ? Status::ok : fail(Status::memory, "no memory for what libfabric offers");
}

Choice choice_of(const fi_info &info) {
  Choice choice;
  std::snprintf(choice.provider, sizeof choice.provider, "%s", text(info.fabric_attr->prov_name));
  std::snprintf(choice.network, sizeof choice.network, "%s", text(info.fabric_attr->name));
  choice.address_format = info.addr_format;
  return choice;
}

std::string describe(const fi_info &info) {
  const std::string ip = ip_of(info), interface = interface_with(ip);
  return std::string(text(info.fabric_attr->prov_name)) + " on " + (interface.empty() ? text(info.domain_attr->name) : interface) +
         (ip.empty() ? "" : " (" + ip + ")");
}

}  // namespace halocline::transport::ofi
