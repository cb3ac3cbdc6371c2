"""Fields in a device's memory, of which the stand-in for CUDA's driver keeps the host away.

SPDX-License-Identifier: BSD-3-Clause
"""
import ctypes
import gc
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import test_blocks
from conftest import POISON, coordinates, value
from test_index_halo import Mesh

import halocline

TESTS = Path(__file__).resolve().parents[3] / "tests"


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    """CUDA's functions, with the primary context of device 0 current."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler for the stand-in for CUDA's driver")
    library = tmp_path_factory.mktemp("driver") / "libcuda.so.1"
    subprocess.run([compiler, "-shared", "-fPIC", f"-I{TESTS}", TESTS / "device/stand_in.c", "-o", library, "-Wl,-soname,libcuda.so.1",
                    "-pthread"], check=True)
    cuda = ctypes.CDLL(str(library))
    device = ctypes.c_void_p()
    assert cuda.cuInit(0) == 0
    assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(device), 0) == 0
    assert cuda.cuCtxPushCurrent_v2(device) == 0
    yield cuda
    assert cuda.cuCtxPopCurrent_v2(ctypes.byref(device)) == 0
    assert cuda.cuDevicePrimaryCtxRelease_v2(0) == 0
    assert cuda.stand_in_cuda_live() == 0


class DeviceArray:
    """An array in the device's memory, as CuPy's; its strides are not said unless they are asked for."""

    def __init__(self, driver, cells, strides=False):
        self.driver, self.shape, self.bytes, self.like = driver, cells.shape, cells.nbytes, cells
        self.address = ctypes.c_ulonglong()
        assert driver.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(self.bytes)) == 0
        assert driver.cuMemcpyHtoD_v2(self.address, ctypes.c_void_p(cells.ctypes.data), ctypes.c_size_t(self.bytes)) == 0
        self.__cuda_array_interface__ = {"version": 3, "shape": cells.shape, "typestr": cells.dtype.str,
                                         "data": (self.address.value, False), "strides": cells.strides if strides else None}

    def write(self, cells):
        assert self.driver.cuMemcpyHtoD_v2(self.address, ctypes.c_void_p(cells.ctypes.data), ctypes.c_size_t(self.bytes)) == 0

    def read(self):
        cells = np.empty_like(self.like)
        assert self.driver.cuMemcpyDtoH_v2(ctypes.c_void_p(cells.ctypes.data), self.address, ctypes.c_size_t(self.bytes)) == 0
        return cells

    def free(self):
        assert self.driver.cuMemFree_v2(self.address) == 0


@pytest.fixture
def grid(context):
    return halocline.Grid(context, (9, 7), periodic=True)


def filled(grid):
    cells = np.full(tuple(local + 2 for local in grid.local), POISON)
    cells[1:-1, 1:-1] = value(*coordinates(grid, (0, 0), (0, 0)))
    return cells


def test_arrays_with_cudas_array_interface_are_swapped(driver, grid):
    for strides in (False, True):
        array = DeviceArray(driver, filled(grid), strides)
        field, on_host = halocline.Field.over(grid, array, depth=1, name="u"), halocline.Field(grid, depth=1)
        on_host.array[...] = filled(grid)
        assert field.array is array and field.dtype == np.float64
        with halocline.Halo(grid, [field, on_host], mode="notify") as halo:
            halo.swap()
            assert "staged through" in halo.explain()
            with pytest.raises(halocline.ArgumentError, match="device's memory"):
                halo.view((-1, 0))
        expected = value(*coordinates(grid, (1, 1), (1, 1)))
        assert (array.read() == expected).all()
        assert (on_host.array == expected).all()
        array.free()


def test_an_array_of_zeros_is_made_on_the_device(driver, context, grid):
    before = driver.stand_in_cuda_live()
    array = context.device_zeros([local + 2 for local in grid.local], order="F")
    assert driver.stand_in_cuda_live() == before + 1
    assert array.strides == (8, 8 * array.shape[0])
    cells = np.asfortranarray(filled(grid))
    address, count = ctypes.c_ulonglong(array.__cuda_array_interface__["data"][0]), ctypes.c_size_t(cells.nbytes)
    assert driver.cuMemcpyHtoD_v2(address, ctypes.c_void_p(cells.ctypes.data), count) == 0
    with halocline.Halo(grid, [halocline.Field.over(grid, array, depth=1)]) as halo:
        halo.swap()
    assert driver.cuMemcpyDtoH_v2(ctypes.c_void_p(cells.ctypes.data), address, count) == 0
    assert (cells == value(*coordinates(grid, (1, 1), (1, 1)))).all()
    assert "bytes" in repr(array)
    del array, halo
    gc.collect()
    assert driver.stand_in_cuda_live() == before


class Tensor(ctypes.Structure):
    """DLManagedTensor of DLPack, with DLTensor in its place."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64), ("manager", ctypes.c_void_p),
                ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p))]


