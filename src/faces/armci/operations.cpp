// Put, get and accumulate: contiguous and strided, blocking and not, with flags.
// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>

#include "engine/rma/copy.hpp"
#include "faces/armci/handles.hpp"
#include "faces/armci/one_sided.hpp"
#include "faces/armci/profiling.hpp"

using namespace halocline::core::armci;
using halocline::core::copy_bytes;

namespace {

/// The arguments of a strided operation.
struct Strided {
  const char *call;
  void *local;
  int *local_strides;
  void *remote;
  int *remote_strides;
  int *count;
  int levels;
  int proc;
  armci_hdl_t *handle = nullptr;
  Mode mode = Mode::blocking;
};

bool is_empty(const int *count, int levels) {
  for (int level = 0; level <= levels; ++level)
    if (count[level] == 0) return true;
  return false;
}

int check(const Job &job, const Strided &strided) {
  if (strided.levels == 0 && !strided.local_strides && strided.count && strided.count[0] < 0)
    return refuse(FAIL3, "%s on rank %d: bytes is %d but must be 0 or more", strided.call, job.rank(), strided.count[0]);
  if (const int code = check_levels(job, strided.call, strided.count, strided.levels)) return code;
  if (const int code = check_proc(job, strided.call, strided.proc, FAIL5)) return code;
  if (is_empty(strided.count, strided.levels)) return 0;
  if (const int code = check_address(job, strided.call, "the local address", strided.local)) return code;
  if (const int code = check_address(job, strided.call, "the remote address", strided.remote)) return code;
  if (strided.levels == 0 || (strided.local_strides && strided.remote_strides)) return 0;
  return refuse(FAIL2, "%s on rank %d: an array of strides is NULL", strided.call, job.rank());
}

/// Calls move(job, access) for a checked strided operation.
template <class Move>
int run(const Strided &strided, Move move) {
  return enter(strided.call, [&](Job &job) {
    if (const int code = check(job, strided)) return code;
    if (is_empty(strided.count, strided.levels)) return 0;
    const Block block({strided.local_strides, strided.remote_strides}, strided.count, strided.levels);
    if (const int code = move(job, OneSided{strided.call, strided.local, strided.remote, strided.proc, block, strided.mode})) return code;
    note(job, strided.handle, strided.proc);
    return 0;
  });
}

int put_strided(const Strided &strided) { return run(strided, put); }

int get_strided(const Strided &strided) { return run(strided, get); }

int accumulate_strided(const Strided &strided, const Scaled &scaled) {
  return run(strided, [&](Job &job, const OneSided &access) {
    if (const int code = check_accumulate(job, access.call, scaled, strided.count[0])) return code;
    return accumulate(job, access, scaled);
  });
}

/// The place of contiguous bytes that this process can copy at once; null if the call has to take the general path, which also finds what is
/// wrong.
char *find_near(Job &job, const void *local, const void *remote, int bytes, int proc) {
  if (!local || !remote || bytes <= 0 || proc < 0 || proc >= job.size()) return nullptr;
  Place place;
  if (proc == job.rank()) return const_cast<char *>(static_cast<const char *>(remote));
  return job.allocations.locate(proc, remote, {0, bytes}, &place) ? place.here : nullptr;
}

/// Sets a flag once what the same process has put there before is there.
int set_flag(const char *call, int *flag, int value, int proc) {
  return enter(call, [&](Job &job) {
    if (const int code = check_address(job, call, "flag", flag)) return code;
    Place place;
    if (const int code = find_place(job, call, {flag, proc, {0, sizeof value}}, &place)) return code;
    if (place.here) {
      // The program that reads the flag has the other end.
      std::atomic_ref(*reinterpret_cast<int *>(place.here)).store(value, std::memory_order_release);
      return 0;
    }
    job.fence(call, proc);
    const Block block(sizeof value);
    return put(job, {call, &value, flag, proc, block});
  });
}

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-function-size): the signatures are ARMCI's

int PARMCI_Put(void *src, void *dst, int bytes, int proc) {
  constexpr const char *call = "ARMCI_Put";
  const bool is_done = enter(call, [&](Job &job) {
    char *const place = find_near(job, src, dst, bytes, proc);
    if (place) copy_bytes(place, src, bytes);
    return place != nullptr;
  });
  return is_done ? 0 : put_strided({call, src, nullptr, dst, nullptr, &bytes, 0, proc});
}

