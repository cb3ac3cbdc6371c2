// The table of providers, and the attributes of simulated ones.
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ofi/traits.hpp"

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace halocline::core::transport::ofi {
namespace {

constexpr std::size_t kMaxBytesIfUnordered = 5000, kFewestImmediateBytes = 4;

/// Its sources: fi_cxi(7), fi_efa(7) and fi_opx(7), and the files of libfabric's sources below prov/ that are named.
struct Row {
  const char *name;
  Fake fake;  // that simulates it
  Traits traits;
};
constexpr std::array kRows{
    // cxi reports 8 bytes, which are those of messages. cxip_rma.c refuses writes with them: FI_REMOTE_CQ_DATA is not among
    // CXIP_WRITEMSG_ALLOWED_FLAGS (include/cxip.h).
    Row{"cxi", Fake::cxi, {.announces = true, .has_wait_object = true}},
    // "No support for inject": later versions have it for messages, and for writes by devices that can (FI_OPT_INJECT_RMA_SIZE). "Wait objects
    // are not currently supported."
    Row{"efa", Fake::efa, {.injects_writes = false, .has_wait_object = false}},
    // Older versions ignore the flags of fi_writemsg, and with them the immediate data (fi_opx_rma.c, fi_opx_writemsg_internal).
    Row{"opx", Fake::opx, {.announces = true, .has_wait_object = false}},
    Row{"tcp", Fake::no, {.moves_by_processor = true}},
};

const Row *find_row(const std::string &provider, Fake fake) {
  const bool simulates = fake == Fake::cxi || fake == Fake::efa || fake == Fake::opx;
  for (const Row &row : kRows)
    if (simulates ? row.fake == fake : provider.rfind(row.name, 0) == 0) return &row;
  return nullptr;
}

struct Attributes {
  std::size_t immediate_bytes, inject_bytes, parts, key_bytes;
  int memory_mode;
  std::size_t most_bytes;
};

/// Those that the provider would report to provider.cpp, which names all kinds of registration that this folder supports. FI_MR_ENDPOINT is not
/// among them here: the provider that simulates cxi does not know it. None of them orders writes and messages unless it is asked to.
Attributes attributes_of(Fake fake) {
  constexpr std::size_t kGiB = std::size_t{1} << 30;
  // cxip_info.c, include/cxip.h: CXIP_REMOTE_CQ_DATA_SZ, CXIP_INJECT_SIZE, iov_limit, keys that the provider chooses, CXIP_EP_MAX_MSG_SZ
  if (fake == Fake::cxi) return {8, 192, 1, 8, FI_MR_ALLOCATED | FI_MR_PROV_KEY, 4 * kGiB - 1};
  // efa_prov_info.c, efa_rdm_cq.h: EFA_RDM_CQ_DATA_SIZE, no inject, EFA_RDM_IOV_LIMIT, lkey, OFI_MR_BASIC_MAP, FI_MR_LOCAL if the user names it
  if (fake == Fake::efa) return {4, 0, 4, 4, FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY, SIZE_MAX};
  // fi_opx_info.c, fi_opx_domain.c: FI_OPX_REMOTE_CQ_DATA_SIZE, FI_OPX_HFI1_PACKET_IMM, keys of the user, FI_OPX_MAX_MSG_SIZE
  return {4, 16, SIZE_MAX, 8, 0, SIZE_MAX};
}

void lower(std::size_t &attribute, std::size_t most) { attribute = std::min(attribute, most); }

}  // namespace

Traits traits_of(const fi_info &info, Fake fake) {
  const std::string provider = info.fabric_attr->prov_name ? info.fabric_attr->prov_name : "";
  const Row *row = find_row(provider, fake);
  Traits traits = row ? row->traits : Traits();
  if (info.domain_attr->cq_data_size < kFewestImmediateBytes) traits.announces = true;
  return traits;
}

void simulate(fi_info &info, Fake fake) {
  if (!is_unordered(fake)) return;
  info.tx_attr->msg_order = info.rx_attr->msg_order = 0;
  if (fake == Fake::unordered || fake == Fake::poor) lower(info.ep_attr->max_msg_size, kMaxBytesIfUnordered);
  if (fake == Fake::unordered) return;
  if (fake == Fake::poor) {
    lower(info.domain_attr->cq_data_size, kFewestImmediateBytes);
    info.domain_attr->mr_mode |= FI_MR_LOCAL;
    return;
  }
  const Attributes attributes = attributes_of(fake);
  lower(info.domain_attr->cq_data_size, attributes.immediate_bytes);
  lower(info.domain_attr->mr_key_size, attributes.key_bytes);
  lower(info.tx_attr->inject_size, attributes.inject_bytes);
  lower(info.tx_attr->iov_limit, attributes.parts);
  lower(info.ep_attr->max_msg_size, attributes.most_bytes);
  info.domain_attr->mr_mode |= attributes.memory_mode;
}

}  // namespace halocline::core::transport::ofi
