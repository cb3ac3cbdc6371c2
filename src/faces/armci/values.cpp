// Puts and gets of one number.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "faces/armci/handles.hpp"
#include "faces/armci/one_sided.hpp"
#include "faces/armci/profiling.hpp"

using namespace halocline::core::armci;

namespace {

struct Number {
  const char *call;
  void *remote;
  int proc;
};

int check(const Job &job, const Number &number) {
  const int code = check_proc(job, number.call, number.proc, FAIL5);
  return code != 0 ? code : check_address(job, number.call, "the remote address", number.remote);
}

/// The network copies so few bytes at once, so that a non-blocking put of a number has no local memory to wait for.
template <class T>
int put_value(const Number &number, T value, armci_hdl_t *handle = nullptr) {
  return enter(number.call, [&](Job &job) {
    if (const int code = check(job, number)) return code;
    Place place;
    if (const int code = find_place(job, number.call, {number.remote, number.proc, {0, sizeof value}}, &place)) return code;
    if (place.here) {
      std::memcpy(place.here, &value, sizeof value);
      return 0;
    }
    const Block block(sizeof value);
    put(job, {number.call, &value, number.remote, number.proc, block, Mode::nonblocking});
    note(job, handle, number.proc);
    return 0;
  });
}

/// There is no code to return: a wrong argument ends all processes.
template <class T>
T get_value(const Number &number) {
  return enter(number.call, [&](Job &job) {
    T value{};
    Place place;
    if (check(job, number) != 0 || find_place(job, number.call, {number.remote, number.proc, {0, sizeof value}}, &place) != 0)
      end_all_with("%s on rank %d: it has no code for a wrong argument", number.call, job.rank());
    if (place.here) {
      std::memcpy(&value, place.here, sizeof value);
      return value;
    }
    const Block block(sizeof value);
    get(job, {number.call, &value, number.remote, number.proc, block});
    return value;
  });
}

}  // namespace

extern "C" {

int PARMCI_PutValueInt(int src, void *dst, int proc) { return put_value({"ARMCI_PutValueInt", dst, proc}, src); }
int PARMCI_PutValueLong(long src, void *dst, int proc) { return put_value({"ARMCI_PutValueLong", dst, proc}, src); }
int PARMCI_PutValueFloat(float src, void *dst, int proc) { return put_value({"ARMCI_PutValueFloat", dst, proc}, src); }
int PARMCI_PutValueDouble(double src, void *dst, int proc) { return put_value({"ARMCI_PutValueDouble", dst, proc}, src); }

int PARMCI_NbPutValueInt(int src, void *dst, int proc, armci_hdl_t *hdl) { return put_value({"ARMCI_NbPutValueInt", dst, proc}, src, hdl); }
int PARMCI_NbPutValueLong(long src, void *dst, int proc, armci_hdl_t *hdl) {
  return put_value({"ARMCI_NbPutValueLong", dst, proc}, src, hdl);
}
int PARMCI_NbPutValueFloat(float src, void *dst, int proc, armci_hdl_t *hdl) {
  return put_value({"ARMCI_NbPutValueFloat", dst, proc}, src, hdl);
}
int PARMCI_NbPutValueDouble(double src, void *dst, int proc, armci_hdl_t *hdl) {
  return put_value({"ARMCI_NbPutValueDouble", dst, proc}, src, hdl);
}

int PARMCI_GetValueInt(void *src, int proc) { return get_value<int>({"ARMCI_GetValueInt", src, proc}); }
long PARMCI_GetValueLong(void *src, int proc) { return get_value<long>({"ARMCI_GetValueLong", src, proc}); }
float PARMCI_GetValueFloat(void *src, int proc) { return get_value<float>({"ARMCI_GetValueFloat", src, proc}); }
double PARMCI_GetValueDouble(void *src, int proc) { return get_value<double>({"ARMCI_GetValueDouble", src, proc}); }

HLC_ARMCI_ALIAS(PutValueInt);
HLC_ARMCI_ALIAS(PutValueLong);
HLC_ARMCI_ALIAS(PutValueFloat);
HLC_ARMCI_ALIAS(PutValueDouble);
HLC_ARMCI_ALIAS(NbPutValueInt);
HLC_ARMCI_ALIAS(NbPutValueLong);
HLC_ARMCI_ALIAS(NbPutValueFloat);
HLC_ARMCI_ALIAS(NbPutValueDouble);
HLC_ARMCI_ALIAS(GetValueInt);
HLC_ARMCI_ALIAS(GetValueLong);
HLC_ARMCI_ALIAS(GetValueFloat);
HLC_ARMCI_ALIAS(GetValueDouble);

}  // extern "C"
