#!/usr/bin/env python3
"""Wrong calls of teams, collectives, atomics, waits and locks of OpenSHMEM: each ends all PEs within seconds, with one message that names
call, argument, PE and value.

Usage: wrong_calls.py PROGRAM [only...] -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import sys

import wrong

CASES = {
    "atomic_pe": r"shmem_long_atomic_add on PE 0: pe is 2 but must be 0 to 1",
    "atomic_place": r"shmem_long_atomic_fetch_add on PE 0: dest is 0x[0-9a-f]+ but must be the address of symmetric memory",
    "atomic_alignment": r"shmem_long_atomic_inc on PE 0: the address is 0x[0-9a-f]+ but must be a multiple of 8",
    "wait_cmp": r"shmem_long_wait_until on PE 0: cmp is 9 but must be one of",
    "wait_null": r"shmem_long_wait_until on PE 0: ivar is NULL",
    "test_cmp": r"shmem_long_test_any on PE 0: cmp is 0 but must be one of",
    "team_invalid": r"shmem_team_sync on PE 0: team is SHMEM_TEAM_INVALID",
    "team_null": r"shmem_team_split_strided on PE 0: new_team is NULL",
    "team_destroy": r"shmem_team_destroy on PE 0: team is SHMEM_TEAM_WORLD, which cannot be destroyed",
    "all_team_destroyed": r"shmem_team_sync on PE [01]: team is not a team, or has been destroyed",
    "all_freed_twice": r"shmem_free on PE [01]: ptr is 0x[0-9a-f]+ but must be an address that shmem_malloc or a relative has returned",
    "root": r"shmem_long_broadcast on PE 0: PE_root is 2 but must be 0 to 1",
    "set_stride": r"shmem_sync on PE 0: logPE_stride is -1 but must be 0 to 30",
    "set_size": r"shmem_barrier on PE 0: PE_start is 0, logPE_stride 0 and PE_size 3, but the job has 2 PEs",
    "set_member": r"shmem_barrier on PE 0: this PE is not in the active set",
    "nreduce": r"shmem_long_sum_to_all on PE 0: nreduce is -1 but must be 0 or more",
    "lock_place": r"shmem_set_lock on PE 0: lock is 0x[0-9a-f]+ but must be the address of symmetric memory",
    "context_used": r"shmem_ctx_long_p on PE 0: ctx has been destroyed",
    "context_completed": r"shmem_ctx_quiet on PE 0: ctx has been destroyed",
    "context_destroyed": r"shmem_ctx_destroy on PE 0: ctx has been destroyed",
    "context_of_team": r"shmem_ctx_long_atomic_fetch on PE 0: ctx has been destroyed",
    "lock_set_twice": r"shmem_set_lock on PE 0: this PE has set the lock already, and would wait for itself",
    "beyond_static": r"shmem_long_put on PE 0: dest is 0x[0-9a-f]+ .* 8388608 bytes from there go beyond the variables of the program",
    "alltoall_dest": r"shmem_long_alltoall on PE 0: dest is \(nil\) but must be the address of symmetric memory",
    "reduce_source": r"shmem_long_sum_reduce on PE 0: source is .* 8388608 bytes from there go beyond the variables of the program",
    "all_team_followed": r"shmem_team_sync on PE [01]: team is not a team, or has been destroyed",
    "lock_free": r"shmem_clear_lock on PE 0: this PE has not set the lock",
}

if __name__ == "__main__":
    wrong.CASES = CASES
    sys.exit(wrong.main(*sys.argv[1:]))