class DLPackArray:
    """The same memory as another array's, of doubles, by DLPack alone."""

    def __init__(self, array, device=2):
        self.array, self.device, self.deleted = array, (device, 0), 0
        ndim, strides = len(array.shape), [stride // 8 for stride in array.like.strides]
        self.shape, self.strides = (ctypes.c_int64 * ndim)(*array.shape), (ctypes.c_int64 * ndim)(*strides)
        deleter = Tensor._fields_[-1][1](self.delete)
        self.tensor = Tensor(array.address.value, device, 0, ndim, 2, 64, 1, self.shape, self.strides, 0, None, deleter)

    def delete(self, _):
        self.deleted += 1

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.tensor), b"dltensor", None)


def test_arrays_with_dlpack_of_a_cuda_device_are_swapped_and_kept(driver, grid):
    array = DeviceArray(driver, filled(grid))
    tensor = DLPackArray(array)
    field = halocline.Field.over(grid, tensor, depth=1)
    with halocline.Halo(grid, [field]) as halo:
        halo.swap()
    assert field.dtype == np.float64
    assert tensor.deleted == 0
    del field, halo
    gc.collect()
    assert tensor.deleted == 1
    assert (array.read() == value(*coordinates(grid, (1, 1), (1, 1)))).all()
    with pytest.raises(halocline.UnsupportedError, match="type 10 of DLPack"):
        halocline.Field.over(grid, DLPackArray(array, device=10))
    array.free()


class Stream:
    """A stream as CuPy's."""

    def __init__(self, driver):
        self.handle_of_test = ctypes.c_void_p()
        assert driver.cuStreamCreate(ctypes.byref(self.handle_of_test), ctypes.c_uint(1)) == 0
        self.ptr = self.handle_of_test.value


class StreamByProtocol:
    """The same one, as any other package's."""

    def __init__(self, stream):
        self.__cuda_stream__ = lambda: (0, stream.ptr)


def test_swaps_are_in_order_with_a_stream(driver, grid):
    array, stream = DeviceArray(driver, filled(grid)), Stream(driver)
    with halocline.Halo(grid, [halocline.Field.over(grid, array)]) as halo:
        for given in (stream, stream.ptr, StreamByProtocol(stream), 0):
            array.write(filled(grid))
            halo.swap(stream=given)
            with halo.swapping(dim=0, stream=given):
                pass
            halo.start([0], stream=given)
            halo.finish(stream=given)
            assert driver.cuStreamSynchronize(stream.handle_of_test) == 0
            assert (array.read() == value(*coordinates(grid, (1, 1), (1, 1)))).all()
        for wrong in ("default", True, 1.5, -1):
            with pytest.raises(halocline.ArgumentError, match="stream is"):
                halo.start(stream=wrong)
        with pytest.raises(halocline.ArgumentError, match="pass one of the two"):
            halo.start(using=[None], stream=stream)
    assert driver.cuStreamDestroy_v2(stream.handle_of_test) == 0
    array.free()


