/*
 * The profiling interface of GASPI.h and GASPI_Ext.h: pgaspi_NAME does what gaspi_NAME does, and has its arguments. gaspi_NAME is a weak
 * symbol: a tool that measures defines it, does what it likes, and calls pgaspi_NAME. It precedes libhalocline_gaspi on the command line,
 * or is in LD_PRELOAD.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PGASPI_H
#define PGASPI_H

#include <GASPI_Ext.h>

#ifdef __cplusplus
extern "C" {
#define GASPI_PROFILED(name) GASPI_API decltype(gaspi_##name) pgaspi_##name
#else
#define GASPI_PROFILED(name) GASPI_API __typeof__(gaspi_##name) pgaspi_##name
#endif

GASPI_PROFILED(config_get);
GASPI_PROFILED(config_set);
GASPI_PROFILED(proc_init);
GASPI_PROFILED(proc_num);
GASPI_PROFILED(proc_rank);
GASPI_PROFILED(proc_term);
GASPI_PROFILED(proc_kill);
GASPI_PROFILED(connect);
GASPI_PROFILED(disconnect);
GASPI_PROFILED(state_vec_get);
GASPI_PROFILED(group_create);
GASPI_PROFILED(group_add);
GASPI_PROFILED(group_commit);
GASPI_PROFILED(group_delete);
GASPI_PROFILED(group_num);
GASPI_PROFILED(group_size);
GASPI_PROFILED(group_ranks);
GASPI_PROFILED(segment_alloc);
GASPI_PROFILED(segment_register);
GASPI_PROFILED(segment_create);
GASPI_PROFILED(segment_bind);
GASPI_PROFILED(segment_use);
GASPI_PROFILED(segment_delete);
GASPI_PROFILED(segment_num);
GASPI_PROFILED(segment_list);
GASPI_PROFILED(segment_ptr);
GASPI_PROFILED(segment_size);
GASPI_PROFILED(write);
GASPI_PROFILED(read);
GASPI_PROFILED(wait);
GASPI_PROFILED(notify);
GASPI_PROFILED(notify_waitsome);
GASPI_PROFILED(notify_reset);
GASPI_PROFILED(write_notify);
GASPI_PROFILED(read_notify);
GASPI_PROFILED(write_list);
GASPI_PROFILED(write_list_notify);
GASPI_PROFILED(read_list);
GASPI_PROFILED(read_list_notify);
GASPI_PROFILED(queue_size);
GASPI_PROFILED(queue_create);
GASPI_PROFILED(queue_delete);
GASPI_PROFILED(queue_purge);
GASPI_PROFILED(passive_send);
GASPI_PROFILED(passive_receive);
GASPI_PROFILED(passive_queue_purge);
GASPI_PROFILED(atomic_fetch_add);
GASPI_PROFILED(atomic_compare_swap);
GASPI_PROFILED(barrier);
GASPI_PROFILED(allreduce);
GASPI_PROFILED(allreduce_user);
GASPI_PROFILED(group_max);
GASPI_PROFILED(segment_max);
GASPI_PROFILED(queue_num);
GASPI_PROFILED(queue_size_max);
GASPI_PROFILED(queue_max);
GASPI_PROFILED(transfer_size_min);
GASPI_PROFILED(transfer_size_max);
GASPI_PROFILED(notification_num);
GASPI_PROFILED(passive_transfer_size_min);
GASPI_PROFILED(passive_transfer_size_max);
GASPI_PROFILED(rw_list_elem_max);
GASPI_PROFILED(allreduce_buf_size);
GASPI_PROFILED(allreduce_elem_max);
GASPI_PROFILED(atomic_max);
GASPI_PROFILED(network_type);
GASPI_PROFILED(build_infrastructure);
GASPI_PROFILED(version);
GASPI_PROFILED(time_get);
GASPI_PROFILED(time_ticks);
GASPI_PROFILED(print_error);
GASPI_PROFILED(statistic_counter_max);
GASPI_PROFILED(statistic_counter_info);
GASPI_PROFILED(statistic_verbosity_level);
GASPI_PROFILED(statistic_counter_get);
GASPI_PROFILED(statistic_counter_reset);
GASPI_PROFILED(pcontrol);
GASPI_PROFILED(segment_ptr_of);
GASPI_PROFILED(initialized);
GASPI_PROFILED(proc_local_rank);
GASPI_PROFILED(proc_local_num);
GASPI_PROFILED(proc_ping);
GASPI_PROFILED(segment_avail_local);
GASPI_PROFILED(error_str);
GASPI_PROFILED(printf);
GASPI_PROFILED(printf_to);
GASPI_PROFILED(print_affinity_mask);
GASPI_PROFILED(machine_type);
GASPI_PROFILED(cpu_frequency);
GASPI_PROFILED(numa_socket);
GASPI_PROFILED(set_socket_affinity);

#ifdef __cplusplus
}
#endif
#endif
