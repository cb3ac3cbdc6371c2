// Operations on lists of segments.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/armci/handles.hpp"
#include "faces/armci/one_sided.hpp"
#include "faces/armci/profiling.hpp"

using namespace halocline::core::armci;

namespace {

struct Vector {
  const char *call;
  armci_giov_t *iov;
  int count;
  int proc;
  armci_hdl_t *handle = nullptr;
  Mode mode = Mode::blocking;
};

int check_segments(const Job &job, const Vector &vector, const armci_giov_t &list) {
  if (list.ptr_array_len < 0)
    return refuse(FAIL4, "%s on rank %d: ptr_array_len is %d but must be 0 or more", vector.call, job.rank(), list.ptr_array_len);
  if (list.bytes < 0) return refuse(FAIL3, "%s on rank %d: bytes is %d but must be 0 or more", vector.call, job.rank(), list.bytes);
  if (list.ptr_array_len == 0 || list.bytes == 0) return 0;
  if (!list.src_ptr_array || !list.dst_ptr_array)
    return refuse(FAIL2, "%s on rank %d: an array of addresses is NULL", vector.call, job.rank());
  for (int i = 0; i < list.ptr_array_len; ++i)
    if (!list.src_ptr_array[i] || !list.dst_ptr_array[i])
      return refuse(FAIL2, "%s on rank %d: the address of segment %d is NULL", vector.call, job.rank(), i);
  return 0;
}

int check(const Job &job, const Vector &vector) {
  if (vector.count < 0) return refuse(FAIL, "%s on rank %d: iov_len is %d but must be 0 or more", vector.call, job.rank(), vector.count);
  if (const int code = check_proc(job, vector.call, vector.proc, FAIL5)) return code;
  if (vector.count > 0 && !vector.iov) return refuse(FAIL, "%s on rank %d: iov is NULL", vector.call, job.rank());
  for (int i = 0; i < vector.count; ++i)
    if (const int code = check_segments(job, vector, vector.iov[i])) return code;
  return 0;
}

/// All operations of a list are begun before the first is waited for, up to the first that is refused. `reads`: the local addresses are those
/// that are written.
template <class Move>
int run(const Vector &vector, bool reads, Move move) {
  return enter(vector.call, [&](Job &job) {
    if (const int code = check(job, vector)) return code;
    int refused = 0;
    for (int i = 0; i < vector.count && refused == 0; ++i) {
      const armci_giov_t &list = vector.iov[i];
      if (list.bytes == 0) continue;
      void **const local = reads ? list.dst_ptr_array : list.src_ptr_array,
                   **const remote = reads ? list.src_ptr_array : list.dst_ptr_array;
      const Block block(list.bytes);
      for (int j = 0; j < list.ptr_array_len && refused == 0; ++j)
        refused = move(job, OneSided{vector.call, local[j], remote[j], vector.proc, block, Mode::nonblocking});
    }
    if (vector.mode == Mode::blocking) complete_local(job, vector.call, vector.proc);
    note(job, vector.handle, vector.proc);
    return refused;
  });
}

int accumulate_all(const Vector &vector, const Scaled &scaled) {
  const int checked = enter(vector.call, [&](const Job &job) {
    if (const int code = check(job, vector)) return code;
    for (int i = 0; i < vector.count; ++i)
      if (const int code = check_accumulate(job, vector.call, scaled, vector.iov[i].bytes)) return code;
    return 0;
  });
  return checked != 0 ? checked : run(vector, false, [&](Job &job, const OneSided &access) { return accumulate(job, access, scaled); });
}

}  // namespace

extern "C" {

int PARMCI_PutV(armci_giov_t *iov, int iov_len, int proc) { return run({"ARMCI_PutV", iov, iov_len, proc}, false, put); }

int PARMCI_GetV(armci_giov_t *iov, int iov_len, int proc) { return run({"ARMCI_GetV", iov, iov_len, proc}, true, get); }

int PARMCI_AccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc) {
  return accumulate_all({"ARMCI_AccV", iov, iov_len, proc}, {datatype, scale});
}

int PARMCI_NbPutV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl) {
  return run({"ARMCI_NbPutV", iov, iov_len, proc, hdl, Mode::nonblocking}, false, put);
}

int PARMCI_NbGetV(armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl) {
  return run({"ARMCI_NbGetV", iov, iov_len, proc, hdl, Mode::nonblocking}, true, get);
}

int PARMCI_NbAccV(int datatype, void *scale, armci_giov_t *iov, int iov_len, int proc, armci_hdl_t *hdl) {
  return accumulate_all({"ARMCI_NbAccV", iov, iov_len, proc, hdl, Mode::nonblocking}, {datatype, scale});
}

HLC_ARMCI_ALIAS(PutV);
HLC_ARMCI_ALIAS(GetV);
HLC_ARMCI_ALIAS(AccV);
HLC_ARMCI_ALIAS(NbPutV);
HLC_ARMCI_ALIAS(NbGetV);
HLC_ARMCI_ALIAS(NbAccV);

}  // extern "C"