def test_the_lines_of_the_guide_fill_the_halo(driver, grid):
    array = DeviceArray(driver, filled(grid))
    u = halocline.Field.over(grid, array, depth=1)        # an array of CuPy, Numba or PyTorch
    with halocline.Halo(grid, [u]) as halo:
        halo.swap()                                       # the halo is in the array
    assert (array.read() == value(*coordinates(grid, (1, 1), (1, 1)))).all()
    array.free()


def test_the_lines_of_the_guide_are_in_order_with_a_stream(driver, grid):
    array, stream = DeviceArray(driver, filled(grid)), Stream(driver)
    with halocline.Halo(grid, [halocline.Field.over(grid, array)]) as halo:
        halo.swap(stream=stream)                          # a stream of CuPy, PyTorch or Numba, or its handle
        with halo.swapping(stream=stream):                # the same; the block of the swap computes meanwhile
            pass
        assert driver.cuStreamSynchronize(stream.handle_of_test) == 0
    assert (array.read() == value(*coordinates(grid, (1, 1), (1, 1)))).all()
    assert driver.cuStreamDestroy_v2(stream.handle_of_test) == 0
    array.free()


def test_other_arrays_take_the_place_of_the_planned_one(driver, grid):
    first, second = (DeviceArray(driver, filled(grid)) for _ in range(2))
    fields = [halocline.Field.over(grid, array) for array in (first, second)]
    with halocline.Halo(grid, fields[:1], rebind=True) as halo:
        halo.swap(using=[fields[1]])
    assert (first.read() == filled(grid)).all()
    assert (second.read() == value(*coordinates(grid, (1, 1), (1, 1)))).all()
    first.free()
    second.free()


# ---------------------------------------------------------------- blocks and index halos


def shown_as(how, driver, cells):
    """An array on the device with these cells, and the object by which it is passed."""
    array = DeviceArray(driver, cells, strides=how != "plain")
    return array, DLPackArray(array) if how == "dlpack" else array


@pytest.fixture(params=["plain", "strides", "dlpack"])
def how(request):
    """How an array says where it is: without strides, with those of Fortran's order, or by DLPack."""
    return request.param


def in_order_of(how, cells):
    return np.asfortranarray(cells) if how == "strides" else np.ascontiguousarray(cells)


def test_blocks_of_device_arrays_are_swapped_beside_those_of_the_host(driver, context, how):
    boxes = test_blocks.boxes_of(context)
    right = [test_blocks.expected(box) for box in boxes]
    before = test_blocks.filled([np.empty_like(cells) for cells in right], boxes)
    arrays = [shown_as(how, driver, in_order_of(how, cells)) for cells in before]
    on_host = [cells.copy() for cells in before]
    fields = {"u": [given for _, given in arrays], "v": on_host}
    with halocline.Blocks(context, test_blocks.SHAPE, boxes, fields, periodic=True, mode="notify") as blocks:
        assert blocks.fields == (tuple(fields["u"]), tuple(on_host))
        assert ("staged through" in blocks.explain()) == bool(boxes)
        blocks.swap([1])
        assert all((array.read() == cells).all() for (array, _), cells in zip(arrays, before))
        with blocks.swapping([0]):
            pass
    for (array, _), cells, theirs in zip(arrays, right, on_host):
        np.testing.assert_array_equal(array.read(), cells)
        np.testing.assert_array_equal(theirs, cells)
        array.free()


def test_blocks_on_nodes_are_added_in_reverse_on_the_device_as_on_the_host(driver, context):
    boxes = test_blocks.boxes_of(context)
    shapes = [[n + 5 for n in box.shape] for box in boxes]
    before = [np.arange(np.prod(shape), dtype="i8").reshape(shape) + 1000 * box.id for shape, box in zip(shapes, boxes)]
    on_host = [cells.copy() for cells in before]
    arrays = [DeviceArray(driver, cells) for cells in before]
    for given in (on_host, arrays):
        field = halocline.Shaped(given, "owned", 2)
        with halocline.Blocks(context, test_blocks.SHAPE, boxes, [field], periodic=True) as blocks:
            blocks.swap(reverse=True)
            blocks.swap(depth=1)
    for array, cells, old in zip(arrays, on_host, before):
        assert (cells != old).any()
        np.testing.assert_array_equal(array.read(), cells)
        array.free()


