#!/usr/bin/env python3
"""Wrong calls of ARMCI: each has a message that names the function and the value, and returns a code that is not 0 or ends all ranks.

Usage: misuse.py PROGRAM [WAY...] -- LAUNCHER [FLAG...]

SPDX-License-Identifier: BSD-3-Clause
"""
import re
import subprocess
import sys

# What the message has to contain.
WAYS = {
    "put_no_rank": r"ARMCI_Put.*77",
    "get_negative_rank": r"ARMCI_Get.*-3",
    "put_negative_bytes": r"ARMCI_Put.*-8",
    "put_no_memory": r"ARMCI_Put.*rank 1",
    "get_beyond": r"ARMCI_Get.*4000",
    "puts_levels": r"ARMCI_PutS.*9",
    "puts_negative_levels": r"ARMCI_PutS.*-1",
    "acc_type": r"ARMCI_Acc.*99",
    "acc_part": r"ARMCI_Acc.*12",
    "rmw_operation": r"ARMCI_Rmw.*55",
    "rmw_no_memory": r"ARMCI_Rmw.*rank 1",
    "vector_no_memory": r"ARMCI_PutV.*rank 1",
    "fence_no_rank": r"ARMCI_Fence.*77",
    "lock_no_mutexes": r"ARMCI_Lock.*mutex",
    "lock_no_mutex": r"ARMCI_Lock.*5",
    "unlock_unlocked": r"ARMCI_Unlock.*0",
    "mutex_twice": r"ARMCI_Lock on rank 0: this rank has locked mutex 0 of rank 1 already",
    "mutex_of_another": r"ARMCI_Unlock on rank 0: mutex 0 of rank 1 is locked by another rank",
    "mutexes_negative": r"ARMCI_Create_mutexes.*-2",
    "malloc_negative": r"ARMCI_Malloc.*-8",
    "free_unknown": r"ARMCI_Free",
    "group_no_rank": r"ARMCI_Group_create.*99",
    "sum_operation": r"armci_msg_lgop.*average",
    "send_no_rank": r"armci_msg_snd.*77",
    "free_other": r"ARMCI_Free on rank [01]: 0x.* is not memory of this rank",
    "receive_own": r"armci_msg_rcv on rank 0: the rank has sent itself no message with tag 3",
    "error": r"the program says so",
    "assertion": r"assertion of ARMCI on rank 0: other == -1 is false in make_wrong_call \(.*misuse.cpp:\d+\).*code 1",
    "die": r"0:the program stops: 7",
    "put_flag_no_memory": r"ARMCI_Put_flag on rank 0: 4 bytes at .* rank 1",
    "get_value_no_memory": r"ARMCI_GetValueLong on rank 0: 8 bytes at .* rank 1",
    "nbputs_no_memory": r"ARMCI_NbPutS on rank 0: 8 bytes at .* rank 1",
    "acc_no_memory": r"ARMCI_Acc on rank 0: 8 bytes at .* rank 1",
    "put_value_no_memory": r"ARMCI_PutValueInt on rank 0: 4 bytes at .* rank 1",
    "id_of_no_group": r"ARMCI_Absolute_id on rank 0: group is NULL",
    "rank_of_no_group": r"ARMCI_Group_rank on rank 0: group is NULL",
    "size_of_no_group": r"ARMCI_Group_size on rank 0: group is NULL",
    "no_default": r"ARMCI_Group_get_default on rank 0: group_out is NULL",
    "no_world": r"ARMCI_Group_get_world on rank 0: group_out is NULL",
    "aggregate_no_handle": r"ARMCI_SET_AGGREGATE_HANDLE on rank 0: hdl is NULL",
    "no_set_of_locks": r"ARMCIX_Lock_hdl on rank 0: hdl is NULL",
    "tree_no_place": r"armci_msg_bintree on rank 0: Root, Up, Left or Right is NULL",
    "pack_levels": r"armci_write_strided on rank 0: stride_levels is -1 but must be 0 to 8",
    "pack_no_buffer": r"armci_read_strided on rank 0: buf is NULL",
    "copy_nothing": r"ARMCI_Copy on rank 0: dst is NULL",
    "abort": r"armci_msg_abort on rank 0: the program ends with code 6",
    "before": r"ARMCI_Put.*ARMCI_Init",
    "after": r"ARMCI_Put.*ARMCI_Init",
}
# The code that a call returns for an address that is no memory of ARMCI.
CODES = {way: -2 for way in WAYS if way.endswith("_no_memory") and way != "get_value_no_memory"} | {"get_beyond": -2, "free_unknown": -1}


def try_way(way, program, launcher):
    """True if the call is refused as it must be."""
    try:
        run = subprocess.run([*launcher, "-n", "2", program, way], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                             check=False)
        output, status = run.stdout, run.returncode
    except subprocess.TimeoutExpired as expired:
        output, status = f"no end after 60 s\n{expired.stdout or ''}", 0
    lines = [line for line in output.splitlines() if line.startswith("halocline: ")]
    returns = f"returned {CODES[way]}\n" in output if way in CODES else "returned 0" not in output
    right = status != 0 and returns and any(re.search(WAYS[way], line) for line in output.splitlines())
    print(f"{'passed' if right else 'failed'}: {way}: {lines[:1] if right else output}")
    return right


def main():
    divider = sys.argv.index("--")
    ways = sys.argv[2:divider] or list(WAYS)
    failed = sum(not try_way(way, sys.argv[1], sys.argv[divider + 1:]) for way in ways)
    print(f"{len(ways) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
