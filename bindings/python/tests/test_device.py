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
from conftest import POISON, coordinates, value

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
    """An array of doubles in the device's memory, as CuPy's; its strides are not said unless they are asked for."""

    def __init__(self, driver, cells, strides=False):
        self.driver, self.shape, self.bytes = driver, cells.shape, cells.nbytes
        self.address = ctypes.c_ulonglong()
        assert driver.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(self.bytes)) == 0
        assert driver.cuMemcpyHtoD_v2(self.address, ctypes.c_void_p(cells.ctypes.data), ctypes.c_size_t(self.bytes)) == 0
        self.__cuda_array_interface__ = {"version": 3, "shape": cells.shape, "typestr": "<f8", "data": (self.address.value, False),
                                         "strides": cells.strides if strides else None}

    def write(self, cells):
        assert self.driver.cuMemcpyHtoD_v2(self.address, ctypes.c_void_p(cells.ctypes.data), ctypes.c_size_t(self.bytes)) == 0

    def read(self):
        cells = np.empty(self.shape)
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
    """The same memory as another array's, by DLPack alone."""

    def __init__(self, array, device=2):
        self.array, self.device, self.deleted = array, (device, 0), 0
        self.shape = (ctypes.c_int64 * 2)(*array.shape)
        self.strides = (ctypes.c_int64 * 2)(array.shape[1], 1)
        deleter = Tensor._fields_[-1][1](self.delete)
        self.tensor = Tensor(array.address.value, device, 0, 2, 2, 64, 1, self.shape, self.strides, 0, None, deleter)

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
