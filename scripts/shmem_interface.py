#!/usr/bin/env python3
"""Writes the typed functions of OpenSHMEM out, so that each is found by its name: the files of include/halocline/shmem that say so in their
first lines, and include/pshmem.h.

shmem_interface.py update   writes the files
shmem_interface.py check    compares them with what `update` would write; last line: N passed, N failed, N skipped

The tables below are those of OpenSHMEM 1.5. The files are in the repository: building the library does not
need this script. src/faces/shmem/type_lists.hpp has the same lists of types for the sources.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import sys

import outcomes

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
WIDTH = 140

SIZES = ("8", "16", "32", "64", "128")
REALS = {"float": "float", "double": "double", "longdouble": "long double"}
SIGNED = {"char": "char", "schar": "signed char", "short": "short", "int": "int", "long": "long", "longlong": "long long"}
UNSIGNED = {"uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned int", "ulong": "unsigned long",
            "ulonglong": "unsigned long long"}
FIXED = {f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)}
POINTER_SIZED = {"size": "size_t", "ptrdiff": "ptrdiff_t"}
COMPLEX = {"complexf": "SHMEM_COMPLEXF", "complexd": "SHMEM_COMPLEXD"}
ALL = REALS | SIGNED | UNSIGNED | FIXED | POINTER_SIZED | COMPLEX


def some(names):
    return {name: ALL[name] for name in names.split()}


RMA = REALS | SIGNED | UNSIGNED | FIXED | POINTER_SIZED
AMO = some("int long longlong uint ulong ulonglong int32 int64 uint32 uint64 size ptrdiff")
EXTENDED_AMO = some("float double") | AMO
BITWISE_AMO = some("uint ulong ulonglong int32 int64 uint32 uint64")
WAIT = some("short int long longlong ushort uint ulong ulonglong int32 int64 uint32 uint64 size ptrdiff")
REDUCE_BITS = some("uchar ushort uint ulong ulonglong int8 int16 int32 int64 uint8 uint16 uint32 uint64 size")
REDUCE_ORDER, REDUCE_NUMBERS = RMA, RMA | COMPLEX
OLD_BITS = some("short int long longlong")
OLD_ORDER = OLD_BITS | REALS
OLD_NUMBERS = OLD_ORDER | COMPLEX
OLD_AMO = some("int long longlong")
OLD_EXTENDED_AMO = some("float double") | OLD_AMO
OLD_WAIT = some("short int long longlong")

# (comment, types or sizes, prototype). {N}: the name of the type; {T}: the type; {C}: empty, or ctx_; {c}: empty, or that argument.
RMA_FAMILIES = [
    ("rma.h", "OpenSHMEM 1.5, remote memory access: put and get."),
    ("Copies nelems elements to the memory of a PE. It returns when source may be reused.", RMA,
     "void shmem_{C}{N}_put({c}{T} *dest, const {T} *source, size_t nelems, int pe)"),
    ("The same for elements of 8 to 128 bits.", SIZES,
     "void shmem_{C}put{N}({c}void *dest, const void *source, size_t nelems, int pe)"),
    ("The same for bytes.", ("mem",), "void shmem_{C}put{N}({c}void *dest, const void *source, size_t nelems, int pe)"),
    ("Writes one element to a PE.", RMA, "void shmem_{C}{N}_p({c}{T} *dest, {T} value, int pe)"),
    ("Copies elements to a PE; dst and sst are the distances of two of them in dest and source, in elements.", RMA,
     "void shmem_{C}{N}_iput({c}{T} *dest, const {T} *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe)"),
    ("The same for elements of 8 to 128 bits.", SIZES,
     "void shmem_{C}iput{N}({c}void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe)"),
    ("Copies nelems elements from the memory of a PE, and returns when they are in dest.", RMA,
     "void shmem_{C}{N}_get({c}{T} *dest, const {T} *source, size_t nelems, int pe)"),
    ("The same for elements of 8 to 128 bits.", SIZES,
     "void shmem_{C}get{N}({c}void *dest, const void *source, size_t nelems, int pe)"),
    ("The same for bytes.", ("mem",), "void shmem_{C}get{N}({c}void *dest, const void *source, size_t nelems, int pe)"),
    ("Returns one element of a PE.", RMA, "{T} shmem_{C}{N}_g({c}const {T} *source, int pe)"),
    ("Copies elements from a PE; dst and sst are the distances of two of them in dest and source, in elements.", RMA,
     "void shmem_{C}{N}_iget({c}{T} *dest, const {T} *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe)"),
    ("The same for elements of 8 to 128 bits.", SIZES,
     "void shmem_{C}iget{N}({c}void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe)"),
    ("Begins a put. After shmem_quiet source may be reused, and dest has the elements.", RMA,
     "void shmem_{C}{N}_put_nbi({c}{T} *dest, const {T} *source, size_t nelems, int pe)"),
    ("The same for elements of 8 to 128 bits.", SIZES,
     "void shmem_{C}put{N}_nbi({c}void *dest, const void *source, size_t nelems, int pe)"),
    ("The same for bytes.", ("mem",), "void shmem_{C}put{N}_nbi({c}void *dest, const void *source, size_t nelems, int pe)"),
    ("Begins a get. After shmem_quiet dest has the elements.", RMA,
     "void shmem_{C}{N}_get_nbi({c}{T} *dest, const {T} *source, size_t nelems, int pe)"),
    ("The same for elements of 8 to 128 bits.", SIZES,
     "void shmem_{C}get{N}_nbi({c}void *dest, const void *source, size_t nelems, int pe)"),
    ("The same for bytes.", ("mem",), "void shmem_{C}get{N}_nbi({c}void *dest, const void *source, size_t nelems, int pe)"),
]
SIGNALLED = "uint64_t *sig_addr, uint64_t signal, int sig_op, int pe"
SIGNAL_FAMILIES = [
    ("signal.h", "OpenSHMEM 1.5, signaling operations: puts that update a signal of the same PE when their data are there."),
    ("Puts, then sets *sig_addr to signal (SHMEM_SIGNAL_SET), or adds it (SHMEM_SIGNAL_ADD). Source may be reused on return.", RMA,
     "void shmem_{C}{N}_put_signal({c}{T} *dest, const {T} *source, size_t nelems, " + SIGNALLED + ")"),
    ("The same for elements of 8 to 128 bits.", SIZES,
     "void shmem_{C}put{N}_signal({c}void *dest, const void *source, size_t nelems, " + SIGNALLED + ")"),
    ("The same for bytes.", ("mem",),
     "void shmem_{C}put{N}_signal({c}void *dest, const void *source, size_t nelems, " + SIGNALLED + ")"),
    ("Begins the same. Source may be reused after shmem_quiet.", RMA,
     "void shmem_{C}{N}_put_signal_nbi({c}{T} *dest, const {T} *source, size_t nelems, " + SIGNALLED + ")"),
    ("The same for elements of 8 to 128 bits.", SIZES,
     "void shmem_{C}put{N}_signal_nbi({c}void *dest, const void *source, size_t nelems, " + SIGNALLED + ")"),
    ("The same for bytes.", ("mem",),
     "void shmem_{C}put{N}_signal_nbi({c}void *dest, const void *source, size_t nelems, " + SIGNALLED + ")"),
]


def bitwise():
    words = {"and": "AND", "or": "OR", "xor": "exclusive OR"}
    for operation, word in words.items():
        yield (f"Replaces *dest by its bitwise {word} with value.", BITWISE_AMO,
               "void shmem_{C}{N}_atomic_" + operation + "({c}{T} *dest, {T} value, int pe)")
        yield ("The same; returns what *dest was before.", BITWISE_AMO,
               "{T} shmem_{C}{N}_atomic_fetch_" + operation + "({c}{T} *dest, {T} value, int pe)")
        yield ("The same; after shmem_quiet *fetch is what *dest was before.", BITWISE_AMO,
               "void shmem_{C}{N}_atomic_fetch_" + operation + "_nbi({c}{T} *fetch, {T} *dest, {T} value, int pe)")


ATOMIC_FAMILIES = [
    ("atomics.h", "OpenSHMEM 1.5, atomic memory operations. All of them on one word are atomic with each other."),
    ("Returns *source of a PE.", EXTENDED_AMO, "{T} shmem_{C}{N}_atomic_fetch({c}const {T} *source, int pe)"),
    ("Sets *dest of a PE to value.", EXTENDED_AMO, "void shmem_{C}{N}_atomic_set({c}{T} *dest, {T} value, int pe)"),
    ("Sets *dest to value if it is cond; returns what it was before.", AMO,
     "{T} shmem_{C}{N}_atomic_compare_swap({c}{T} *dest, {T} cond, {T} value, int pe)"),
    ("Sets *dest to value; returns what it was before.", EXTENDED_AMO, "{T} shmem_{C}{N}_atomic_swap({c}{T} *dest, {T} value, int pe)"),
    ("Adds 1 to *dest; returns what it was before.", AMO, "{T} shmem_{C}{N}_atomic_fetch_inc({c}{T} *dest, int pe)"),
    ("Adds 1 to *dest.", AMO, "void shmem_{C}{N}_atomic_inc({c}{T} *dest, int pe)"),
    ("Adds value to *dest; returns what it was before.", AMO, "{T} shmem_{C}{N}_atomic_fetch_add({c}{T} *dest, {T} value, int pe)"),
    ("Adds value to *dest.", AMO, "void shmem_{C}{N}_atomic_add({c}{T} *dest, {T} value, int pe)"),
    ("Begins a fetch: after shmem_quiet *fetch is *source of the PE.", EXTENDED_AMO,
     "void shmem_{C}{N}_atomic_fetch_nbi({c}{T} *fetch, const {T} *source, int pe)"),
    ("Begins a compare and swap: after shmem_quiet *fetch is what *dest was before.", AMO,
     "void shmem_{C}{N}_atomic_compare_swap_nbi({c}{T} *fetch, {T} *dest, {T} cond, {T} value, int pe)"),
    ("Begins a swap.", EXTENDED_AMO, "void shmem_{C}{N}_atomic_swap_nbi({c}{T} *fetch, {T} *dest, {T} value, int pe)"),
    ("Begins an increment.", AMO, "void shmem_{C}{N}_atomic_fetch_inc_nbi({c}{T} *fetch, {T} *dest, int pe)"),
    ("Begins an addition.", AMO, "void shmem_{C}{N}_atomic_fetch_add_nbi({c}{T} *fetch, {T} *dest, {T} value, int pe)"),
    *bitwise(),
]


def waits():
    """wait_until and test of one variable, of all, any and some of several, and these with a value for each."""
    yield ("Returns when *ivar cmp cmp_value is true.", WAIT, "void shmem_{N}_wait_until(volatile {T} *ivar, int cmp, {T} cmp_value)")
    yield ("Returns 1 if it is true, else 0.", WAIT, "int shmem_{N}_test(volatile {T} *ivar, int cmp, {T} cmp_value)")
    values = {"": ("{T} cmp_value", ""), "_vector": ("{T} *cmp_values", " Variable i is compared with cmp_values[i].")}
    for suffix, (value, how) in values.items():
        left_out = f" Variables whose status is not 0 are left out.{how}"
        several = "volatile {T} *ivars, size_t nelems, "
        rest = "const int *status, int cmp, " + value
        yield (f"Returns when the comparison is true for all variables.{left_out}", WAIT,
               "void shmem_{N}_wait_until_all" + f"{suffix}({several}{rest})")
        yield (f"Returns when it is true for one of them: its index. SIZE_MAX if there is none.{left_out}", WAIT,
               "size_t shmem_{N}_wait_until_any" + f"{suffix}({several}{rest})")
        yield (f"Returns when it is true for at least one: how many, with their indices.{left_out}", WAIT,
               "size_t shmem_{N}_wait_until_some" + f"{suffix}({several}size_t *indices, {rest})")
        yield (f"Returns 1 if it is true for all of them, else 0.{left_out}", WAIT,
               "int shmem_{N}_test_all" + f"{suffix}({several}{rest})")
        yield (f"Returns the index of one for which it is true, else SIZE_MAX.{left_out}", WAIT,
               "size_t shmem_{N}_test_any" + f"{suffix}({several}{rest})")
        yield (f"Returns for how many it is true, with their indices.{left_out}", WAIT,
               "size_t shmem_{N}_test_some" + f"{suffix}({several}size_t *indices, {rest})")


WAIT_FAMILIES = [("wait.h", "OpenSHMEM 1.5, point-to-point synchronization: waiting for variables of this PE, and testing them."), *waits()]


def moving_collectives():
    two = "shmem_team_t team, {T} *dest, const {T} *source, "
    shapes = [
        ("alltoall", two + "size_t nelems", "Gives each PE of a team its nelems elements of source, and collects theirs in dest, in the"
         " order of the PEs."),
        ("alltoalls", two + "ptrdiff_t dst, ptrdiff_t sst, size_t nelems", "The same with distances dst and sst of two elements, in"
         " elements."),
        ("broadcast", two + "size_t nelems, int PE_root", "Copies nelems elements of source on PE_root of the team to dest on all"
         " of it."),
        ("collect", two + "size_t nelems", "Puts the source of all PEs of a team one after the other into dest of each; nelems may"
         " differ."),
        ("fcollect", two + "size_t nelems", "The same where nelems is equal on all of them."),
    ]
    for name, arguments, comment in shapes:
        yield (comment, RMA, "int shmem_{N}_" + name + "(" + arguments + ")")
        yield ("The same for bytes.", ("mem",), f"int shmem_{name}" + "{N}(" + arguments.replace("{T}", "void") + ")")


COLLECTIVE_FAMILIES = [("collectives.h", "OpenSHMEM 1.5, collective routines: copies of teams. They return 0."),
                       *moving_collectives()]


def reductions():
    of = {"and": REDUCE_BITS, "or": REDUCE_BITS, "xor": REDUCE_BITS, "max": REDUCE_ORDER, "min": REDUCE_ORDER, "sum": REDUCE_NUMBERS,
          "prod": REDUCE_NUMBERS}
    for operation, types in of.items():
        yield (f"Reduces nreduce elements of all PEs of a team by {operation}, into dest of each.", types,
               "int shmem_{N}_" + operation + "_reduce(shmem_team_t team, {T} *dest, const {T} *source, size_t nreduce)")


REDUCTION_FAMILIES = [("reductions.h", "OpenSHMEM 1.5, collective routines: reductions of teams. They return 0."), *reductions()]
ACTIVE = "int PE_start, int logPE_stride, int PE_size"


def old_collectives():
    two = "void *dest, const void *source, "
    yield ("Gives each PE of an active set its nelems elements.", ("32", "64"),
           "void shmem_alltoall{N}(" + two + "size_t nelems, " + ACTIVE + ", long *pSync)")
    yield ("The same with distances.", ("32", "64"),
           "void shmem_alltoalls{N}(" + two + "ptrdiff_t dst, ptrdiff_t sst, size_t nelems, " + ACTIVE + ", long *pSync)")
    yield ("Copies nelems elements of PE_root, counted in the active set, to dest on all others of the set.", ("32", "64"),
           "void shmem_broadcast{N}(" + two + "size_t nelems, int PE_root, " + ACTIVE + ", long *pSync)")
    yield ("Concatenates the sources of an active set.", ("32", "64"),
           "void shmem_collect{N}(" + two + "size_t nelems, " + ACTIVE + ", long *pSync)")
    yield ("The same where nelems is equal on all of them.", ("32", "64"),
           "void shmem_fcollect{N}(" + two + "size_t nelems, " + ACTIVE + ", long *pSync)")
    of = {"and": OLD_BITS, "or": OLD_BITS, "xor": OLD_BITS, "max": OLD_ORDER, "min": OLD_ORDER, "sum": OLD_NUMBERS, "prod": OLD_NUMBERS}
    for operation, types in of.items():
        yield (f"Reduces nreduce elements of an active set by {operation}.", types,
               "void shmem_{N}_" + operation + "_to_all({T} *dest, const {T} *source, int nreduce, " + ACTIVE + ", {T} *pWrk, long *pSync)")


DEPRECATED_FAMILIES = [
    ("deprecated.h", "What OpenSHMEM 1.5 deprecates: collectives of active sets, and older names of atomics and waits."),
    *old_collectives(),
    ("As shmem_TYPENAME_atomic_swap.", OLD_EXTENDED_AMO, "{T} shmem_{N}_swap({T} *dest, {T} value, int pe)"),
    ("As shmem_TYPENAME_atomic_fetch.", OLD_EXTENDED_AMO, "{T} shmem_{N}_fetch(const {T} *source, int pe)"),
    ("As shmem_TYPENAME_atomic_set.", OLD_EXTENDED_AMO, "void shmem_{N}_set({T} *dest, {T} value, int pe)"),
    ("As shmem_TYPENAME_atomic_compare_swap.", OLD_AMO, "{T} shmem_{N}_cswap({T} *dest, {T} cond, {T} value, int pe)"),
    ("As shmem_TYPENAME_atomic_fetch_inc.", OLD_AMO, "{T} shmem_{N}_finc({T} *dest, int pe)"),
    ("As shmem_TYPENAME_atomic_inc.", OLD_AMO, "void shmem_{N}_inc({T} *dest, int pe)"),
    ("As shmem_TYPENAME_atomic_fetch_add.", OLD_AMO, "{T} shmem_{N}_fadd({T} *dest, {T} value, int pe)"),
    ("As shmem_TYPENAME_atomic_add.", OLD_AMO, "void shmem_{N}_add({T} *dest, {T} value, int pe)"),
    ("Returns when *ivar is no longer cmp_value.", OLD_WAIT, "void shmem_{N}_wait(volatile {T} *ivar, {T} cmp_value)"),
]
FILES = [RMA_FAMILIES, SIGNAL_FAMILIES, ATOMIC_FAMILIES, WAIT_FAMILIES, COLLECTIVE_FAMILIES, REDUCTION_FAMILIES, DEPRECATED_FAMILIES]


def prototypes(types, pattern):
    """Of one family: for each type, without and with a context."""
    contexts = (("", ""), ("ctx_", "shmem_ctx_t ctx, ")) if "{C}" in pattern else (("", ""),)
    for prefix, argument in contexts:
        for name in types:
            kind = types[name] if isinstance(types, dict) else ""
            yield pattern.replace("{C}", prefix).replace("{c}", argument).replace("{N}", name).replace("{T}", kind)


def folded(prototype):
    """A declaration in lines of the project's width."""
    lines, words = [], f"SHMEM_API {prototype};".split(" ")
    line = words[0]
    for word in words[1:]:
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = "   "
        line += f" {word}"
    return "\n".join([*lines, line])


