// GASPI 17.1, section 5.2: the configuration of a job, before it and in it, and ranks that disagree. Arguments: `disagree`; `share`: ranks
// that have different numbers of notifications and want to share them; or `none`: no notifications.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <GASPI_Ext.h>
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace {

int failures = 0;

void expect(bool condition, const char *what) {
  if (condition) return;
  std::printf("failed: %s\n", what);
  failures += 1;
}
#define EXPECT(condition) expect(condition, #condition)

/// A value that a function writes.
template <class Value>
Value of(gaspi_return_t (*get)(Value *)) {
  Value value{};
  EXPECT(get(&value) == GASPI_SUCCESS);
  return value;
}

void refuse_what_is_not_possible(const gaspi_config_t &possible) {
  gaspi_config_t config = possible;
  config.queue_num = 17;
  EXPECT(gaspi_config_set(config) == GASPI_ERR_CONFIG);
  config = possible;
  config.notification_num = 65537;
  EXPECT(gaspi_config_set(config) == GASPI_ERR_CONFIG);
  config = possible;
  config.segment_max = 0;
  EXPECT(gaspi_config_set(config) == GASPI_ERR_CONFIG);
  config = possible;
  config.segment_max = 256;
  EXPECT(gaspi_config_set(config) == GASPI_ERR_CONFIG);
  config = possible;
  config.rw_list_elem_max = 256;
  EXPECT(gaspi_config_set(config) == GASPI_ERR_CONFIG);
  config = possible;
  config.dev_config.params.ib.mtu = 5000;
  EXPECT(gaspi_config_set(config) == GASPI_ERR_CONFIG);
  config = possible;
  config.allreduce_elem_max = 10'000'000;
  EXPECT(gaspi_config_set(config) == GASPI_SUCCESS);
  EXPECT(gaspi_config_get(nullptr) == GASPI_ERR_NULLPTR);
}

void check_limits() {
  EXPECT(of(gaspi_queue_num) == 2 && of(gaspi_queue_size_max) == 5 && of(gaspi_group_max) == 3 && of(gaspi_segment_max) == 4);
  EXPECT(of(gaspi_notification_num) == 100 && of(gaspi_transfer_size_max) == 64 && of(gaspi_transfer_size_min) == 0);
  EXPECT(of(gaspi_passive_transfer_size_max) == 200 && of(gaspi_allreduce_buf_size) == 16 && of(gaspi_allreduce_elem_max) == 3);
  EXPECT(of(gaspi_build_infrastructure) == GASPI_TOPOLOGY_NONE && of(gaspi_queue_max) == 16 && of(gaspi_atomic_max) == ~0ul);
}

/// The limits hold, and the program itself must commit GASPI_GROUP_ALL.
void use_them() {
  gaspi_notification_id_t id = 0;
  long value = 1, sum = 0;
  gaspi_rank_t rank = of(gaspi_proc_rank);
  EXPECT(gaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK) == GASPI_ERR_INV_GROUP);
  EXPECT(gaspi_group_commit(GASPI_GROUP_ALL, GASPI_BLOCK) == GASPI_SUCCESS);
  EXPECT(gaspi_group_commit(GASPI_GROUP_ALL, GASPI_BLOCK) == GASPI_SUCCESS);  // a barrier
  EXPECT(gaspi_segment_create(3, 128, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_ALLOC_DEFAULT) == GASPI_SUCCESS);
  EXPECT(gaspi_segment_create(4, 128, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_ALLOC_DEFAULT) == GASPI_ERR_INV_SEG);
  EXPECT(gaspi_write(3, 0, rank, 3, 64, 64, 0, GASPI_BLOCK) == GASPI_SUCCESS);
  EXPECT(gaspi_write(3, 0, rank, 3, 0, 65, 0, GASPI_BLOCK) == GASPI_ERR_INV_COMMSIZE);
  EXPECT(gaspi_write(3, 0, rank, 3, 64, 64, 2, GASPI_BLOCK) == GASPI_ERR_INV_QUEUE);
  EXPECT(gaspi_notify(3, rank, 99, 1, 0, GASPI_BLOCK) == GASPI_SUCCESS);
  EXPECT(gaspi_notify(3, rank, 100, 1, 0, GASPI_BLOCK) == GASPI_ERR_INV_NOTIF_ID);
  EXPECT(gaspi_write_notify(3, 0, rank, 3, 64, 8, 100, 1, 0, GASPI_BLOCK) == GASPI_ERR_INV_NOTIF_ID);
  EXPECT(gaspi_read_notify(3, 0, rank, 3, 64, 8, 100, 0, GASPI_BLOCK) == GASPI_ERR_INV_NOTIF_ID);
  EXPECT(gaspi_notify_waitsome(3, 0, 100, &id, GASPI_BLOCK) == GASPI_SUCCESS && id == 99);
  EXPECT(gaspi_notify_waitsome(3, 99, 2, &id, GASPI_BLOCK) == GASPI_ERR_INV_NUM);
  EXPECT(gaspi_notify_waitsome(3, 100, 1, &id, GASPI_BLOCK) == GASPI_ERR_INV_NOTIF_ID);
  EXPECT(gaspi_allreduce(&value, &sum, 1, GASPI_OP_SUM, GASPI_TYPE_LONG, GASPI_GROUP_ALL, GASPI_BLOCK) == GASPI_SUCCESS);
  EXPECT(sum == of(gaspi_proc_num));
  EXPECT(gaspi_wait(0, GASPI_BLOCK) == GASPI_SUCCESS);
}

