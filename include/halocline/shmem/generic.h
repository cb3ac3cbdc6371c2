/*
 * The generic functions of OpenSHMEM 1.5 for C11: shmem_put and the others choose the typed function by the type that their pointer points
 * to. Those that a context may precede choose by the number of their arguments. Programs include shmem.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef HALOCLINE_SHMEM_GENERIC_H
#define HALOCLINE_SHMEM_GENERIC_H

/* clang-format off */
/* The types of put, get and collective copies. */
#define SHMEM_OF_RMA(pointer, before, after) _Generic(*(pointer), \
    float: before##float##after, \
    double: before##double##after, \
    long double: before##longdouble##after, \
    char: before##char##after, \
    signed char: before##schar##after, \
    short: before##short##after, \
    int: before##int##after, \
    long: before##long##after, \
    long long: before##longlong##after, \
    unsigned char: before##uchar##after, \
    unsigned short: before##ushort##after, \
    unsigned int: before##uint##after, \
    unsigned long: before##ulong##after, \
    unsigned long long: before##ulonglong##after)
/* The types of atomics of integers. */
#define SHMEM_OF_AMO(pointer, before, after) _Generic(*(pointer), \
    int: before##int##after, \
    long: before##long##after, \
    long long: before##longlong##after, \
    unsigned int: before##uint##after, \
    unsigned long: before##ulong##after, \
    unsigned long long: before##ulonglong##after)
/* The types of fetch, set and swap. */
#define SHMEM_OF_EXTENDED_AMO(pointer, before, after) _Generic(*(pointer), \
    float: before##float##after, \
    double: before##double##after, \
    int: before##int##after, \
    long: before##long##after, \
    long long: before##longlong##after, \
    unsigned int: before##uint##after, \
    unsigned long: before##ulong##after, \
    unsigned long long: before##ulonglong##after)
/* The types of bitwise atomics. */
#define SHMEM_OF_BITWISE_AMO(pointer, before, after) _Generic(*(pointer), \
    int: before##int32##after, \
    long: before##int64##after, \
    unsigned int: before##uint##after, \
    unsigned long: before##ulong##after, \
    unsigned long long: before##ulonglong##after)
/* The types of waits and tests. */
#define SHMEM_OF_WAIT(pointer, before, after) _Generic(*(pointer), \
    short: before##short##after, \
    int: before##int##after, \
    long: before##long##after, \
    long long: before##longlong##after, \
    unsigned short: before##ushort##after, \
    unsigned int: before##uint##after, \
    unsigned long: before##ulong##after, \
    unsigned long long: before##ulonglong##after)
/* The types of bitwise reductions. */
#define SHMEM_OF_BITS(pointer, before, after) _Generic(*(pointer), \
    signed char: before##int8##after, \
    short: before##int16##after, \
    int: before##int32##after, \
    long: before##int64##after, \
    unsigned char: before##uchar##after, \
    unsigned short: before##ushort##after, \
    unsigned int: before##uint##after, \
    unsigned long: before##ulong##after, \
    unsigned long long: before##ulonglong##after)
/* The types of sums and products. */
#define SHMEM_OF_NUMBERS(pointer, before, after) _Generic(*(pointer), \
    float: before##float##after, \
    double: before##double##after, \
    long double: before##longdouble##after, \
    char: before##char##after, \
    signed char: before##schar##after, \
    short: before##short##after, \
    int: before##int##after, \
    long: before##long##after, \
    long long: before##longlong##after, \
    unsigned char: before##uchar##after, \
    unsigned short: before##ushort##after, \
    unsigned int: before##uint##after, \
    unsigned long: before##ulong##after, \
    unsigned long long: before##ulonglong##after, \
    float _Complex: before##complexf##after, \
    double _Complex: before##complexd##after)
/* The types of deprecated names of atomics. */
#define SHMEM_OF_OLD_AMO(pointer, before, after) _Generic(*(pointer), \
    int: before##int##after, \
    long: before##long##after, \
    long long: before##longlong##after)
