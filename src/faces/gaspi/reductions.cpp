// GASPI 17.1, sections 11.3 and 11.4: reductions.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <vector>

#include "faces/gaspi/job.hpp"
#include "faces/gaspi/profiling.hpp"

using namespace halocline::core::gaspi;
using halocline::core::Group;
using halocline::core::SmallReduction;
using halocline::core::Status;

namespace {

constexpr const char *kCall = "gaspi_allreduce";

/// A predefined reduction.
struct Arithmetic {
  gaspi_operation_t operation;
  gaspi_datatype_t type;
  gaspi_number_t num;
};

/// Calls work with a value of the C type.
template <class Work>
void with_type(gaspi_datatype_t type, Work work) {
  switch (type) {
    case GASPI_TYPE_INT: return work(int{});
    case GASPI_TYPE_UINT: return work(unsigned{});
    case GASPI_TYPE_FLOAT: return work(float{});
    case GASPI_TYPE_DOUBLE: return work(double{});
    case GASPI_TYPE_LONG: return work(long{});
    case GASPI_TYPE_ULONG: return work(0ul);
  }
}

std::int64_t bytes_of(gaspi_datatype_t type) {
  std::int64_t bytes = 0;
  with_type(type, [&](auto kind) { bytes = sizeof kind; });
  return bytes;
}

/// Signed integers wrap around, as those of the engine do.
template <class T>
T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
  else
    return a + b;
}

template <class T>
T apply(gaspi_operation_t operation, T a, T b) {
  if (operation == GASPI_OP_SUM) return sum(a, b);
  return (operation == GASPI_OP_MIN) == (b < a) ? b : a;
}

Status compute(const void *what, void *value, const void *other) {
  const auto &arithmetic = *static_cast<const Arithmetic *>(what);
  with_type(arithmetic.type, [&](auto kind) {
    using Number = decltype(kind);
    for (gaspi_number_t i = 0; i < arithmetic.num; ++i) {
      Number a, b;
      std::memcpy(&a, static_cast<char *>(value) + i * sizeof a, sizeof a);
      std::memcpy(&b, static_cast<const char *>(other) + i * sizeof b, sizeof b);
      a = apply(arithmetic.operation, a, b);
      std::memcpy(static_cast<char *>(value) + i * sizeof a, &a, sizeof a);
    }
  });
  return Status::ok;
}

/// A reduction that the program defines.
struct Own {
  gaspi_reduce_operation_t operation;
  gaspi_reduce_state_t state;
  gaspi_number_t num;
  gaspi_size_t element_size;
  std::vector<char> *result;
};

/// Calls the program's operation with memory for the result that is neither operand.
Status call_program(const void *what, void *value, const void *other) {
  const auto &own = *static_cast<const Own *>(what);
  std::vector<char> &result = *own.result;
  const gaspi_return_t code =
      own.operation(value, const_cast<void *>(other), result.data(), own.state, own.num, own.element_size, GASPI_BLOCK);
  if (code == GASPI_TIMEOUT) return Status::again;
  if (code != GASPI_SUCCESS) return halocline::core::fail(Status::argument, "gaspi_allreduce_user: the user operation returned %d", code);
  std::memcpy(value, result.data(), own.num * own.element_size);
  return Status::ok;
}

gaspi_return_t reduce(Job &job, gaspi_group_t handle, const SmallReduction &reduction, gaspi_timeout_t timeout_ms) {
  if (!reduction.operand || !reduction.result) return GASPI_ERR_NULLPTR;
  if (handle >= job.config.group_max || job.groups[handle].stage() != Group::Stage::committed) return GASPI_ERR_INV_GROUP;
  Group &group = job.groups[handle];
  if (group.is_busy(Group::Call::reduction)) return GASPI_ERR_ACTIVE_COLL;
  return until(job, kCall, timeout_ms, [&] { return group.reduce(job.group_resources, reduction); });
}

}  // namespace

extern "C" {
// NOLINTBEGIN(readability-function-size): the signatures are the specification's

gaspi_return_t pgaspi_allreduce(gaspi_const_pointer_t buffer_send, gaspi_pointer_t buffer_receive, gaspi_number_t num,
                                gaspi_operation_t operation, gaspi_datatype_t datatype, gaspi_group_t group, gaspi_timeout_t timeout_ms) {
  return enter([&](Job &job) {
    if (num == 0 || num > job.config.allreduce_elem_max) return GASPI_ERR_INV_NUM;
    if (operation > GASPI_OP_SUM || bytes_of(datatype) == 0) {
      static_cast<void>(halocline::core::fail(Status::argument, "%s: invalid operation %d or type %d", kCall, operation, datatype));
      return GASPI_ERROR;
    }
    const Arithmetic arithmetic{operation, datatype, num};
    return reduce(job, group, {buffer_send, buffer_receive, num * bytes_of(datatype), compute, &arithmetic}, timeout_ms);
  });
}

gaspi_return_t pgaspi_allreduce_user(gaspi_const_pointer_t buffer_send, gaspi_pointer_t buffer_receive, gaspi_number_t num,
                                     gaspi_size_t element_size, gaspi_reduce_operation_t reduce_operation,
                                     gaspi_reduce_state_t reduce_state, gaspi_group_t group, gaspi_timeout_t timeout_ms) {
  return enter([&](Job &job) {
    if (!reduce_operation) return GASPI_ERR_NULLPTR;
    if (num == 0) return GASPI_ERR_INV_NUM;
    if (element_size == 0 || element_size > job.config.allreduce_buf_size / num) return GASPI_ERR_INV_SIZE;
    std::vector<char> result(num * element_size);
    const Own own{reduce_operation, reduce_state, num, element_size, &result};
    const auto bytes = static_cast<std::int64_t>(result.size());
    return reduce(job, group, {buffer_send, buffer_receive, bytes, call_program, &own}, timeout_ms);
  });
}

// NOLINTEND(readability-function-size)

gaspi_return_t pgaspi_allreduce_buf_size(gaspi_size_t *buf_size) {
  return get(buf_size, [](const Job &job) { return job.config.allreduce_buf_size; });
}
gaspi_return_t pgaspi_allreduce_elem_max(gaspi_number_t *elem_max) {
  return get(elem_max, [](const Job &job) { return job.config.allreduce_elem_max; });
}

HLC_WEAK_ALIAS(allreduce);
HLC_WEAK_ALIAS(allreduce_user);
HLC_WEAK_ALIAS(allreduce_buf_size);
HLC_WEAK_ALIAS(allreduce_elem_max);

}  // extern "C"
