// UCX, loaded at run time. Without a link dependency the library works where UCX is missing, and shares the copy that the application's MPI has
// loaded.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ucp/api/ucp.h>

#include <string>

#include "base/status.hpp"
#include "transport/network.hpp"

namespace halocline::core::transport::ucx {

/// The functions of libucp and libucs, and the path of the file that contains them.
struct Library {
  decltype(&ucp_get_version) version = nullptr;
  decltype(&ucp_config_read) config_read = nullptr;
  decltype(&ucp_config_modify) config_modify = nullptr;
  decltype(&ucp_config_release) config_release = nullptr;
  decltype(&ucp_init_version) init = nullptr;
  decltype(&ucp_cleanup) cleanup = nullptr;
  decltype(&ucp_context_print_info) print_info = nullptr;
  decltype(&ucp_worker_create) worker_create = nullptr;
  decltype(&ucp_worker_destroy) worker_destroy = nullptr;
  decltype(&ucp_worker_query) worker_query = nullptr;
  decltype(&ucp_worker_progress) progress = nullptr;
  decltype(&ucp_worker_get_efd) get_efd = nullptr;
  decltype(&ucp_worker_arm) arm = nullptr;
  decltype(&ucp_worker_release_address) release_address = nullptr;
  decltype(&ucp_worker_set_am_recv_handler) set_handler = nullptr;
  decltype(&ucp_ep_create) ep_create = nullptr;
  decltype(&ucp_ep_close_nbx) ep_close = nullptr;
  decltype(&ucp_am_send_nbx) am_send = nullptr;
  decltype(&ucp_mem_map) mem_map = nullptr;
  decltype(&ucp_mem_unmap) mem_unmap = nullptr;
  decltype(&ucp_rkey_pack) rkey_pack = nullptr;
  decltype(&ucp_rkey_buffer_release) rkey_release = nullptr;
  decltype(&ucp_ep_rkey_unpack) rkey_unpack = nullptr;
  decltype(&ucp_rkey_destroy) rkey_destroy = nullptr;
  decltype(&ucp_put_nbx) put = nullptr;
  decltype(&ucp_get_nbx) get = nullptr;
  decltype(&ucp_ep_flush_nbx) flush = nullptr;
  decltype(&ucp_request_check_status) request_status = nullptr;
  decltype(&ucp_request_free) request_free = nullptr;
  decltype(&ucs_status_string) text_of = nullptr;
  std::string path;

  /// "UCX 1.13.1 (/usr/lib/libucp.so.0)".
  std::string name() const;
};

/// Finds UCX once per process; it stays loaded until the end. One that is loaded already, as the host MPI's may be, is used: two in one process
/// would both hook the calls that map memory. If none is loaded, the wished file is tried first, unless empty. Unsupported, with the reason, if
/// there is none, or it is older than 1.11.
Status find_library(const Wish &wish, const Library **library);

}  // namespace halocline::core::transport::ucx