/* The types of deprecated names of fetch, set and swap. */
#define SHMEM_OF_OLD_EXTENDED_AMO(pointer, before, after) _Generic(*(pointer), \
    float: before##float##after, \
    double: before##double##after, \
    int: before##int##after, \
    long: before##long##after, \
    long long: before##longlong##after)
/* The types of the deprecated shmem_wait. */
#define SHMEM_OF_OLD_WAIT(pointer, before, after) _Generic(*(pointer), \
    short: before##short##after, \
    int: before##int##after, \
    long: before##long##after, \
    long long: before##longlong##after)
/* The first name after one argument more than so many, or else the second. */
#define SHMEM_SELECT_2(a, b, c, name, ...) name
#define SHMEM_SELECT_3(a, b, c, d, name, ...) name
#define SHMEM_SELECT_4(a, b, c, d, e, name, ...) name
#define SHMEM_SELECT_5(a, b, c, d, e, f, name, ...) name
#define SHMEM_SELECT_6(a, b, c, d, e, f, g, name, ...) name
#define SHMEM_SELECT_7(a, b, c, d, e, f, g, h, name, ...) name

/* A call without and with a context. */
#define SHMEM_CALL(of, after, pointer, ...) of(pointer, shmem_, after)(pointer, __VA_ARGS__)
#define SHMEM_CALL_CTX(of, after, ctx, pointer, ...) of(pointer, shmem_ctx_, after)(ctx, pointer, __VA_ARGS__)
/* A call of a team. */
#define SHMEM_CALL_TEAM(of, after, team, pointer, ...) of(pointer, shmem_, after)(team, pointer, __VA_ARGS__)

