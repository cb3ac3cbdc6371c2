// The C++ lines of docs/guide/gpu.md: swaps in order with a stream, in a program that is linked to the stand-in for CUDA's driver. Each rank has
// a row of cells in the device's memory.
//
// SPDX-License-Identifier: BSD-3-Clause
// The lines of the block are those of the page.
// clang-format off
#include <halocline/halocline.hpp>

#include <cstdio>

extern "C" {
#include "device/stand_in.h"
}

namespace {

constexpr int kCells = 6, kSteps = 5;

void driver(int status, const char *call) {
  if (status == 0) return;
  std::fprintf(stderr, "a call of the driver failed: %s\n", call);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define DRIVER(call) driver(call, #call)

/// What a kernel would leave: a copy from pinned memory, in the stream.
void give(CUdeviceptr u, double *cells, bool to_device, CUstream stream) {
  CUDA_MEMCPY3D copy{};
  stand_in_half &host = to_device ? copy.from : copy.to, &device = to_device ? copy.to : copy.from;
  host.type = 1;
  host.host = cells;
  device.type = 2;
  device.device = u;
  host.pitch = device.pitch = copy.width = kCells * sizeof(double);
  host.height = device.height = copy.height = copy.depth = 1;
  DRIVER(cuMemcpy3DAsync_v2(&copy, stream));
}

/// A copy of the raw spec: a Field of the C++ interface owns memory of the host.
struct Row {
  hlc_grid grid{};
  hlc_field field{};
  hlc_halo_spec spec{};
  Row(int rank, int size, CUdeviceptr u) {
    grid.ndims = 1;
    grid.dims[0] = size;
    grid.coords[0] = rank;
    grid.periodic[0] = 1;
    grid.local[0] = kCells - 2;
    field.data = reinterpret_cast<void *>(static_cast<std::uintptr_t>(u));
    field.type = HLC_FLOAT64;
    spec.grid = &grid;
    spec.depth_low[0] = spec.depth_high[0] = 1;
    spec.layout = HLC_ROW_MAJOR;
    spec.nfields = 1;
    spec.fields = &field;
    spec.mode = HLC_MODE_DIRECT;
  }
  Row(const Row &) = delete;
  Row &operator=(const Row &) = delete;
};

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int wrong = 0;
  {
    const halocline::Context context(MPI_COMM_WORLD);
    const int rank = context.rank(), size = context.size();
    CUcontext device = nullptr;
    CUdeviceptr u = 0;
    CUstream stream = nullptr;
    void *pinned = nullptr;
    DRIVER(cuInit(0));
    DRIVER(cuDevicePrimaryCtxRetain(&device, 0));
    DRIVER(cuCtxPushCurrent_v2(device));
    DRIVER(cuMemAlloc_v2(&u, kCells * sizeof(double)));
    DRIVER(cuMemHostAlloc(&pinned, 2 * kSteps * kCells * sizeof(double), 0));
    DRIVER(cuStreamCreate(&stream, 1));
    auto *const cells = static_cast<double *>(pinned);
    {
      const Row row(rank, size, u);
      halocline::Halo halo(context, row.spec);
      for (int step = 0; step < kSteps; ++step) {
        double *const before = cells + 2 * step * kCells;
        for (int i = 0; i < kCells; ++i) before[i] = 100 * step + 10 * rank + i;
        give(u, before, true, stream);
halo.start_on(stream);     // the swap sends what the stream's work so far leaves
halo.finish_on(stream);    // kernels that the stream is given from now on find the halo
        give(u, before + kCells, false, stream);
      }
      DRIVER(cuStreamSynchronize(stream));
    }
    for (int step = 0; step < kSteps; ++step) {
      const double *const after = cells + (2 * step + 1) * kCells;
      wrong |= after[0] != 100 * step + 10 * ((rank + size - 1) % size) + kCells - 2;
      wrong |= after[kCells - 1] != 100 * step + 10 * ((rank + 1) % size) + 1;
    }
    if (wrong) std::fprintf(stderr, "rank %d: wrong halo\n", rank);
    DRIVER(cuStreamDestroy_v2(stream));
    DRIVER(cuMemFreeHost(pinned));
    DRIVER(cuMemFree_v2(u));
    DRIVER(cuCtxPopCurrent_v2(&device));
    DRIVER(cuDevicePrimaryCtxRelease_v2(0));
  }
  MPI_Finalize();
  return wrong;
}
