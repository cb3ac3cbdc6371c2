// The profiling interface: a tool that defines gaspi_write counts the program's calls and forwards them to pgaspi_write.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <PGASPI.h>

#include <cstdint>
#include <cstdio>

namespace {

int calls = 0;

bool succeeds(gaspi_return_t code, const char *call) {
  if (code == GASPI_SUCCESS) return true;
  std::printf("failed: %s: %s\n", call, pgaspi_error_str(code));
  return false;
}
#define SUCCEEDS(call) succeeds(call, #call)

/// Writes to the next rank, and checks what has arrived from the previous one.
bool exchange() {
  gaspi_rank_t rank = 0, ranks = 0;
  gaspi_pointer_t memory = nullptr;
  bool right = SUCCEEDS(gaspi_proc_rank(&rank)) && SUCCEEDS(pgaspi_proc_num(&ranks));
  right = right && SUCCEEDS(gaspi_segment_create(0, 16, GASPI_GROUP_ALL, GASPI_BLOCK, GASPI_MEM_INITIALIZED));
  right = right && SUCCEEDS(pgaspi_segment_ptr(0, &memory));
  if (!right) return false;
  auto *words = static_cast<std::uint64_t *>(memory);
  words[0] = 1000u + rank;
  const auto next = static_cast<gaspi_rank_t>((rank + 1) % ranks);
  right = SUCCEEDS(gaspi_write(0, 0, next, 0, 8, 8, 0, GASPI_BLOCK)) && SUCCEEDS(gaspi_wait(0, GASPI_BLOCK));
  right = SUCCEEDS(pgaspi_barrier(GASPI_GROUP_ALL, GASPI_BLOCK)) && right;
  return right && words[1] == 1000u + (rank + ranks - 1u) % ranks;
}

}  // namespace

extern "C" gaspi_return_t gaspi_write(gaspi_segment_id_t segment_id_local, gaspi_offset_t offset_local, gaspi_rank_t rank,
                                      gaspi_segment_id_t segment_id_remote, gaspi_offset_t offset_remote, gaspi_size_t size,
                                      gaspi_queue_id_t queue, gaspi_timeout_t timeout_ms) {
  calls += 1;
  return pgaspi_write(segment_id_local, offset_local, rank, segment_id_remote, offset_remote, size, queue, timeout_ms);
}

int main() {
  bool right = SUCCEEDS(gaspi_proc_init(GASPI_BLOCK));
  right = right && exchange();
  if (calls != 1) std::printf("failed: the tool has counted %d calls\n", calls);
  right = SUCCEEDS(gaspi_proc_term(GASPI_BLOCK)) && right;
  return right && calls == 1 ? 0 : 1;
}
