"""Errors that users make: each is a clear exception, and the context remains usable.

SPDX-License-Identifier: BSD-3-Clause
"""
import gc
import os
import pickle
import re
import signal
import sys
import threading
import time
import weakref
from pathlib import Path

import numpy as np
import pytest
from conftest import filled

import halocline
from halocline._errors import in_python

HEADERS = Path(__file__).resolve().parents[3] / "include" / "halocline"


@pytest.fixture
def grid(context):
    return halocline.Grid(context, (8, 8), periodic=True)


def interrupt_soon():
    """SIGINT for this process once the main thread waits."""
    threading.Timer(0.15, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


def mapped(address):
    """Whether memory is mapped at an address."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        first, _, last = line.split()[0].partition("-")
        if int(first, 16) <= address < int(last, 16):
            return True
    return False


def test_python_objects_are_refused(context, grid):
    with pytest.raises(halocline.ArgumentError, match="object"):
        halocline.Field(grid, object)
    with pytest.raises(halocline.ArgumentError, match="Python objects"):
        halocline.Field.over(grid, np.zeros((10, 10), object))
    with pytest.raises(halocline.ArgumentError, match="Python objects"):
        halocline.Segment(context, 3, object)
    with pytest.raises(halocline.ArgumentError, match="float16"):
        halocline.Allreduce(context, 3, "f2")


@pytest.mark.parametrize("dtype", ["u1", "V8"])
def test_segments_of_any_type_refuse_python_objects(context, dtype):
    me = context.rank
    with halocline.Segment(context, 8, dtype) as segment:
        for objects in (np.full(2, None), np.zeros(1, [("Offset", "i4"), ("of", object)])):
            for call in (segment.put, segment.put_notify, segment.get, segment.put_strided, segment.get_strided):
                with pytest.raises(halocline.ArgumentError, match="Python objects"):
                    call(me, objects)
            for call in (segment._core.put, segment._core.get):
                with pytest.raises(halocline.ArgumentError, match="Python objects"):
                    call(me, objects, 0)
        if dtype == "u1":
            segment.put(me, np.zeros(1, [("O", "i4"), ("Of", "i4")]))
        assert objects[0]["of"] == 0


def test_another_dtype_than_the_segment_is_refused(context):
    with halocline.Segment(context, 4, "f8") as segment:
        with pytest.raises(halocline.ArgumentError, match="put.*f4.*f8"):
            segment.put(context.rank, np.zeros(2, "f4"))
        with pytest.raises(halocline.ArgumentError, match="get.*i8.*f8"):
            segment.get(context.rank, np.zeros(2, "i8"))
        with pytest.raises(halocline.ArgumentError, match="offset"):
            segment.put(context.rank, np.zeros(2), 3)


def test_ranks_with_different_types_are_named(context, grid):
    field = halocline.Field(grid, "f4" if context.rank == 0 else "f8")
    if context.size > 1:
        with pytest.raises(halocline.MismatchError, match="rank"):
            halocline.Halo(grid, [field])


def test_memory_that_is_not_contiguous_is_refused_where_it_matters(context, grid):
    every_second = np.zeros(8)[::2]
    with pytest.raises(halocline.ArgumentError, match="not contiguous"):
        halocline.Exchange(context, [halocline.Neighbour(context.rank, every_second, np.zeros(4))])
    with halocline.Segment(context, 4, "f8") as segment, pytest.raises(halocline.ArgumentError, match="contiguous"):
        segment.put(context.rank, every_second)
    cells = tuple(n + 2 for n in grid.local)
    with pytest.raises(halocline.ArgumentError, match="strides"):
        halocline.Halo(grid, [halocline.Field.over(grid, np.zeros(cells)[::-1])])


def test_read_only_memory_is_refused_where_it_is_written(context, grid):
    fixed = np.zeros(tuple(n + 2 for n in grid.local))
    fixed.flags.writeable = False
    with pytest.raises(halocline.ArgumentError, match="read-only"):
        halocline.Field.over(grid, fixed)
    with pytest.raises(halocline.ArgumentError, match="read-only"):
        halocline.Exchange(context, [halocline.Neighbour(context.rank, np.zeros(4), b"x" * 32)])


def test_what_one_rank_has_wrong_all_ranks_raise(context, grid):
    field = halocline.Field(grid, depth=1 if context.rank == 0 else 2)
    with pytest.raises(halocline.ArgumentError, match="depth"):
        halocline.Halo(grid, [field], depth=2)
    with pytest.raises(halocline.ArgumentError, match="direct"):
        halocline.Halo(grid, [field], depth=1, mode="dierct")


SHAPES = [8.0, "8", None, (8.0,), -1, 2**70]


@pytest.mark.parametrize("make", [
    lambda context, _: context.zeros(None), lambda context, _: context.zeros(2**62), lambda context, _: context.zeros(3, order="A"),
    lambda context, _: halocline.Segment(context, 4, notifications="2"), lambda context, _: halocline.SparseExchange(context, slots=1.5),
    lambda context, _: halocline.Exchange(context, None), lambda context, _: halocline.Exchange(context, [(0.5, None, None)]),
    lambda context, _: halocline.Exchange(context, [], mode=3), lambda context, _: halocline.Exchange(context, [], name=3),
    lambda context, _: halocline.Exchange(context, [], epoch="soon"), lambda context, _: halocline.Exchange(context, [], drive=2),
    lambda context, _: halocline.IndexHalo(context, [np.zeros(3)], [("1", [0], [1])]),
    lambda context, _: halocline.Blocks(context, 8, [], []), lambda context, _: halocline.Blocks(context, (8, 8), [((0, 0), (4.5, 8))], []),
    lambda context, _: halocline.Blocks.zeros(context, [((0, 0), (8, 8))], depth="x"),
    lambda _, grid: halocline.Field(grid, depth=1.0), lambda _, grid: halocline.Field(grid, depth=None),
    lambda _, grid: halocline.Field(grid, depth=((1, 2, 3), 1)), lambda _, grid: halocline.Field(grid, depth=2**65),
    lambda _, grid: halocline.Halo(grid, None), lambda _, grid: halocline.Halo(grid, [halocline.Field.over(grid, cells(grid))], name=3),
    *[lambda context, _, shape=shape: halocline.Segment(context, shape) for shape in SHAPES],
    *[lambda context, _, shape=shape: halocline.Allreduce(context, shape) for shape in SHAPES],
])
def test_a_wrong_type_on_one_rank_fails_on_all(context, grid, make):
    """The others give what is right, and wait for nobody."""
    with pytest.raises(halocline.ArgumentError):
        if context.rank == 0:
            make(context, grid)
        else:
            halocline.Segment(context, 1)


def cells(grid):
    return np.zeros([count + 2 for count in grid.local])


def test_integers_of_numpy_serve_everywhere(context):
    one, two, eight = np.int64(1), np.int32(2), np.uint8(8)
    grid = halocline.Grid(context, np.array([8, 8]), np.bool_(True))
    assert halocline.Grid(context, (eight, eight), (np.bool_(True), 0), ranks=(np.int64(context.size), one)).periodic == (True, False)
    field = halocline.Field(grid, depth=(one, (one, two)))
    assert field.low == [1, 1] and field.high == [1, 2]
    field.interior = 1
    halocline.Halo(grid, [field], depth=one).swap()
    assert field.array[:, :-1].min() == 1
    assert context.zeros(two).shape == (2,)
    with halocline.Segment(context, (two, two), "i8", notifications=one) as segment, halocline.Allreduce(context, two) as total:
        segment.put_notify(np.int64(context.rank), np.ones(2, "i8"), offset=two, id=np.int64(0), value=one)
        assert segment.reset(segment.wait()) == 1 and total.run(np.ones(2)).tolist() == [context.size] * 2
    me = np.int64(context.rank)
    given, taken = np.arange(3.0), np.zeros(3)
    with halocline.Exchange(context, [halocline.Neighbour(me, given, taken, tag_out=one, tag_in=one)]) as exchange:
        exchange.run()
    assert (given == taken).all()
    with halocline.SparseExchange(context, "f8", slots=np.int64(64)) as sparse:
        assert sparse.exchange([(me, given)])[0].data.tolist() == [0, 1, 2]
    mine = [halocline.Box((eight * me, 0), (eight, eight), id=me)]
    arrays = halocline.Blocks.zeros(context, mine, depth=one)
    halocline.Blocks(context, (eight * np.int64(context.size), eight), mine, [arrays], periodic=np.bool_(True)).swap()


def test_what_is_of_another_class_is_named(context, grid):
    for make in (
        lambda: halocline.Grid(None, (8, 8)),
        lambda: halocline.Field(context),
        lambda: halocline.Halo(context, []),
        lambda: halocline.Segment(grid, 10),
        lambda: halocline.Allreduce(None, 3),
        lambda: halocline.Exchange("context", []),
        lambda: halocline.SparseExchange(context.rank),
        lambda: halocline.Blocks(None, (8, 8), [], []),
        lambda: halocline.IndexHalo(None, [], []),
    ):
        with pytest.raises(halocline.ArgumentError, match="it must be a (Context|Grid)"):
            make()
    for shape in (8, 8.5, "88", (8, "8"), (2**70, 8)):
        with pytest.raises(halocline.ArgumentError, match="Grid: shape"):
            halocline.Grid(context, shape)


def test_shapes_that_do_not_fit_are_refused(context, grid):
    with pytest.raises(halocline.ArgumentError, match="shape"):
        halocline.Field.over(grid, np.zeros((3, 3)))
    with pytest.raises(halocline.ArgumentError, match="dimensions"):
        halocline.Field(grid, depth=(1, 1, 1))
    with pytest.raises(halocline.ArgumentError, match="cell"):
        halocline.Grid(context, (1,), ranks=(context.size + 1,))


def test_a_plan_keeps_its_arrays(grid):
    own = np.zeros(tuple(n + 2 for n in grid.local))
    alive = weakref.ref(own)
    halo = halocline.Halo(grid, [filled(halocline.Field.over(grid, own)), filled(halocline.Field(grid))])
    del own
    gc.collect()
    assert alive() is not None
    halo.swap()
    halo.close()
    del halo
    gc.collect()
    assert alive() is None


def test_a_plan_keeps_its_arrays_from_being_resized(context):
    numbers = bytearray(8)
    with halocline.Exchange(context, [halocline.Neighbour(context.rank, b"12345678", numbers)]) as exchange:
        with pytest.raises(BufferError):
            numbers.extend(b"more")
        exchange.run()
    assert numbers == b"12345678"
    numbers.extend(b"more")


def test_the_memory_of_a_field_is_released_with_its_last_array(grid):
    field = halocline.Field(grid)
    address, row = field.array.ctypes.data, field.array[2]
    del field
    gc.collect()
    assert mapped(address)
    row[...] = 3
    del row
    gc.collect()
    assert not mapped(address)


def test_arrays_outlive_their_context():
    with halocline.Context() as context:
        grid = halocline.Grid(context, (6, 6), periodic=True)
        field = filled(halocline.Field(grid))
        segment = halocline.Segment(context, 3, "f8")
        segment.array[...] = 2.5
        halo = halocline.Halo(grid, [field])
        halo.swap()
        before = field.array.copy()
    np.testing.assert_array_equal(field.array, before)
    assert (segment.array == 2.5).all()
    field.array[...] = 1
    for use in (halo.swap, segment.barrier, lambda: halocline.Field(grid), lambda: segment.put(0, np.zeros(1))):
        with pytest.raises(halocline.StateError, match="closed"):
            use()
    halo.close()
    context.close()


def test_nothing_is_left_behind(context, grid):
    def open_files_and_shared_memory():
        gc.collect()
        maps = Path("/proc/self/maps").read_text()
        return len(os.listdir("/proc/self/fd")), maps.count("/dev/shm") + maps.count("(deleted)")

    def work():
        field = halocline.Field(grid)
        with halocline.Halo(grid, [field]) as halo, halocline.Segment(context, 100) as segment:
            halo.swap()
            segment.barrier()

    work()
    before = open_files_and_shared_memory()
    for _ in range(5):
        work()
    assert open_files_and_shared_memory() == before


def test_an_interrupt_ends_a_wait_for_a_notification(context):
    with halocline.Segment(context, 1, notifications=1) as segment:
        interrupt_soon()
        with pytest.raises(KeyboardInterrupt):
            segment.wait()
        segment.notify(context.rank)
        assert segment.wait() == 0


@pytest.mark.parametrize("mode", ["auto", "p2p", "neighbor", "pscw", "passive", "notify", "direct"])
def test_an_interrupt_ends_a_swap_that_waits_for_a_late_rank(context, grid, mode):
    if context.size < 2:
        pytest.skip("needs a rank that waits and one that is late")
    with halocline.Segment(context, 1, notifications=1) as segment:
        halo = halocline.Halo(grid, [halocline.Field(grid)], mode=mode)
        if context.rank == 0:
            interrupt_soon()
            with pytest.raises(KeyboardInterrupt):
                halo.swap()
                halo.swap()
            for other in range(1, context.size):
                segment.notify(other)
        else:
            segment.wait()
        halo.close()


def test_a_segment_is_not_closed_under_a_thread_that_waits(context):
    segment = halocline.Segment(context, 8, notifications=1)
    found = []
    waiter = threading.Thread(target=lambda: found.append(segment.wait()))
    waiter.start()
    time.sleep(0.2)
    with pytest.raises(halocline.StateError, match="another thread is in one of its calls"):
        segment.close()
    segment.notify(context.rank, 0, 1)
    waiter.join()
    assert found == [0]
    segment.close()


def told_by(*calls):
    """What the calls raise, each a StateError."""
    told = []
    for call in calls:
        with pytest.raises(halocline.StateError) as error:
            call()
        told.append(str(error.value).partition(": ")[2])
    return told


def call_all(late):
    """Ends the waits of all other ranks."""
    for rank in range(1, late._context.size):
        late.notify(rank)


def test_what_a_thread_closes_another_one_can_neither_use_nor_close(context):
    if context.size < 2:
        pytest.skip("needs a rank that is late")
    with halocline.Segment(context, 1, notifications=1) as late, halocline.Context() as other:
        segment = halocline.Segment(other, 8)
        if context.rank == 0:
            closer = threading.Thread(target=segment.close)
            closer.start()
            time.sleep(0.2)
            try:
                told = told_by(lambda: segment.put(0, b"12345678"), segment.flush, segment.close, other.close)
            finally:
                call_all(late)
                closer.join()
            assert told == ["another thread is closing it"] * 4
            assert not segment.is_open
        else:
            late.wait()
            segment.close()


def test_a_context_is_not_closed_while_a_thread_makes_a_plan(context):
    if context.size < 2:
        pytest.skip("needs a rank that is late")
    with halocline.Segment(context, 1, notifications=1) as late, halocline.Context() as other:
        made = []
        if context.rank == 0:
            maker = threading.Thread(target=lambda: made.append(halocline.Segment(other, 8)))
            maker.start()
            time.sleep(0.2)
            try:
                told = told_by(other.close)
            finally:
                call_all(late)
                maker.join()
            assert told == ["another thread is in one of its calls"]
        else:
            late.wait()
            made.append(halocline.Segment(other, 8))
        made[0].barrier()
    assert not made[0].is_open


def test_another_signal_handler_runs_during_a_wait(context):
    calls = []
    previous = signal.signal(signal.SIGALRM, lambda number, frame: calls.append(number))
    with halocline.Segment(context, 1, notifications=1) as segment:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        waker = threading.Thread(target=lambda: (time.sleep(0.4), segment.notify(context.rank)))
        waker.start()
        assert segment.wait() == 0
        waker.join()
    signal.signal(signal.SIGALRM, previous)
    assert calls == [signal.SIGALRM]


def test_a_forked_process_is_told(context, grid):
    field = halocline.Field(grid)
    with halocline.Halo(grid, [field]) as halo:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            told = []
            for use in (halo.swap, lambda: halocline.Field(grid), context.close):
                try:
                    use()
                    told.append("nothing")
                except halocline.StateError as error:
                    told.append(str(error))
            os.write(writer, repr(told).encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            told = pipe.read()
        assert os.waitpid(child, 0)[1] == 0
        assert told.count("this process was forked") == 3, told
        halo.swap()


def test_nothing_of_a_context_can_be_pickled(context, grid):
    halo = halocline.Halo(grid, [halocline.Field(grid)])
    for thing in (context, halo):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(thing)
    halo.close()


def test_a_communicator_must_be_one(context):
    with pytest.raises(halocline.ArgumentError, match="communicator of mpi4py"):
        halocline.Context(42)


def test_mpi4py_gives_communicators(context):
    pytest.importorskip("mpi4py")
    from mpi4py import MPI

    part = MPI.COMM_WORLD.Split(context.rank % 2, context.rank)
    with halocline.Context(part) as half:
        assert (half.rank, half.size) == (part.rank, part.size)
        part.Free()
        with halocline.Allreduce(half, 1) as reduction:
            assert reduction.run(np.ones(1))[0] == half.size
    with pytest.raises(halocline.ArgumentError):
        halocline.Context(MPI.COMM_NULL)
    assert sys.modules["halocline._mpi"].variant() in ("mpich", "openmpi")



def test_one_exception_class_per_status(context):
    made = [getattr(halocline, name) for name in halocline.__all__ if name.endswith("Error")]
    assert len({kind.status for kind in made}) == len(made) - 1
    assert issubclass(halocline.WaitTimeoutError, TimeoutError) and issubclass(halocline.ArgumentError, ValueError)


def test_a_field_that_one_rank_cannot_make_fails_on_all(context, grid):
    last = context.rank == context.size - 1
    for wrong in ({"dtype": object}, {"dtype": "no such type"}, {"order": "K"}, {"depth": -1}):
        with pytest.raises(halocline.ArgumentError):
            halocline.Field(grid, **(wrong if last else {}))
    with pytest.raises(halocline.ArgumentError, match="not a type of NumPy"):
        context.zeros(4, "no such type" if last else "f8")
    with pytest.raises(halocline.ArgumentError, match="shape is"):
        context.zeros(-4 if last else 4)
    with pytest.raises(halocline.ArgumentError, match="not a type of NumPy"):
        halocline.Segment(context, 4, "no such type" if last else "f8")


def test_fields_that_are_none_are_refused(context, grid):
    field = halocline.Field(grid)
    with halocline.Halo(grid, [field]) as halo:
        for wrong in ("u", [], ["u"], 0):
            with pytest.raises(halocline.ArgumentError, match="fields is"):
                halo.swap(wrong)
    with halocline.Halo(grid, [field], rebind=True) as halo, pytest.raises(halocline.ArgumentError, match=r"using\[0\] is a ndarray"):
        halo.swap(using=[field.array])


def test_a_side_needs_a_dim(grid):
    with halocline.Halo(grid, [halocline.Field(grid)], rebind=True) as bound, halocline.Halo(grid, [halocline.Field(grid)]) as halo:
        for one in (halo, bound):
            for call in (one.swap, one.start, lambda side, one=one: one.swapping(side=side).__enter__()):
                with pytest.raises(halocline.ArgumentError, match="a side needs a dim"):
                    call(side="low")
            one.swap(side="both")


def test_an_offset_that_is_no_whole_number_is_refused(grid):
    field = halocline.Field(grid)
    with halocline.Halo(grid, [field]) as halo:
        halo.swap()
        piece = next(halo.pieces())
        for shifted in (field.shifted, piece.shifted):
            with pytest.raises(halocline.ArgumentError, match=r"offset is 0.5; it must be a whole number"):
                shifted(0.5)
        with pytest.raises(halocline.ArgumentError, match=r"reach is 0.5; it must be a whole number"):
            halo.pieces(reach=0.5)


def test_a_field_without_a_name_is_named_by_its_number(grid):
    fields = [halocline.Field(grid, depth=2, name="v"), halocline.Field(grid)]
    with pytest.raises(halocline.ArgumentError, match=r"but field 1 has \[1, 1\]"):
        halocline.Halo(grid, fields)
    with pytest.raises(halocline.ArgumentError, match=r"but field 0 v has \[2, 2\]"):
        halocline.Halo(grid, fields[:1], depth=3)


def test_offsets_of_segments_are_named_in_elements(context):
    me = context.rank
    with halocline.Segment(context, 4, "i8") as segment:
        one = np.ones(1, "i8")
        for call in (
            lambda: segment.put(me, one, 8), lambda: segment.get(me, one, 8), lambda: segment.put_strided(me, one, 8),
            lambda: segment.get_strided(me, one, 8), lambda: segment.accumulate(me, one, 8), lambda: segment.fetch_op(me, 1, 8),
            lambda: segment.fetch_add(me, 1, 8), lambda: segment.swap(me, 1, 8), lambda: segment.compare_swap(me, 1, 1, 8),
            lambda: segment.atomics(me, [8], 1),
        ):
            with pytest.raises(halocline.ArgumentError, match=r"offset is 8 \(64 bytes\): "):
                call()


def test_the_version_is_that_of_the_library(context):
    assert halocline.__version__ == halocline.version()


@pytest.mark.parametrize(("dtype", "words"), [("S", "no bytes"), (str, "no bytes"), ("M8[s]", "int64"), ("m8[s]", "int64")])
def test_types_whose_memory_cannot_be_moved_are_refused(context, dtype, words):
    with pytest.raises(halocline.ArgumentError, match=words):
        halocline.Segment(context, 4, dtype)


def test_what_is_no_array_gets_no_data(context):
    with halocline.Segment(context, 2) as segment:
        for out in ([0.0, 0.0], 1.0, np.float64(1)):
            with pytest.raises(halocline.ArgumentError, match="out is a|writable"):
                segment.get(context.rank, out)


def test_a_reduction_of_another_shape_is_refused(context):
    with halocline.Allreduce(context, (3, 4)) as total:
        with pytest.raises(halocline.ArgumentError, match=r"array has shape \(4, 3\), the plan \(3, 4\)"):
            total.run(np.zeros((4, 3)))
        with pytest.raises(halocline.ArgumentError, match=r"out has shape \(12,\)"):
            total.run(np.zeros((3, 4)), np.zeros(12))


def test_what_public_calls_return_has_a_public_name(grid):
    with halocline.Halo(grid, [halocline.Field(grid)]) as halo:
        block = halo.swapping()
        assert isinstance(block, halocline.Swapping) and "Swapping" in halocline.__all__
        with block:
            pass


def test_only_names_that_are_there_can_be_imported():
    with pytest.raises(AttributeError, match="Contxt"):
        halocline.Contxt  # noqa: B018


def test_messages_name_the_functions_of_this_package():
    """Each function of C that a message of the library may name is one that is here; types keep their names."""
    assert in_python("hlc_halo_init on rank 2: fields is NULL") == "Halo on rank 2: fields is NULL"
    assert in_python("waiting for rank 0 (in hlc_index_halo_finalise of plan 3)") == "waiting for rank 0 (in IndexHalo.close of plan 3)"
    assert in_python("hlc_put_notify on rank 1: invalid hlc_number 12") == "Segment.put_notify on rank 1: invalid hlc_number 12"
    declared = set(re.findall(r"\bHLC_API [^;(]*?\b(hlc_[a-z0-9_]+)\(", "".join(path.read_text() for path in HEADERS.glob("*.h"))))
    assert len(declared) > 80
    untold = re.compile("hlc_(field_free|model_|set_wait_check|version|error_message|status_name|mode_name|init_fortran|for_rows)"
                        "|hlc_(halo|blocks|index_halo)_(start|finish)_on|hlc_segment_(data|info)|hlc_allreduce_info")
    for function in sorted(declared):
        named = in_python(function)
        if untold.match(function):
            continue
        for one in named.split(" or "):
            found = halocline
            for part in one.split("."):
                found = getattr(found, part, None)
            assert found is not None or one in ("mode", "a call", "the machine card"), (function, named)


# Of the library's C interface and of the extension: no message of Python says it.
C_WORDS = re.compile(
    r"\bhlc_|HLC_|\bNULL\b|incompatible function|Invoked with|nanobind|std::|pointer|\bspec\b|\b(depth_low|depth_high|own_depth|nfields"
    r"|ndims|nentries|nblocks|nneighbours|one_dim|stride_bytes|element_bytes|bytes_out|bytes_in|finalised|shapes\[)"
)
HUGE = 2**31


def halo_calls(halo):
    """Swaps of a halo that cannot be, and words that the message has."""
    swaps = [
        ({"fields": [HUGE]}, f"fields[0] is {HUGE}"), ({"fields": [7]}, "fields[0] is 7"), ({"fields": [-1]}, "fields[0] is -1"),
        ({"dim": HUGE}, f"dim is {HUGE}"), ({"dim": 2}, "dim is 2"), ({"dim": -1}, "dim is -1"), ({"dim": 0.5}, "dim is 0.5"),
        ({"dim": 0, "side": 3}, "side is 3"), ({"dim": 0, "side": ["low"]}, "side is ['low']"), ({"reverse": 2}, "reverse is 2"),
        ({"reverse": "yes"}, "reverse is 'yes'"), ({"depth": 2**63}, f"depth is {2**63}"), ({"depth": 0}, "depth is 0"),
        ({"depth": "1"}, "depth is '1'"), ({"using": 3}, "using is 3"), ({"stream": 2**64}, f"stream is {2**64}"),
    ]
    for words, said in swaps:
        yield lambda words=words: halo.swap(**words), said
        yield lambda words=words: halo.start(**words), said
    for direction, said in ((3, "direction is 3"), ((0, HUGE), f"({0}, {HUGE})"), ((0, 0.5), "direction is 0.5")):
        yield lambda direction=direction: halo.view(direction), said
    for field, said in ((HUGE, f"{HUGE}"), ("u", "field is 'u'"), (-1, "-1")):
        yield lambda field=field: halo.view((0, 1), field), said
        yield lambda field=field: halo.pieces(field), said


def plan_calls(context, grid):  # noqa: PLR0915 - a table
    """What cannot be made."""
    u, box, row = halocline.Field(grid, name="u"), [halocline.Box((8 * context.rank, 0), (8, 8))], np.ones(3)
    domain, arrays = (8 * context.size, 8), [np.zeros((10, 10))]
    yield lambda: halocline.Grid(context, (8, 8), ranks=(HUGE, 1)), f"ranks is {HUGE}"
    yield lambda: halocline.Grid(context, (8, 8), periodic="no"), "periodic is 'no'"
    yield lambda: halocline.Grid(context, (8, 8), periodic=(1, 2)), "periodic is 2"
    yield lambda: halocline.Grid(context, (1, 1), ranks=(context.size + 1, 1)), "ranks is ("
    yield lambda: halocline.Grid(context, (2, 2, 2, 2, 2)), "the number of dimensions is 5"
    yield lambda: grid.rank_at((HUGE, 0)), f"coords is {HUGE}"
    yield lambda: grid.rank_at(3), "coords is 3"
    yield lambda: grid.reorder(cell_bytes=2**63), f"cell_bytes is {2**63}"
    yield lambda: grid.reorder(depth=-1), "depth below along dimension 0 is -1"
    yield lambda: halocline.Field(grid, stagger=3), "stagger is 3; it must be one of centred, shared, owned"
    yield lambda: halocline.Field(grid, stagger=("shared", 3)), "stagger[1] is 3"
    yield lambda: halocline.Field(grid, name=3), "name is 3"
    yield lambda: halocline.Halo(grid, []), "the number of fields is 0"
    yield lambda: halocline.Halo(grid, [u], name=3), "name is 3"
    yield lambda: halocline.Halo(grid, [u], staged="yes"), "staged is 'yes'"
    yield lambda: halocline.Halo(grid, [u], rebind=2), "rebind is 2"
    yield lambda: halocline.Halo(grid, [u], stencil=1), "stencil is 1"
    yield lambda: halocline.Halo(grid, [u], depth=-1), "depth below along dimension 0 is -1"
    yield lambda: halocline.Halo(grid, [u, u]), "overlap"
    yield lambda: halocline.Halo(grid, [u], mode="p2p", drive="get"), "drive 'get' needs mode fence"
    yield lambda: halocline.fills_moving((HUGE, 0)), f"velocity is {HUGE}"
    yield lambda: halocline.fills_moving((0,) * 5), "the number of dimensions is 5"
    yield lambda: halocline.Segment(context, 4, notifications=HUGE), f"notifications is {HUGE}"
    yield lambda: halocline.Segment(context, 4, notifications=-1), "notifications is -1"
    yield lambda: halocline.Segment(context, 4, shared="no"), "shared is 'no'"
    yield lambda: halocline.SparseExchange(context, slots=HUGE), f"slots is {HUGE}"
    yield lambda: halocline.SparseExchange(context, slots=-1), "slots is -1"
    yield lambda: halocline.SparseExchange(context, name=1), "name is 1"
    yield lambda: halocline.Allreduce(context, 3, name=1), "name is 1"
    yield lambda: halocline.Allreduce(context, 3, np.complex64, op="max"), "complex numbers have no order"
    yield lambda: halocline.Exchange(context, [(HUGE,)]), f"rank of neighbour 0 is {HUGE}"
    yield lambda: halocline.Exchange(context, [(99,)]), "neighbours[0].rank is 99"
    yield lambda: halocline.Exchange(context, [(0, None, None, HUGE)]), f"tag_out of neighbour 0 is {HUGE}"
    yield lambda: halocline.Exchange(context, [(0, None, None, 0, -1)]), "tag_in -1"
    yield lambda: halocline.Exchange(context, [], name=1), "name is 1"
    yield lambda: halocline.IndexHalo(context, [row], [(HUGE, [0], [1])]), f"rank of neighbour 0 is {HUGE}"
    yield lambda: halocline.IndexHalo(context, [row], [(0, [9], [1])]), "neighbours[0].send[0] is 9"
    yield lambda: halocline.IndexHalo(context, [row], [(0, [0], [-1])]), "neighbours[0].receive[0] is -1"
    yield lambda: halocline.IndexHalo(context, [row], [(0, [0], [0, 1, 2, 0])]), "the length of neighbours[0].receive is 4"
    yield lambda: halocline.IndexHalo(context, {3: row}, []), "the name of a field is 3"
    yield lambda: halocline.IndexHalo(context, [], []), "the number of fields is 0"
    yield lambda: halocline.Blocks(context, domain, box, [arrays], parts=HUGE), f"parts is {HUGE}"
    yield lambda: halocline.Blocks(context, domain, box, [arrays], parts=-1), "parts is -1"
    yield lambda: halocline.Blocks(context, domain, box, [arrays], periodic="no"), "periodic is 'no'"
    yield lambda: halocline.Blocks(context, domain, [(*box[0][:2], 0, HUGE)], [arrays]), f"part of a box is {HUGE}"
    yield lambda: halocline.Blocks(context, domain, [((0, 0), (0, 0))], [[np.zeros((2, 2))]]), "shape[0] is 0"
    yield lambda: halocline.Blocks(context, domain, [(box[0].start, (8, 99))], [[np.zeros((10, 101))]]), "shape[1] is 99"
    yield lambda: halocline.Blocks(context, domain, box, [halocline.Shaped(arrays, depth=-1)]), "depth is -1"
    yield lambda: halocline.Blocks(context, domain, box, []), "the number of fields is 0"
    yield lambda: context.zeros(4, order=3), "order is 3"


def segment_calls(context, segment):
    """One-sided calls that cannot be."""
    one, me = np.ones(1, "i8"), context.rank
    moves = {"put": (one,), "get": (one,), "put_strided": (one,), "get_strided": (one,), "put_notify": (one,), "accumulate": (one,),
             "fetch_add": (1,), "fetch_op": (1,), "swap": (1,), "compare_swap": (0, 1)}
    for name, data in moves.items():
        call = getattr(segment, name)
        for rank, said in ((HUGE, f"rank is {HUGE}"), (0.5, "rank is 0.5"), (99, "rank is 99"), ("0", "rank is '0'")):
            yield lambda call=call, data=data, rank=rank: call(rank, *data), said
        for offset, said in ((2**63, f"offset is {2**63}"), (2**61, f"offset is {2**61}"), ("0", "offset is '0'"), (-1, "offset is -1")):
            yield lambda call=call, data=data, offset=offset: call(me, *data, offset), said
    for value, said in ((2**32, f"value is {2**32}"), (-1, "value is -1"), (0.5, "value is 0.5"), (0, "value is 0")):
        yield lambda value=value: segment.notify(me, 0, value), said
        yield lambda value=value: segment.put_notify(me, one, value=value), said
    for call in (segment.wait, segment.test, segment.reset, lambda id: segment.notify(me, id)):
        for id, said in ((HUGE, f" is {HUGE}"), (0.5, " is 0.5"), (-1, " is -1")):
            yield lambda call=call, id=id: call(id), said
    for call in (segment.flush, segment.flush_local, segment.part):
        for rank, said in ((HUGE, f"rank is {HUGE}"), ("0", "rank is '0'"), (99, "rank is 99")):
            yield lambda call=call, rank=rank: call(rank), said
    for value, said in ((0.5, "value is 0.5"), (2**63, f"value is {2**63}")):
        yield lambda value=value: segment.fetch_add(me, value), said
    yield lambda: segment.put_strided(me, one, 0, 3), "strides is 3"
    yield lambda: segment.put_strided(me, one, 0, (2**62,)), "strides"
    yield lambda: segment.accumulate(me, one, op=3), "op is 3"


def refused(call, said):
    """What is wrong with how a call refuses its arguments; None: nothing."""
    try:
        call()
    except halocline.Error as error:
        message = str(error)
    except Exception as error:  # noqa: BLE001 - a class that users do not expect is what this looks for
        return f"{said}: {type(error).__name__}: {error}"
    else:
        return f"{said}: nothing was raised"
    found = C_WORDS.search(message)
    return f"{found[0]!r} in: {message}" if found else None if said in message else f"no {said!r} in: {message}"


def test_wrong_arguments_are_named_in_the_words_of_python(context, grid):
    wrong = [refused(*one) for one in plan_calls(context, grid)]
    with halocline.Halo(grid, [halocline.Field(grid)], rebind=True) as halo, halocline.Halo(grid, [halocline.Field(grid)]) as plain:
        wrong += [refused(*one) for one in [*halo_calls(halo), *((call, said) for call, said in halo_calls(plain))]]
        for one in (halo, plain):
            one.swap()
    with halocline.Segment(context, 4, "i8", notifications=2) as segment:
        wrong += [refused(*one) for one in segment_calls(context, segment)]
        segment.barrier()
    wrong = [one for one in wrong if one]
    assert not wrong, "\n".join(wrong)


def test_ranks_that_disagree_are_told_so_in_the_words_of_python(context, grid):
    if context.size < 2:
        pytest.skip("needs 2 ranks that disagree")
    last = context.rank == context.size - 1
    u = halocline.Field(grid, "f4" if last else "f8", name="u")
    nodes = halocline.Field(grid, stagger="shared" if last else "owned", name="v")
    deep = halocline.Field(grid, depth=2, name="w")
    with_shape = [halocline.Field(grid, depth=1, name="a"), deep]
    plans = [
        (lambda: halocline.Halo(grid, [u], name="flow"), "of plan 'flow': ranks disagree on type of fields[0] 'u': rank 0 has float64"),
        (lambda: halocline.Halo(grid, [nodes], name="flow"), "stagger[0] of fields[0] 'v': rank 0 has owned"),
        (lambda: halocline.Halo(grid, [deep], depth=1 if last else 2, name="flow"), "depth below along dimension 0: rank 0 has 2"),
        (lambda: halocline.Halo(grid, with_shape, depth=1 if last else "each", name="flow"), "stagger or depths: rank 0 has given"),
        (lambda: halocline.Halo(grid, [deep], mode="p2p" if last else "notify", name="flow"), "of plan 'flow': ranks disagree on mode"),
        (lambda: halocline.Allreduce(context, 3, op="min" if last else "sum", name="s"), "ranks disagree on reduction: rank 0 has sum"),
        (lambda: halocline.Segment(context, 4, shared=last), "Segment of plan "),
    ]
    wrong = []
    for make, said in plans:
        wrong.append(refused(make, said))
    wrong = [one for one in wrong if one]
    assert not wrong, "\n".join(wrong)


def test_what_is_printed_of_plans_is_short_and_names_them(context, grid):
    big = np.zeros((10, 10))
    assert repr(halocline.Shaped([big, big], "shared", 2)) == "halocline.Shaped(arrays=<list of 2>, stagger='shared', depth=2)"
    assert repr(halocline.Neighbour(0, big, None)) == "halocline.Neighbour(rank=0, send=<float64 array of shape (10, 10)>, receive=None, " \
        "tag_out=0, tag_in=0)"
    assert "IndexNeighbour(rank=1, send=[0, 1], receive=<list of 9>" in repr(halocline.IndexNeighbour(1, [0, 1], [*range(9)]))
    assert repr(halocline.Message(0, big)) == "halocline.Message(origin=0, data=<float64 array of shape (10, 10)>)"
    with halocline.Halo(grid, [halocline.Field(grid)], name="flow") as halo, halocline.Halo(grid, [halocline.Field(grid)]) as unnamed:
        assert repr(halo).startswith("<halocline.Halo flow of 1 field, ") and repr(unnamed).startswith("<halocline.Halo of 1 field, ")
        assert repr(halo.swapping()).startswith("<halocline.Swapping of <halocline.Halo flow ")
    with halocline.Exchange(context, [], name="ring") as exchange, halocline.Allreduce(context, 1, name="sum") as total, \
            halocline.SparseExchange(context, name="loose") as sparse:
        assert repr(exchange).startswith("<halocline.Exchange ring with ranks ()")
        assert repr(total).startswith("<halocline.Allreduce sum sum of")
        assert repr(sparse).startswith("<halocline.SparseExchange loose of uint8")