#define shmem_put(...) SHMEM_SELECT_4(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_RMA, _put, __VA_ARGS__)
#define shmem_p(...) SHMEM_SELECT_3(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_RMA, _p, __VA_ARGS__)
#define shmem_iput(...) SHMEM_SELECT_6(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_RMA, _iput, __VA_ARGS__)
#define shmem_get(...) SHMEM_SELECT_4(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_RMA, _get, __VA_ARGS__)
#define shmem_g(...) SHMEM_SELECT_2(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_RMA, _g, __VA_ARGS__)
#define shmem_iget(...) SHMEM_SELECT_6(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_RMA, _iget, __VA_ARGS__)
#define shmem_put_nbi(...) SHMEM_SELECT_4(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_RMA, _put_nbi, __VA_ARGS__)
#define shmem_get_nbi(...) SHMEM_SELECT_4(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_RMA, _get_nbi, __VA_ARGS__)
#define shmem_put_signal(...) SHMEM_SELECT_7(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_RMA, _put_signal, __VA_ARGS__)
#define shmem_put_signal_nbi(...) SHMEM_SELECT_7(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_RMA, _put_signal_nbi, __VA_ARGS__)
#define shmem_atomic_fetch(...) SHMEM_SELECT_2(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_EXTENDED_AMO, _atomic_fetch, __VA_ARGS__)
#define shmem_atomic_set(...) SHMEM_SELECT_3(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_EXTENDED_AMO, _atomic_set, __VA_ARGS__)
#define shmem_atomic_swap(...) SHMEM_SELECT_3(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_EXTENDED_AMO, _atomic_swap, __VA_ARGS__)
#define shmem_atomic_compare_swap(...) SHMEM_SELECT_4(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_AMO, _atomic_compare_swap, __VA_ARGS__)
#define shmem_atomic_fetch_inc(...) SHMEM_SELECT_2(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_AMO, _atomic_fetch_inc, __VA_ARGS__)
#define shmem_atomic_inc(...) SHMEM_SELECT_2(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_AMO, _atomic_inc, __VA_ARGS__)
#define shmem_atomic_fetch_add(...) SHMEM_SELECT_3(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_AMO, _atomic_fetch_add, __VA_ARGS__)
#define shmem_atomic_add(...) SHMEM_SELECT_3(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_AMO, _atomic_add, __VA_ARGS__)
#define shmem_atomic_fetch_nbi(...) SHMEM_SELECT_3(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_EXTENDED_AMO, _atomic_fetch_nbi, __VA_ARGS__)
#define shmem_atomic_swap_nbi(...) SHMEM_SELECT_4(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_EXTENDED_AMO, _atomic_swap_nbi, __VA_ARGS__)
#define shmem_atomic_compare_swap_nbi(...) SHMEM_SELECT_5(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_AMO, _atomic_compare_swap_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_inc_nbi(...) SHMEM_SELECT_3(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_AMO, _atomic_fetch_inc_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_add_nbi(...) SHMEM_SELECT_4(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_AMO, _atomic_fetch_add_nbi, __VA_ARGS__)
#define shmem_atomic_and(...) SHMEM_SELECT_3(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_BITWISE_AMO, _atomic_and, __VA_ARGS__)
#define shmem_atomic_fetch_and(...) SHMEM_SELECT_3(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_BITWISE_AMO, _atomic_fetch_and, __VA_ARGS__)
#define shmem_atomic_fetch_and_nbi(...) SHMEM_SELECT_4(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_BITWISE_AMO, _atomic_fetch_and_nbi, __VA_ARGS__)
#define shmem_atomic_or(...) SHMEM_SELECT_3(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_BITWISE_AMO, _atomic_or, __VA_ARGS__)
#define shmem_atomic_fetch_or(...) SHMEM_SELECT_3(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_BITWISE_AMO, _atomic_fetch_or, __VA_ARGS__)
#define shmem_atomic_fetch_or_nbi(...) SHMEM_SELECT_4(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_BITWISE_AMO, _atomic_fetch_or_nbi, __VA_ARGS__)
#define shmem_atomic_xor(...) SHMEM_SELECT_3(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_BITWISE_AMO, _atomic_xor, __VA_ARGS__)
#define shmem_atomic_fetch_xor(...) SHMEM_SELECT_3(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_BITWISE_AMO, _atomic_fetch_xor, __VA_ARGS__)
#define shmem_atomic_fetch_xor_nbi(...) SHMEM_SELECT_4(__VA_ARGS__, SHMEM_CALL_CTX, SHMEM_CALL, 0)(SHMEM_OF_BITWISE_AMO, _atomic_fetch_xor_nbi, __VA_ARGS__)

#define shmem_wait_until(...) SHMEM_CALL(SHMEM_OF_WAIT, _wait_until, __VA_ARGS__)
#define shmem_test(...) SHMEM_CALL(SHMEM_OF_WAIT, _test, __VA_ARGS__)
#define shmem_wait_until_all(...) SHMEM_CALL(SHMEM_OF_WAIT, _wait_until_all, __VA_ARGS__)
#define shmem_wait_until_any(...) SHMEM_CALL(SHMEM_OF_WAIT, _wait_until_any, __VA_ARGS__)
#define shmem_wait_until_some(...) SHMEM_CALL(SHMEM_OF_WAIT, _wait_until_some, __VA_ARGS__)
#define shmem_test_all(...) SHMEM_CALL(SHMEM_OF_WAIT, _test_all, __VA_ARGS__)
#define shmem_test_any(...) SHMEM_CALL(SHMEM_OF_WAIT, _test_any, __VA_ARGS__)
#define shmem_test_some(...) SHMEM_CALL(SHMEM_OF_WAIT, _test_some, __VA_ARGS__)
#define shmem_wait_until_all_vector(...) SHMEM_CALL(SHMEM_OF_WAIT, _wait_until_all_vector, __VA_ARGS__)
#define shmem_wait_until_any_vector(...) SHMEM_CALL(SHMEM_OF_WAIT, _wait_until_any_vector, __VA_ARGS__)
#define shmem_wait_until_some_vector(...) SHMEM_CALL(SHMEM_OF_WAIT, _wait_until_some_vector, __VA_ARGS__)
#define shmem_test_all_vector(...) SHMEM_CALL(SHMEM_OF_WAIT, _test_all_vector, __VA_ARGS__)
#define shmem_test_any_vector(...) SHMEM_CALL(SHMEM_OF_WAIT, _test_any_vector, __VA_ARGS__)
#define shmem_test_some_vector(...) SHMEM_CALL(SHMEM_OF_WAIT, _test_some_vector, __VA_ARGS__)

