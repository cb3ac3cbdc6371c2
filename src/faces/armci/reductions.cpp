// Global operations and selections: on a node through rings, elsewhere over MPI.
// SPDX-License-Identifier: BSD-3-Clause
#include <message.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "faces/armci/node_collectives.hpp"
#include "faces/armci/scopes.hpp"

using namespace halocline::core::armci;

namespace {

using Text = std::string_view;

constexpr const char *kSelect = "armci_msg_sel_scope";

/// A global operation: how MPI does it, and whether it takes absolute values first.
struct Operation {
  MPI_Op op;
  bool of_absolute;
};

MPI_Datatype datatype_of(const Job &job, const char *call, int type) {
  switch (type) {
    case ARMCI_INT: return MPI_INT;
    case ARMCI_LONG: return MPI_LONG;
    case ARMCI_LONG_LONG: return MPI_LONG_LONG;
    case ARMCI_FLOAT: return MPI_FLOAT;
    case ARMCI_DOUBLE: return MPI_DOUBLE;
    default: end_all_with("%s on rank %d: type is %d but must be one of ARMCI_INT to ARMCI_DOUBLE", call, job.rank(), type);
  }
}

bool is_integer(int type) { return type == ARMCI_INT || type == ARMCI_LONG || type == ARMCI_LONG_LONG; }

Operation operation_of(const Job &job, const char *call, Text op, int type) {
  if (op == "+") return {MPI_SUM, false};
  if (op == "*") return {MPI_PROD, false};
  if (op == "max") return {MPI_MAX, false};
  if (op == "min") return {MPI_MIN, false};
  if (op == "absmax") return {MPI_MAX, true};
  if (op == "absmin") return {MPI_MIN, true};
  if (is_integer(type)) {
    if (op == "or" || op == "bor" || op == "|") return {MPI_BOR, false};
    if (op == "band" || op == "&") return {MPI_BAND, false};
    if (op == "lor" || op == "||") return {MPI_LOR, false};
    if (op == "land" || op == "&&") return {MPI_LAND, false};
  }
  end_all_with(
      "%s on rank %d: op is '%.*s', type %d, but must be +, *, max, min, absmax or absmin, for integers also or, bor, band, lor, land",
      call, job.rank(), static_cast<int>(op.size()), op.data(), type);
}

template <class T>
void make_absolute(void *numbers, int count) {
  auto *const first = static_cast<T *>(numbers);
  std::transform(first, first + count, first, [](T value) { return static_cast<T>(std::abs(value)); });
}

void make_absolute(int type, void *numbers, int count) {
  switch (type) {
    case ARMCI_INT: return make_absolute<int>(numbers, count);
    case ARMCI_LONG: return make_absolute<long>(numbers, count);
    case ARMCI_LONG_LONG: return make_absolute<long long>(numbers, count);
    case ARMCI_FLOAT: return make_absolute<float>(numbers, count);
    default: return make_absolute<double>(numbers, count);
  }
}

struct Numbers {
  void *data;
  int count;
  const char *op;
  int type;
};

void check(const Job &job, const char *call, const Numbers &numbers) {
  if (numbers.count < 0) end_all_with("%s on rank %d: n is %d but must be 0 or more", call, job.rank(), numbers.count);
  if (!numbers.op || (numbers.count > 0 && !numbers.data)) end_all_with("%s on rank %d: an argument is NULL", call, job.rank());
}

/// `root`: which rank gets the result; -1: all.
void reduce(const char *call, int scope, const ARMCI_Group *named, const Numbers &numbers, int root = -1) {
  enter(call, [&](Job &job) {
    check(job, call, numbers);
    const MPI_Datatype type = datatype_of(job, call, numbers.type);
    const Operation operation = operation_of(job, call, numbers.op, numbers.type);
    const ARMCI_Group &group = named ? *named : job.world;
    int size = 0;
    MPI_Type_size(type, &size);
    if (is_by_rings(job, scope, group, std::int64_t{size} * numbers.count)) {
      if (operation.of_absolute) make_absolute(numbers.type, numbers.data, numbers.count);
      return reduce_by_rings({job, call, scope}, {numbers.data, numbers.count, size, type, operation.op}, root >= 0);
    }
    const ScopeComm comm(job, call, scope, group);
    if (!comm.is_member() || numbers.count == 0) return;
    if (operation.of_absolute) make_absolute(numbers.type, numbers.data, numbers.count);
    int rank = 0;
    MPI_Comm_rank(comm.get(), &rank);
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = root < 0 ? MPI_Iallreduce(MPI_IN_PLACE, numbers.data, numbers.count, type, operation.op, comm.get(), &request)
                              : MPI_Ireduce(rank == root ? MPI_IN_PLACE : numbers.data, rank == root ? numbers.data : nullptr,
                                            numbers.count, type, operation.op, root, comm.get(), &request);
    settle_mpi(code, "MPI_Iallreduce");
    await_mpi(job, call, request);
  });
}

void reduce_in_group(const char *call, const ARMCI_Group *group, const Numbers &numbers, int scope = SCOPE_ALL) {
  enter(call, [&](const Job &job) { check_member(job, call, group); });
  reduce(call, scope, group, numbers);
}

void reduce_on_node(const char *call, const Numbers &numbers) { reduce(call, SCOPE_NODE, nullptr, numbers); }

template <class T>
T first_of(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

Candidate candidate(int rank, int type, const void *data) {
  Candidate mine;
  mine.rank = rank;
  switch (type) {
    case ARMCI_INT: mine.integer = first_of<int>(data); break;
    case ARMCI_LONG: mine.integer = first_of<long>(data); break;
    case ARMCI_LONG_LONG: mine.integer = first_of<long long>(data); break;
    case ARMCI_FLOAT: mine.real = static_cast<double>(first_of<float>(data)); break;
    default: mine.real = first_of<double>(data); break;
  }
  return mine;
}

/// A selection: the rank with the greatest or the least first number gives all its bytes.
struct Selection {
  void *data;
  int bytes;
  bool greatest;
};

void select_by_mpi(Job &job, MPI_Comm comm, const Selection &selection, const Candidate &mine) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<Candidate> all(static_cast<std::size_t>(size));
  MPI_Request request = MPI_REQUEST_NULL;
  settle_mpi(MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm, &request), "MPI_Iallgather");
  await_mpi(job, kSelect, request);
  Candidate best;
  for (const Candidate &next : all)
    if (is_better(next, best, selection.greatest)) best = next;
  if (best.rank < 0) return;
  settle_mpi(MPI_Ibcast(selection.data, selection.bytes, MPI_BYTE, best.rank, comm, &request), "MPI_Ibcast");
  await_mpi(job, kSelect, request);
}

}  // namespace

