#!/usr/bin/env python3
"""More of what wrong_calls.py does: null pointers, numbers of elements that are none of bytes, teams that were destroyed, and calls before
shmem_init that would do nothing.

Usage: wrong_arguments.py PROGRAM [only...] -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import sys

import wrong

CASES = {
    "all_team_destroyed_twice": r"shmem_team_destroy on PE [01]: team is not a team, or has been destroyed",
    "team_none": r"shmem_team_n_pes on PE 0: team is not a team, or has been destroyed",
    "fetch_null": r"shmem_long_atomic_fetch_nbi on PE 0: fetch is NULL",
    "fetch_add_null": r"shmem_long_atomic_fetch_add_nbi on PE 0: fetch is NULL",
    "compare_swap_null": r"shmem_long_atomic_compare_swap_nbi on PE 0: fetch is NULL",
    "fetch_or_null": r"shmem_ulong_atomic_fetch_or_nbi on PE 0: fetch is NULL",
    "wait_some_null": r"shmem_long_wait_until_some on PE 0: indices is NULL",
    "test_some_null": r"shmem_long_test_some_vector on PE 0: indices is NULL",
    "wait_vector_null": r"shmem_long_wait_until_all_vector on PE 0: cmp_values is NULL",
    "test_all_null": r"shmem_long_test_all on PE 0: ivars is NULL",
    "signal_null": r"shmem_signal_wait_until on PE 0: sig_addr is NULL",
    "all_reduce_dest": r"shmem_long_sum_reduce on PE [01]: dest is NULL",
    "all_reduce_many": r"shmem_long_sum_reduce on PE [01]: source is .* 18446744073709551615 bytes from there go beyond",
    "all_broadcast_many": r"shmem_long_broadcast on PE [01]: dest is .* 18446744073709551615 bytes from there go beyond",
    "all_broadcast_dest": r"shmem_broadcastmem on PE [01]: dest is \(nil\) but must be the address of symmetric memory",
    "all_broadcast_stack": r"shmem_broadcastmem on PE [01]: dest is 0x[0-9a-f]+ but must be the address of symmetric memory",
    "all_broadcast_source": r"shmem_long_broadcast on PE [01]: source is NULL",
    "all_fcollect_many": r"shmem_long_fcollect on PE [01]: dest is .* 18446744073709551615 bytes from there go beyond",
    "all_collect_many": r"shmem_long_collect on PE [01]: dest is .* 18446744073709551615 bytes from there go beyond",
    "all_collect_dest": r"shmem_long_collect on PE [01]: dest is \(nil\) but must be the address of symmetric memory",
    "all_alltoall_many": r"shmem_long_alltoall on PE [01]: dest is .* 18446744073709551615 bytes from there go beyond",
    "all_alltoall_source": r"shmem_long_alltoall on PE [01]: source is NULL",
    "all_alltoalls_stride": r"shmem_long_alltoalls on PE [01]: dst is 0 but must be 1 or more",
    "all_alltoalls_source": r"shmem_long_alltoalls on PE [01]: source is NULL",
    "all_alltoalls_many": r"shmem_long_alltoalls on PE [01]: dest is .* 18446744073709551615 bytes from there go beyond",
    "wait_stack": r"shmem_long_wait_until on PE 0: ivar is 0x[0-9a-f]+ but must be the address of symmetric memory",
    "wait_any_stack": r"shmem_long_wait_until_any on PE 0: ivars is 0x[0-9a-f]+ but must be the address of symmetric memory",
    "signal_stack": r"shmem_signal_wait_until on PE 0: sig_addr is 0x[0-9a-f]+ but must be the address of symmetric memory",
    "early_quiet": r"shmem_quiet: it must be called after shmem_init and before shmem_finalize",
    "early_fence": r"shmem_fence: it must be called after shmem_init and before shmem_finalize",
    "early_wait": r"shmem_long_wait_until: it must be called after shmem_init and before shmem_finalize",
    "early_test": r"shmem_long_test_all: it must be called after shmem_init and before shmem_finalize",
    "early_signal": r"shmem_signal_fetch: it must be called after shmem_init and before shmem_finalize",
}

if __name__ == "__main__":
    wrong.CASES = CASES
    sys.exit(wrong.main(*sys.argv[1:]))
