// GASPI 17.1, section 5: configuration, processes, connections, the state vector. gaspi_proc_init initialises MPI if the
// program has not (base/mpi_use.cpp), and takes ranks and addresses from it.
// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <mutex>

#include "engine/network/request_engine.hpp"
#include "faces/gaspi/job.hpp"
#include "faces/gaspi/profiling.hpp"

namespace halocline::core::gaspi {
namespace {

constexpr const char *kInit = "gaspi_proc_init", *kTerm = "gaspi_proc_term";

constexpr gaspi_config_t kDefaults{
    .logger = 1,
    .sn_port = 12121,
    .net_info = 0,
    .user_net = 0,
    .sn_persistent = 1,
    .sn_timeout = 30000,
    .dev_config = {.network_type = GASPI_ETHERNET, .params = {.ib = {.netdev_id = -1, .mtu = 0, .port_check = 1}, .tcp = {.port = 19000}}},
    .network = GASPI_ETHERNET,
    .queue_size_max = 1024,
    .queue_num = 8,
    .group_max = kUsualGroups,
    .segment_max = kMaxSegments,
    .transfer_size_max = kUsualBytes,
    .notification_num = kMaxNotifications,
    .passive_queue_size_max = 1024,
    .passive_transfer_size_max = kMaxPassiveBytes,
    .allreduce_buf_size = 255 * sizeof(std::uint64_t),
    .allreduce_elem_max = 255,
    .rw_list_elem_max = kMaxOfList,
    .build_infrastructure = GASPI_TOPOLOGY_DYNAMIC,
    .user_defined = nullptr,
};

gaspi_config_t chosen = kDefaults;

/// Accepts only what GPI-2 accepts, though it has no effect here.
bool is_device(const gaspi_dev_config_t &device) {
  const auto &ib = device.params.ib;
  const bool is_mtu = ib.mtu == 0 || ib.mtu == 1024 || ib.mtu == 2048 || ib.mtu == 4096;
  return is_mtu && ib.netdev_id >= -1 && ib.netdev_id <= 4;
}

bool is_possible(const gaspi_config_t &config) {
  const auto within = [](unsigned long value, unsigned long most) { return value >= 1 && value <= most; };
  return within(config.queue_size_max, kMaxRequests) && within(config.queue_num, kMaxQueues) && within(config.group_max, kMaxGroups) &&
         within(config.segment_max, kMaxSegments) && within(config.transfer_size_max, kMaxBytes) &&
         config.notification_num <= kMaxNotifications && within(config.passive_transfer_size_max, kMaxPassiveBytes) &&
         within(config.allreduce_buf_size, kMaxBytes) && config.allreduce_elem_max >= 1 && within(config.rw_list_elem_max, kMaxOfList) &&
         is_device(config.dev_config) && config.build_infrastructure <= GASPI_TOPOLOGY_DYNAMIC;
}

/// What gaspi_proc_init returns.
constexpr StatusMap<gaspi_return_t, 4> kInitAnswers{{{Status::ok, GASPI_SUCCESS},
                                                     {Status::memory, GASPI_ERR_MEMALLOC},
                                                     {Status::mismatch, GASPI_ERR_CONFIG},
                                                     {Status::argument, GASPI_ERR_ENV}},
                                                    GASPI_ERROR};

gaspi_return_t start() {
  if (const Status mpi = runtime.start(kInit); failed(mpi)) return answer(mpi);
  return kInitAnswers.of(runtime.begin(std::make_unique<Job>(chosen)));
}

/// Ends the job once all ranks have called this, or one is lost: then no rank waits for the others any longer.
gaspi_return_t stop(Job &open, gaspi_timeout_t timeout_ms) {
  const gaspi_return_t met = until(open, kTerm, timeout_ms, [&] { return open.meet_to_end(); }, halocline::core::WakeUp::by_polling);
  if (met == GASPI_TIMEOUT) return met;
  const Status ended = runtime.end(met == GASPI_SUCCESS ? Status::ok : Status::peer_died);
  return failed(ended) ? GASPI_ERROR : GASPI_SUCCESS;
}

/// Ends a job during which MPI has been finalised.
gaspi_return_t stop_after_mpi() {
  runtime.abandon();
  return after_mpi();
}

gaspi_return_t stop(gaspi_timeout_t timeout_ms) {
  const std::unique_lock ending = runtime.change();
  const Visit visit;
  Job *open = the_job();
  if (!open) return GASPI_ERR_NOINIT;
  if (!ending || Visit::depth() > 1)
    return answer(fail(Status::state, "gaspi_proc_term on rank %d: an earlier call has not returned", open->rank()));
  return mpi_has_ended() ? stop_after_mpi() : stop(*open, timeout_ms);
}

/// Tests the connection to a rank.
gaspi_return_t reach(const char *call, gaspi_rank_t rank, gaspi_timeout_t timeout_ms) {
  return enter([&](Job &open) {
    if (rank >= open.size()) return GASPI_ERR_INV_RANK;
    RemoteMemory *control = nullptr;
    if (open.watch.has_lost(rank, call)) return answer(open.watch.report(call, rank));
    if (const Status found = open.parts.find_control(rank, &control); failed(found)) return answer(found);
    const auto look = [&] { return open.connections.look(*control, Plan::changed(), call); };
    return until(open, call, timeout_ms, look, halocline::core::WakeUp::by_polling);
  });
}

/// Ends a process of this node at once, one of another node when it next waits.
Status end(Job &open, int rank) {
  RemoteMemory *control = nullptr;
  HLC_TRY(open.parts.find_control(rank, &control));
  if (!control->is_near()) {
    const Status room = control->find_room("gaspi_proc_kill");
    return room == Status::ok ? notify("gaspi_proc_kill", *control, {Plan::kEnd, 1}) : room;
  }
  // The number of a process that has ended may be another one's.
  const Member member = open.context.member_of(rank);
  if (member != kNotOnNode && !open.context.doorbell().alive(member)) return Status::ok;
  if (kill(control->process(), SIGKILL) == 0 || errno == ESRCH) return Status::ok;
  return fail(Status::unsupported, "gaspi_proc_kill: rank %d is not permitted to end rank %d: %s", open.rank(), rank, std::strerror(errno));
}

}  // namespace

}  // namespace halocline::core::gaspi