def test_entries_of_device_arrays_are_swapped_and_added_in_reverse(driver, context, how):
    mesh = Mesh(context)
    cells = [mesh.filled(np.empty((len(mesh.number), *components))) for components in ((), (2,), (2, 3))]
    # All but the first axis are equally spaced in Fortran's order only if there is but one.
    orders = [how, how, "plain" if how == "strides" else how]
    arrays = [shown_as(order, driver, in_order_of(order, one)) for order, one in zip(orders, cells)]
    on_host = [one.copy() for one in cells]
    neighbours = mesh.neighbours
    with halocline.IndexHalo(context, on_host, neighbours) as halo:
        halo.swap()
        halo.swap([1, 2], reverse=True)
    with halocline.IndexHalo(context, [given for _, given in arrays], neighbours, mode="notify") as halo:
        assert "staged through" in halo.explain()
        with halo.swapping():
            pass
        np.testing.assert_array_equal(arrays[1][0].read(), mesh.expected((2,)))
        halo.swap([1, 2], reverse=True)
        with pytest.raises(halocline.ArgumentError, match="field 1 is in a device's memory"):
            halo.view(0, 1)
    for (array, _), one in zip(arrays, on_host):
        np.testing.assert_array_equal(array.read(), one)
        array.free()


def test_the_lines_of_the_guide_swap_blocks_and_entries(driver, context):
    shape, boxes = [4 * context.size], [halocline.Box([4 * context.rank], [4])]
    cells = np.full(6, POISON)
    cells[1:-1] = value(4 * context.rank + np.arange(4))
    array, values = DeviceArray(driver, cells), DeviceArray(driver, cells)
    arrays = [array]
    left, right = (context.rank - 1) % context.size, (context.rank + 1) % context.size
    below, above = (left, [1], [0], 0, 1), (right, [4], [5], 1, 0)
    neighbours = [halocline.IndexNeighbour(*below), halocline.IndexNeighbour(*above)]
    with halocline.Blocks(context, shape, boxes, {"u": arrays}, periodic=True) as blocks:    # an array of the device for each box
        blocks.swap()
    with halocline.IndexHalo(context, {"v": values}, neighbours) as halo:
        halo.swap()
    for one in (array, values):
        np.testing.assert_array_equal(one.read(), value(np.arange(4 * context.rank - 1, 4 * context.rank + 5) % shape[0]))
        one.free()


def test_plans_of_arrays_by_dlpack_keep_them(driver, context):
    box, cells = halocline.Box([4 * context.rank], [4]), np.zeros(6)
    array = DeviceArray(driver, cells)
    tensors = [DLPackArray(array) for _ in range(2)]
    plans = halocline.Blocks(context, [4 * context.size], [box], [[tensors[0]]]), halocline.IndexHalo(context, [tensors[1]], [])
    gc.collect()
    assert [tensor.deleted for tensor in tensors] == [0, 0]
    for plan in plans:
        plan.close()
    del plan, plans
    gc.collect()
    assert [tensor.deleted for tensor in tensors] == [1, 1]
    array.free()