extern "C" {

void armci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute) {
  enter(kSelect, [&](Job &job) {
    check(job, kSelect, {x, n, op, type});
    const bool greatest = Text(op) == "max";
    if (!greatest && Text(op) != "min") end_all_with("%s on rank %d: op is '%s' but must be min or max", kSelect, job.rank(), op);
    static_cast<void>(datatype_of(job, kSelect, type));
    const auto mine = [&](int rank) { return contribute != 0 ? candidate(rank, type, x) : Candidate(); };
    if (is_by_rings(job, scope, job.world, n)) {
      const NodeCall call{job, kSelect, scope};
      const Candidate best = select_by_rings(call, mine(job.context.member()), greatest);
      return best.rank < 0 ? void() : broadcast_by_rings(call, x, n, best.rank);
    }
    const ScopeComm comm(job, kSelect, scope, job.world);
    if (comm.is_member()) select_by_mpi(job, comm.get(), {x, n, greatest}, mine(comm.rank_of(job, kSelect, job.rank())));
  });
}

void armci_msg_sel(void *x, int n, char *op, int type, int contribute) { armci_msg_sel_scope(SCOPE_ALL, x, n, op, type, contribute); }

void armci_msg_reduce_scope(int scope, void *x, int n, char *op, int type) {
  reduce("armci_msg_reduce_scope", scope, nullptr, {x, n, op, type}, 0);
}
void armci_msg_reduce(void *x, int n, char *op, int type) { reduce("armci_msg_reduce", SCOPE_ALL, nullptr, {x, n, op, type}, 0); }