using namespace halocline::core::gaspi;

extern "C" {

gaspi_return_t pgaspi_config_get(gaspi_config_t *config) {
  if (!config) return GASPI_ERR_NULLPTR;
  *config = chosen;
  return GASPI_SUCCESS;
}

gaspi_return_t pgaspi_config_set(gaspi_config_t config) {
  if (the_job()) return GASPI_ERR_INITED;
  if (!is_possible(config)) return GASPI_ERR_CONFIG;
  chosen = config;
  return GASPI_SUCCESS;
}

gaspi_return_t pgaspi_proc_init(gaspi_timeout_t) {
  const std::unique_lock opening = halocline::core::runtime.change();
  if (the_job() || !opening) return GASPI_ERR_INITED;
  try {
    return start();
  } catch (const std::bad_alloc &) {
    return GASPI_ERR_MEMALLOC;
  }
}

gaspi_return_t pgaspi_proc_term(gaspi_timeout_t timeout_ms) {
  try {
    return stop(timeout_ms);
  } catch (const std::bad_alloc &) {
    return GASPI_ERR_MEMALLOC;
  }
}

gaspi_return_t pgaspi_proc_num(gaspi_rank_t *proc_num) {
  return get(proc_num, [](const Job &open) { return open.size(); });
}

gaspi_return_t pgaspi_proc_rank(gaspi_rank_t *rank) {
  return get(rank, [](const Job &open) { return open.rank(); });
}

gaspi_return_t pgaspi_connect(gaspi_rank_t rank, gaspi_timeout_t timeout_ms) { return reach("gaspi_connect", rank, timeout_ms); }

gaspi_return_t pgaspi_proc_ping(gaspi_rank_t rank, gaspi_timeout_t timeout_ms) { return reach("gaspi_proc_ping", rank, timeout_ms); }

gaspi_return_t pgaspi_disconnect(gaspi_rank_t rank, gaspi_timeout_t timeout_ms) {
  constexpr const char *call = "gaspi_disconnect";
  return enter([&](Job &open) {
    if (rank >= open.size()) return GASPI_ERR_INV_RANK;
    halocline::core::RequestEngine *requests = open.context.network().requests();
    if (!requests) return GASPI_SUCCESS;
    halocline::core::Flush flush = requests->begin_flush(rank, true);
    return until(open, call, timeout_ms, [&] { return requests->look(flush, call); });
  });
}

gaspi_return_t pgaspi_proc_kill(gaspi_rank_t rank, gaspi_timeout_t timeout_ms) {
  return enter([&](Job &open) {
    if (rank >= open.size() || rank == open.rank()) return GASPI_ERR_INV_RANK;
    return until(open, "gaspi_proc_kill", timeout_ms, [&] { return end(open, rank); });
  });
}

gaspi_return_t pgaspi_state_vec_get(gaspi_state_vector_t state_vector) {
  return enter([&](Job &open) {
    if (!state_vector) return GASPI_ERR_NULLPTR;
    open.context.network().poll();
    static_cast<void>(open.watch.look("gaspi_state_vec_get"));
    open.watch.mark_all_reported();
    for (int rank = 0; rank < open.size(); ++rank)
      state_vector[rank] = open.watch.is_lost(rank) ? GASPI_STATE_CORRUPT : GASPI_STATE_HEALTHY;
    return GASPI_SUCCESS;
  });
}

HLC_WEAK_ALIAS(config_get);
HLC_WEAK_ALIAS(config_set);
HLC_WEAK_ALIAS(proc_init);
HLC_WEAK_ALIAS(proc_term);
HLC_WEAK_ALIAS(proc_num);
HLC_WEAK_ALIAS(proc_rank);
HLC_WEAK_ALIAS(connect);
HLC_WEAK_ALIAS(proc_ping);
HLC_WEAK_ALIAS(disconnect);
HLC_WEAK_ALIAS(proc_kill);
HLC_WEAK_ALIAS(state_vec_get);

}  // extern "C"