def test_blocks_and_entries_are_swapped_in_order_with_a_stream(driver, context):
    cells, place = np.full(6, POISON), 4 * context.rank + np.arange(-1, 5)
    cells[1:-1] = value(place[1:-1])
    arrays, stream = [DeviceArray(driver, cells) for _ in range(2)], Stream(driver)
    left, right = (context.rank - 1) % context.size, (context.rank + 1) % context.size
    below, above = (left, [1], [0], 0, 1), (right, [4], [5], 1, 0)
    neighbours = [halocline.IndexNeighbour(*below), halocline.IndexNeighbour(*above)]
    boxes = [halocline.Box([4 * context.rank], [4])]
    plans = [
        halocline.Blocks(context, [4 * context.size], boxes, [[arrays[0]]], periodic=True),
        halocline.IndexHalo(context, [arrays[1]], neighbours),
    ]
    for array, plan in zip(arrays, plans):
        for given in (stream, stream.ptr, StreamByProtocol(stream), 0):
            array.write(cells)
            plan.swap(stream=given)
            with plan.swapping(stream=given):
                pass
            plan.start([0], stream=given)
            plan.finish(stream=given)
            assert driver.cuStreamSynchronize(stream.handle_of_test) == 0
            np.testing.assert_array_equal(array.read(), value(place % (4 * context.size)))
        for wrong in ("default", True, 1.5, -1):
            with pytest.raises(halocline.ArgumentError, match="stream is"):
                plan.start(stream=wrong)
        plan.close()
        array.free()
    assert driver.cuStreamDestroy_v2(stream.handle_of_test) == 0


class Differentiated:
    """As PyTorch's tensors that require a gradient."""

    @property
    def __cuda_array_interface__(self):
        raise RuntimeError("it requires grad")


class DifferentiatedByDLPack:
    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **_):
        raise BufferError("it requires grad")


def test_what_an_array_itself_raises_all_ranks_raise(driver, context, grid):
    array, mine = DeviceArray(driver, np.zeros(6)), context.rank == context.size - 1
    for refusing in (Differentiated(), DifferentiatedByDLPack()):
        given = refusing if mine else array
        with pytest.raises(halocline.ArgumentError, match="is a Differentiated.* that does not show its memory: it requires grad"):
            halocline.IndexHalo(context, [given], [])
        with pytest.raises(halocline.ArgumentError, match="is a Differentiated.* that does not show its memory: it requires grad"):
            halocline.Blocks(context, [4 * context.size], [halocline.Box([4 * context.rank], [4])], [[given]])
        with pytest.raises(halocline.ArgumentError, match=r"Field\.over: array is a Differentiated"):
            halocline.Field.over(grid, refusing)
    array.free()


def test_blocks_and_index_halos_refuse_arrays_that_do_not_fit(driver, context):
    array, mine = DeviceArray(driver, np.zeros((6, 4))), context.rank == context.size - 1
    box, said = halocline.Box([4 * context.rank, 0], [4, 2]), array.__cuda_array_interface__
    blocks = lambda given: halocline.Blocks(context, [4 * context.size, 2], [box], {"u": [given]})  # noqa: E731
    index = lambda given: halocline.IndexHalo(context, {"u": given}, [])  # noqa: E731
    read_only, masked = {"data": (array.address.value, True)}, {"mask": array}
    cases = [
        (blocks, read_only, "field 0 u of box 0 is read-only"),
        (blocks, masked, "field 0 u of box 0 has a mask"),
        (blocks, {"shape": (4, 6)}, r"shape \(4, 6\); \(6, 4\) is needed"),
        (blocks, {"strides": (-32, 8)}, "must be above 0"),
        (index, read_only, "field 0 u is read-only"),
        (index, masked, "field 0 u has a mask"),
        (index, {"shape": (), "strides": ()}, "a number, not an array"),
        (index, {"shape": (6, 2, 2), "strides": (32, 8, 8)}, "equally spaced"),
    ]
    for plan, change, words in cases:
        array.__cuda_array_interface__ = {**said, **change} if mine else said
        with pytest.raises(halocline.ArgumentError, match=words):
            plan(array)
    array.__cuda_array_interface__ = said
    for plan in (blocks, index):
        with pytest.raises(halocline.ArgumentError, match="field 0 u.* is on device 0 of type 10 of DLPack"):
            plan(DLPackArray(array, device=10) if mine else array)
    array.free()