void armci_msg_gop_scope(int scope, void *x, int n, char *op, int type) { reduce("armci_msg_gop_scope", scope, nullptr, {x, n, op, type}); }
void armci_msg_igop(int *x, int n, char *op) { reduce("armci_msg_igop", SCOPE_ALL, nullptr, {x, n, op, ARMCI_INT}); }
void armci_msg_lgop(long *x, int n, char *op) { reduce("armci_msg_lgop", SCOPE_ALL, nullptr, {x, n, op, ARMCI_LONG}); }
void armci_msg_llgop(long long *x, int n, char *op) { reduce("armci_msg_llgop", SCOPE_ALL, nullptr, {x, n, op, ARMCI_LONG_LONG}); }
void armci_msg_fgop(float *x, int n, char *op) { reduce("armci_msg_fgop", SCOPE_ALL, nullptr, {x, n, op, ARMCI_FLOAT}); }
void armci_msg_dgop(double *x, int n, char *op) { reduce("armci_msg_dgop", SCOPE_ALL, nullptr, {x, n, op, ARMCI_DOUBLE}); }

void armci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type, ARMCI_Group *group) {
  reduce_in_group("armci_msg_group_gop_scope", group, {x, n, op, type}, scope);
}
void armci_msg_group_igop(int *x, int n, char *op, ARMCI_Group *group) {
  reduce_in_group("armci_msg_group_igop", group, {x, n, op, ARMCI_INT});
}
void armci_msg_group_lgop(long *x, int n, char *op, ARMCI_Group *group) {
  reduce_in_group("armci_msg_group_lgop", group, {x, n, op, ARMCI_LONG});
}
void armci_msg_group_llgop(long long *x, int n, char *op, ARMCI_Group *group) {
  reduce_in_group("armci_msg_group_llgop", group, {x, n, op, ARMCI_LONG_LONG});
}
void armci_msg_group_fgop(float *x, int n, char *op, ARMCI_Group *group) {
  reduce_in_group("armci_msg_group_fgop", group, {x, n, op, ARMCI_FLOAT});
}
void armci_msg_group_dgop(double *x, int n, char *op, ARMCI_Group *group) {
  reduce_in_group("armci_msg_group_dgop", group, {x, n, op, ARMCI_DOUBLE});
}

void armci_msg_clus_igop(int *x, int n, char *op) { reduce_on_node("armci_msg_clus_igop", {x, n, op, ARMCI_INT}); }
void armci_msg_clus_lgop(long *x, int n, char *op) { reduce_on_node("armci_msg_clus_lgop", {x, n, op, ARMCI_LONG}); }
void armci_msg_clus_llgop(long long *x, int n, char *op) { reduce_on_node("armci_msg_clus_llgop", {x, n, op, ARMCI_LONG_LONG}); }
void armci_msg_clus_fgop(float *x, int n, char *op) { reduce_on_node("armci_msg_clus_fgop", {x, n, op, ARMCI_FLOAT}); }
void armci_msg_clus_dgop(double *x, int n, char *op) { reduce_on_node("armci_msg_clus_dgop", {x, n, op, ARMCI_DOUBLE}); }

void armci_exchange_address(void *ptr_ar[], int n) { reduce("armci_exchange_address", SCOPE_ALL, nullptr, {ptr_ar, n, "or", ARMCI_LONG}); }
void armci_exchange_address_grp(void *ptr_arr[], int n, ARMCI_Group *group) {
  reduce_in_group("armci_exchange_address_grp", group, {ptr_arr, n, "or", ARMCI_LONG});
}

}  // extern "C"