int PARMCI_Get(void *src, void *dst, int bytes, int proc) {
  constexpr const char *call = "ARMCI_Get";
  const bool is_done = enter(call, [&](Job &job) {
    const char *const place = find_near(job, dst, src, bytes, proc);
    if (place) copy_bytes(dst, place, bytes);
    return place != nullptr;
  });
  return is_done ? 0 : get_strided({call, dst, nullptr, src, nullptr, &bytes, 0, proc});
}

int PARMCI_Acc(int datatype, void *scale, void *src, void *dst, int bytes, int proc) {
  return accumulate_strided({"ARMCI_Acc", src, nullptr, dst, nullptr, &bytes, 0, proc}, {datatype, scale});
}

int PARMCI_PutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc) {
  return put_strided({"ARMCI_PutS", src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc});
}

int PARMCI_GetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc) {
  return get_strided({"ARMCI_GetS", dst_ptr, dst_stride_ar, src_ptr, src_stride_ar, count, stride_levels, proc});
}

int PARMCI_AccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                int stride_levels, int proc) {
  return accumulate_strided({"ARMCI_AccS", src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc}, {datatype, scale});
}

int PARMCI_NbPut(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl) {
  return put_strided({"ARMCI_NbPut", src, nullptr, dst, nullptr, &bytes, 0, proc, hdl, Mode::nonblocking});
}

int PARMCI_NbGet(void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl) {
  return get_strided({"ARMCI_NbGet", dst, nullptr, src, nullptr, &bytes, 0, proc, hdl, Mode::nonblocking});
}

int PARMCI_NbAcc(int datatype, void *scale, void *src, void *dst, int bytes, int proc, armci_hdl_t *hdl) {
  return accumulate_strided({"ARMCI_NbAcc", src, nullptr, dst, nullptr, &bytes, 0, proc, hdl, Mode::nonblocking}, {datatype, scale});
}

int PARMCI_NbPutS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc,
                  armci_hdl_t *hdl) {
  return put_strided({"ARMCI_NbPutS", src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc, hdl, Mode::nonblocking});
}

int PARMCI_NbGetS(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc,
                  armci_hdl_t *hdl) {
  return get_strided({"ARMCI_NbGetS", dst_ptr, dst_stride_ar, src_ptr, src_stride_ar, count, stride_levels, proc, hdl, Mode::nonblocking});
}

int PARMCI_NbAccS(int datatype, void *scale, void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[],
                  int stride_levels, int proc, armci_hdl_t *hdl) {
  return accumulate_strided(
      {"ARMCI_NbAccS", src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc, hdl, Mode::nonblocking},
      {datatype, scale});
}

int PARMCI_Put_flag(void *src, void *dst, int bytes, int *flag, int value, int proc) {
  constexpr const char *call = "ARMCI_Put_flag";
  const int code = put_strided({call, src, nullptr, dst, nullptr, &bytes, 0, proc});
  return code != 0 ? code : set_flag(call, flag, value, proc);
}

int PARMCI_PutS_flag(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int *flag,
                     int value, int proc) {
  constexpr const char *call = "ARMCI_PutS_flag";
  const int code = put_strided({call, src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc});
  return code != 0 ? code : set_flag(call, flag, value, proc);
}

int PARMCI_PutS_flag_dir(void *src_ptr, int src_stride_ar[], void *dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int *flag,
                         int value, int proc) {
  return PARMCI_PutS_flag(src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, flag, value, proc);
}

// NOLINTEND(readability-function-size)

HLC_ARMCI_ALIAS(Put);
HLC_ARMCI_ALIAS(Get);
HLC_ARMCI_ALIAS(Acc);
HLC_ARMCI_ALIAS(PutS);
HLC_ARMCI_ALIAS(GetS);
HLC_ARMCI_ALIAS(AccS);
HLC_ARMCI_ALIAS(NbPut);
HLC_ARMCI_ALIAS(NbGet);
HLC_ARMCI_ALIAS(NbAcc);
HLC_ARMCI_ALIAS(NbPutS);
HLC_ARMCI_ALIAS(NbGetS);
HLC_ARMCI_ALIAS(NbAccS);
HLC_ARMCI_ALIAS(Put_flag);
HLC_ARMCI_ALIAS(PutS_flag);
HLC_ARMCI_ALIAS(PutS_flag_dir);

}  // extern "C"