/// Data can be moved; there is no id that can be notified.
void do_without_notifications() {
  gaspi_notification_id_t id = 77;
  gaspi_notification_t value = 0;
  const gaspi_rank_t rank = of(gaspi_proc_rank);
  EXPECT(of(gaspi_notification_num) == 0);
  EXPECT(gaspi_group_commit(GASPI_GROUP_ALL, GASPI_BLOCK) == GASPI_SUCCESS);
  for (const gaspi_segment_id_t segment : {gaspi_segment_id_t{1}, gaspi_segment_id_t{2}}) {
    const gaspi_alloc_t policy = segment == 1 ? GASPI_MEM_INITIALIZED : GASPI_MEM_SHARED;
    EXPECT(gaspi_segment_create(segment, 128, GASPI_GROUP_ALL, GASPI_BLOCK, policy) == GASPI_SUCCESS);
    EXPECT(gaspi_write(segment, 0, rank, segment, 64, 64, 0, GASPI_BLOCK) == GASPI_SUCCESS);
    EXPECT(gaspi_notify(segment, rank, 0, 1, 0, GASPI_BLOCK) == GASPI_ERR_INV_NOTIF_ID);
    EXPECT(gaspi_write_notify(segment, 0, rank, segment, 64, 8, 0, 1, 0, GASPI_BLOCK) == GASPI_ERR_INV_NOTIF_ID);
    EXPECT(gaspi_notify_reset(segment, 0, &value) == GASPI_ERR_INV_NOTIF_ID);
    EXPECT(gaspi_notify_waitsome(segment, 0, 1, &id, GASPI_BLOCK) == GASPI_ERR_INV_NUM);
    EXPECT(gaspi_notify_waitsome(segment, 0, 0, &id, GASPI_BLOCK) == GASPI_SUCCESS && id == 77);
  }
  EXPECT(gaspi_wait(0, GASPI_BLOCK) == GASPI_SUCCESS);
}

}  // namespace

int main(int argc, char **argv) {
  gaspi_config_t config;
  const char *disagreement = argc > 1 ? argv[1] : "";
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT(gaspi_config_get(&config) == GASPI_SUCCESS);
  EXPECT(config.queue_num == 8 && config.notification_num == 65536 && config.segment_max == 255);
  EXPECT(config.group_max == 32 && config.transfer_size_max == 1ul << 30 && config.rw_list_elem_max == 255);
  refuse_what_is_not_possible(config);
  config.queue_num = 2;
  config.queue_size_max = 5;
  config.group_max = 3;
  config.segment_max = 4;
  config.notification_num = 100;
  config.transfer_size_max = 64;
  config.passive_transfer_size_max = 200;
  config.allreduce_buf_size = 16;
  config.allreduce_elem_max = 3;
  config.build_infrastructure = GASPI_TOPOLOGY_NONE;
  if (std::strcmp(disagreement, "disagree") == 0 && rank == 0) config.group_max = 7;
  const bool shares = std::strcmp(disagreement, "share") == 0;
  if (shares && rank == 0) config.notification_num = 10'000;
  const bool has_none = std::strcmp(disagreement, "none") == 0;
  if (has_none) config.notification_num = 0;
  EXPECT(gaspi_config_set(config) == GASPI_SUCCESS);

  const gaspi_return_t started = gaspi_proc_init(GASPI_BLOCK);
  if (shares) {
    EXPECT(started == GASPI_SUCCESS);
    EXPECT(gaspi_group_commit(GASPI_GROUP_ALL, GASPI_BLOCK) == GASPI_SUCCESS);
    EXPECT(gaspi_segment_create(3, 128, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_SHARED) == GASPI_ERROR);
    EXPECT(gaspi_segment_create(3, 128, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_INITIALIZED) == GASPI_SUCCESS);
    EXPECT(gaspi_proc_term(GASPI_BLOCK) == GASPI_SUCCESS);
  } else if (has_none) {
    EXPECT(started == GASPI_SUCCESS);
    do_without_notifications();
    EXPECT(gaspi_proc_term(GASPI_BLOCK) == GASPI_SUCCESS);
  } else if (*disagreement != '\0') {
    EXPECT(started == GASPI_ERR_CONFIG);
  } else {
    EXPECT(started == GASPI_SUCCESS);
    EXPECT(gaspi_config_set(config) == GASPI_ERR_INITED);
    check_limits();
    use_them();
    EXPECT(gaspi_proc_term(GASPI_BLOCK) == GASPI_SUCCESS);
    // The program has started MPI: it may do so again.
    EXPECT(gaspi_proc_init(GASPI_BLOCK) == GASPI_SUCCESS);
    EXPECT(gaspi_proc_term(GASPI_BLOCK) == GASPI_SUCCESS);
  }
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