def test_a_rank_may_have_no_entries_and_no_boxes(driver, context):
    """CuPy's empty arrays have no address."""
    mine = context.rank == 0
    array, empty = DeviceArray(driver, np.arange(10.0)), DeviceArray(driver, np.zeros(1))
    empty.__cuda_array_interface__ = {**empty.__cuda_array_interface__, "shape": (0,), "data": (0, False)}
    with halocline.IndexHalo(context, [array if mine else empty], []) as halo:
        halo.swap()
    boxes, arrays = ([halocline.Box([0], [8])], [array]) if mine else ([], [])
    with halocline.Blocks(context, [8], boxes, [arrays], periodic=True) as blocks:
        blocks.swap()
    right = np.arange(10.0)
    if mine:
        right[0], right[9] = 8, 1
    np.testing.assert_array_equal(array.read(), right)
    array.free()
    empty.free()


def test_sparse_messages_on_a_device_are_refused(driver, context):
    array = DeviceArray(driver, np.zeros(4))
    with halocline.SparseExchange(context, np.float64) as exchange:
        with pytest.raises(halocline.ArgumentError, match="message 0 is a DeviceArray, not an array in this machine's memory"):
            exchange.start([(0, array)])
        with pytest.raises(halocline.ArgumentError, match="message 0 is a DLPackArray, not an array in this machine's memory"):
            exchange.start([(0, DLPackArray(array))])
        assert exchange.exchange([]) == []
    array.free()


def test_errors_of_the_driver_are_raised_by_blocks_and_index_halos(driver, context):
    array = DeviceArray(driver, np.arange(6.0))
    ring = [halocline.IndexNeighbour(context.rank, [1], [5])]
    plans = [
        halocline.Blocks(context, [4 * context.size], [halocline.Box([4 * context.rank], [4])], [[array]], periodic=True),
        halocline.IndexHalo(context, [array], ring),
    ]
    for plan in plans:
        driver.stand_in_cuda_fail(ctypes.c_long(1), 1)
        with pytest.raises(halocline.DeviceError, match="start.*CUDA_ERROR_INVALID_VALUE"):
            plan.start()
        driver.stand_in_cuda_fail(ctypes.c_long(0), 0)
        plan.swap()
        plan.close()
    array.free()


def test_masked_and_read_only_arrays_and_other_shapes_are_refused(driver, grid):
    array = DeviceArray(driver, filled(grid))
    said = array.__cuda_array_interface__
    for change, words in (({"mask": array}, "mask"), ({"data": (array.address.value, True)}, "read-only"), ({"shape": (2, 2)}, "shape")):
        array.__cuda_array_interface__ = {**said, **change}
        with pytest.raises(halocline.ArgumentError, match=words):
            halocline.Field.over(grid, array)
    array.free()


def test_a_context_closes_though_the_driver_returns_an_error(driver):
    before = driver.stand_in_cuda_live()
    context = halocline.Context()
    arrays = [context.device_zeros(5) for _ in range(3)], context.zeros(5)
    driver.stand_in_cuda_fail(ctypes.c_long(1), 1)
    with pytest.raises(halocline.DeviceError, match="hlc_field_free.*CUDA_ERROR_INVALID_VALUE"):
        context.close()
    driver.stand_in_cuda_fail(ctypes.c_long(0), 0)
    assert not context.is_open
    assert driver.stand_in_cuda_live() == before
    context.close()
    assert (arrays[1] == 0).all()


def test_errors_of_the_driver_are_raised(driver, grid):
    array = DeviceArray(driver, filled(grid))
    with halocline.Halo(grid, [halocline.Field.over(grid, array)]) as halo:
        driver.stand_in_cuda_fail(ctypes.c_long(1), 1)
        with pytest.raises(halocline.DeviceError, match="CUDA_ERROR_INVALID_VALUE"):
            halo.start()
        driver.stand_in_cuda_fail(ctypes.c_long(0), 0)
        halo.swap()
    assert (array.read() == value(*coordinates(grid, (1, 1), (1, 1)))).all()
    array.free()
