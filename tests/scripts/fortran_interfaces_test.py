#!/usr/bin/env python3
"""Tests of fortran_interfaces.py: what it reads of a header, what it writes, and what it leaves alone.

Usage: fortran_interfaces_test.py PATH_OF_FORTRAN_INTERFACES

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import sys
import tempfile

from made import load, report

HEADER = """
#define HLC_LIMIT 7
/** Kinds. */
typedef enum hlc_kind HLC_INT { HLC_ONE = 0, HLC_TWO /**< a, b; { */ } hlc_kind;
/** A thing. */
typedef struct hlc_thing hlc_thing;
typedef void (*hlc_fn)(int number, void *user);
/** A spec. */
typedef struct hlc_spec {
  int first, second; /**< numbers; of a thing */
  const int *list;
  int64_t sizes[HLC_LIMIT];
  hlc_fn call;
  hlc_kind kind;
} hlc_spec;
/* ---------------------------------------------------------------- things */
/** Makes it. */
HLC_NODISCARD HLC_API hlc_status hlc_thing_create(const hlc_spec *spec, hlc_thing **thing);
HLC_NODISCARD HLC_API hlc_status hlc_thing_free(hlc_thing **thing);
HLC_API int hlc_thing_count(const hlc_thing *thing, const int *list, const char *name, int *length);
"""
MODULE = """module other
  !> Written by hand.
  type, bind(C) :: c_spec
    integer(c_int) :: first = 0
  end type
contains
  subroutine free(thing)
    interface
      function c_thing_free(thing) result(status) bind(C, name="hlc_thing_free")
        import :: c_int
        integer(c_int) :: status
      end function
    end interface
  end subroutine
end module
"""


def read(script, text):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "things.h"
        file.write_text("typedef enum hlc_status HLC_INT { HLC_OK = 0 } hlc_status;\n" + text)
        return script.c_headers.Headers([file])


def ends_in_error(act):
    try:
        act()
    except SystemExit:
        return True
    return False


def checks(script):
    """Pairs of a sentence and whether it holds."""
    headers = read(script, HEADER)
    writer = script.ApiWriter(headers, [])
    lines = {function.name: [line.strip() for line in writer.lines_of(function)] for function in headers.functions}
    yield "reads constants", headers.constants == {"HLC_LIMIT": 7}
    yield "reads enumerations", headers.enums["hlc_kind"] == {"HLC_ONE": 0, "HLC_TWO": 1}
    yield "reads comments, sections and functions", headers.comments["hlc_spec"] == "A spec." and headers.functions[0].section == "things"
    yield "creates a handle", "type(c_ptr), intent(out) :: thing" in lines["hlc_thing_create"]
    yield "releases a handle", "type(c_ptr), intent(inout) :: thing" in lines["hlc_thing_free"]
    yield "passes a struct by address", "type(c_spec), intent(in) :: spec" in lines["hlc_thing_create"]
    yield "passes arrays and texts", {"integer(c_int), intent(in) :: list(*)", "character(kind=c_char), intent(in) :: name(*)",
                                      "integer(c_int), intent(inout) :: length"} <= set(lines["hlc_thing_count"])
    yield "imports what an interface uses", "import :: c_char, c_int, c_ptr" in lines["hlc_thing_count"]
    yield "writes a struct", list(writer.structure("hlc_spec"))[1:-1] == [
        "    integer(c_int) :: first = 0, second = 0", "    type(c_ptr) :: list = c_null_ptr",
        "    integer(c_int64_t) :: sizes(HLC_LIMIT) = 0", "    type(c_funptr) :: call", "    integer(c_int) :: kind = 0"]
    renewed = writer.renewed(MODULE)
    yield "renews an interface of a module, with its indentation", "        import :: c_int, c_ptr\n" in renewed
    yield "renews a struct of a module", "    type(c_ptr) :: list = c_null_ptr\n" in renewed
    ends = [text[text.index("contains"):text.index("function")] + text[text.index("end function"):] for text in (MODULE, renewed)]
    yield "leaves the rest of a module alone", ends[0] == ends[1] and renewed.startswith("module other\n  !> Written by hand.\n")
    module = script.ApiWriter(headers, [MODULE]).module()
    yield "leaves out of halocline_c what another module has", "hlc_thing_create" in module and "hlc_thing_free" not in module
    yield "knows no bit-fields", ends_in_error(lambda: read(script, "typedef struct hlc_bits {\n  int one : 1;\n} hlc_bits;\n"))
    printer = read(script, "HLC_API void hlc_print(const char *format, ...);\n")
    yield "writes no interface of a function without a result", ends_in_error(script.ApiWriter(printer, []).module)
    yield "knows no unions", ends_in_error(lambda: read(script, "typedef union hlc_any { int one; } hlc_any;\n"))


def main():
    report(checks(load(sys.argv[1])))


if __name__ == "__main__":
    main()