def header(families):
    (name, about), *rest = families
    guard = f"HALOCLINE_SHMEM_{name[:-2].upper()}_H"
    lines = ["/*", f" * {about}", " *", " * Generated by scripts/shmem_interface.py: change that. Programs include shmem.h.", " *",
             " * SPDX-License-Identifier: BSD-3-Clause", " */", f"#ifndef {guard}", f"#define {guard}", "", "/* clang-format off */",
             "#ifdef __cplusplus", 'extern "C" {', "#endif"]
    for comment, types, pattern in rest:
        lines += ["", f"/** {comment} */", "/**@{*/", *map(folded, prototypes(types, pattern)), "/**@}*/"]
    return "\n".join([*lines, "", "#ifdef __cplusplus", "}", "#endif", "/* clang-format on */", f"#endif /* {guard} */", ""])


def function_names(text):
    return re.findall(r"SHMEM_API[^;(]*?\bshmem_(\w+)\(", text)


# Of inline.h: macro, types or sizes.
INLINE = {"RMA": RMA, "MOVING": EXTENDED_AMO, "COUNTING": AMO, "BITWISE": BITWISE_AMO}
INLINE_SIZES = {**{size: str(int(size) // 8) for size in SIZES}, "mem": "1"}
INLINE_HEAD = """\
/*
 * The functions that have an inline form, by their types. The macros are those of the file that includes this one; those of inline.h
 * define the functions.
 *
 * Generated by scripts/shmem_interface.py: change that. Programs include shmem.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* clang-format off */
"""


def inline_functions():
    lines = [f"SHMEM_INLINE_{macro}({name}, {kind})" for macro, types in INLINE.items() for name, kind in types.items()]
    lines += [f"SHMEM_INLINE_SIZED({size}, {octets})" for size, octets in INLINE_SIZES.items()]
    return INLINE_HEAD + "\n".join([*lines, "/* clang-format on */", ""])


PROFILING_HEAD = """\
/*
 * The profiling interface of shmem.h: pshmem_NAME does what shmem_NAME does, and has its arguments. shmem_NAME is a weak symbol: a tool
 * that measures defines it, does what it likes, and calls pshmem_NAME. It precedes libhalocline_shmem on the command line, or is in
 * LD_PRELOAD.
 *
 * Generated by scripts/shmem_interface.py from shmem.h and shmemx.h: change those.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PSHMEM_H
#define PSHMEM_H

/* A tool defines functions that would have inline forms. */
#ifndef SHMEM_NO_INLINE
#define SHMEM_NO_INLINE
#endif
#include <shmemx.h>

/* clang-format off */
#ifdef __cplusplus
extern "C" {
#define SHMEM_PROFILED(name) SHMEM_API decltype(shmem_##name) pshmem_##name
#else
#define SHMEM_PROFILED(name) SHMEM_API __typeof__(shmem_##name) pshmem_##name
#endif
/* The generic shmem_sync has the name of the function of active sets. */
#define SHMEM_SYNC_PROFILED(name) SHMEM_API void pshmem_##name(int PE_start, int logPE_stride, int PE_size, long *pSync)

"""
PROFILING_TAIL = """
#undef SHMEM_PROFILED
#undef SHMEM_SYNC_PROFILED
#ifdef __cplusplus
}
#endif
/* clang-format on */
#endif /* PSHMEM_H */
"""
# Functions that C11 and C++ have a generic form of instead.
ONLY_IN_OLDER_C = ("wait", "wait_until")


def profiling(generated):
    own = function_names((INCLUDE / "shmem.h").read_text()) + function_names((INCLUDE / "shmemx.h").read_text())
    names = own + [name for text in generated for name in function_names(text)]
    profiled = [name for name in names if name not in ONLY_IN_OLDER_C]
    lines = [f"SHMEM_SYNC_PROFILED({name});" if name == "sync" else f"SHMEM_PROFILED({name});" for name in profiled]
    older = ["#if SHMEM_HAS_UNTYPED_WAITS", *(f"SHMEM_PROFILED({name});" for name in ONLY_IN_OLDER_C), "#endif"]
    return PROFILING_HEAD + "\n".join([*lines, *older]) + "\n" + PROFILING_TAIL


def wanted():
    """path -> text."""
    texts = {INCLUDE / "halocline" / "shmem" / families[0][0]: header(families) for families in FILES}
    inline = {INCLUDE / "halocline" / "shmem" / "inline_functions.h": inline_functions()}
    return texts | inline | {INCLUDE / "pshmem.h": profiling(list(texts.values()))}


def main():
    if sys.argv[1:] not in (["check"], ["update"]):
        sys.exit(__doc__)
    if sys.argv[1:] == ["update"]:
        for path, text in wanted().items():
            path.write_text(text)
        return
    outcomes.report(
        (f"{path.relative_to(ROOT)} is as scripts/shmem_interface.py update would write it", path.exists() and path.read_text() == text)
        for path, text in wanted().items())


if __name__ == "__main__":
    main()