#define shmem_alltoall(...) SHMEM_CALL_TEAM(SHMEM_OF_RMA, _alltoall, __VA_ARGS__)
#define shmem_alltoalls(...) SHMEM_CALL_TEAM(SHMEM_OF_RMA, _alltoalls, __VA_ARGS__)
#define shmem_broadcast(...) SHMEM_CALL_TEAM(SHMEM_OF_RMA, _broadcast, __VA_ARGS__)
#define shmem_collect(...) SHMEM_CALL_TEAM(SHMEM_OF_RMA, _collect, __VA_ARGS__)
#define shmem_fcollect(...) SHMEM_CALL_TEAM(SHMEM_OF_RMA, _fcollect, __VA_ARGS__)
#define shmem_and_reduce(...) SHMEM_CALL_TEAM(SHMEM_OF_BITS, _and_reduce, __VA_ARGS__)
#define shmem_or_reduce(...) SHMEM_CALL_TEAM(SHMEM_OF_BITS, _or_reduce, __VA_ARGS__)
#define shmem_xor_reduce(...) SHMEM_CALL_TEAM(SHMEM_OF_BITS, _xor_reduce, __VA_ARGS__)
#define shmem_max_reduce(...) SHMEM_CALL_TEAM(SHMEM_OF_RMA, _max_reduce, __VA_ARGS__)
#define shmem_min_reduce(...) SHMEM_CALL_TEAM(SHMEM_OF_RMA, _min_reduce, __VA_ARGS__)
#define shmem_sum_reduce(...) SHMEM_CALL_TEAM(SHMEM_OF_NUMBERS, _sum_reduce, __VA_ARGS__)
#define shmem_prod_reduce(...) SHMEM_CALL_TEAM(SHMEM_OF_NUMBERS, _prod_reduce, __VA_ARGS__)

/* Of a team, or the deprecated one of an active set. */
#define SHMEM_SELECT_SYNC(a, b, c, d, name, ...) name
#define shmem_sync(...) SHMEM_SELECT_SYNC(__VA_ARGS__, shmem_sync, 0, 0, shmem_team_sync, 0)(__VA_ARGS__)

/* Deprecated. */
#define shmem_swap(...) SHMEM_CALL(SHMEM_OF_OLD_EXTENDED_AMO, _swap, __VA_ARGS__)
#define shmem_fetch(...) SHMEM_CALL(SHMEM_OF_OLD_EXTENDED_AMO, _fetch, __VA_ARGS__)
#define shmem_set(...) SHMEM_CALL(SHMEM_OF_OLD_EXTENDED_AMO, _set, __VA_ARGS__)
#define shmem_cswap(...) SHMEM_CALL(SHMEM_OF_OLD_AMO, _cswap, __VA_ARGS__)
#define shmem_finc(...) SHMEM_CALL(SHMEM_OF_OLD_AMO, _finc, __VA_ARGS__)
#define shmem_inc(...) SHMEM_CALL(SHMEM_OF_OLD_AMO, _inc, __VA_ARGS__)
#define shmem_fadd(...) SHMEM_CALL(SHMEM_OF_OLD_AMO, _fadd, __VA_ARGS__)
#define shmem_add(...) SHMEM_CALL(SHMEM_OF_OLD_AMO, _add, __VA_ARGS__)
#define shmem_wait(...) SHMEM_CALL(SHMEM_OF_OLD_WAIT, _wait, __VA_ARGS__)
/* clang-format on */

#endif /* HALOCLINE_SHMEM_GENERIC_H */
