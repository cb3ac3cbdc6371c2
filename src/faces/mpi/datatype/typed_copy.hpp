// Transfers between typed buffers: copies, and the operations of accumulates. The windows call these; each looks its datatypes up once.
//
//   const Layout *mine = layout_of(origin_datatype), *theirs = layout_of(target_datatype);
//   if (!mine || !theirs) return MPI_ERR_TYPE;
//   if (!inside(theirs->reach(target_count))) return MPI_ERR_RMA_RANGE;
//   copy({target_address, theirs, target_count}, {origin_address, mine, origin_count});
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

#include "faces/mpi/datatype/elements.hpp"
#include "faces/mpi/datatype/flatten.hpp"

namespace halocline::mpi {

/// The layout of a datatype, flattened at the first call and kept until the datatype is freed. Null for an invalid datatype: MPI_ERR_TYPE.
/// What outlives the datatype keeps it by layout->shared_from_this(). Any thread may call, once MPI is initialised.
const Layout *layout_of(MPI_Datatype type);

/// The layout of an element of that type; null if no named type has it.
const Layout *layout_of(Basic element);

/// `count` elements of a datatype at an address, as the arguments of MPI calls have them.
struct Buffer {
  void *address;
  const Layout *layout;
  std::int64_t count;
};
struct ConstBuffer {
  ConstBuffer(const void *at, const Layout *of, std::int64_t elements) : address(at), layout(of), count(elements) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a buffer is read where it may be written
  ConstBuffer(const Buffer &buffer) : address(buffer.address), layout(buffer.layout), count(buffer.count) {}
  const void *address;
  const Layout *layout;
  std::int64_t count;
};

/// True if both have as many bytes of data. Otherwise the datatypes of a put or get do not match.
inline bool same_bytes(const ConstBuffer &a, const ConstBuffer &b) { return a.layout->bytes() * a.count == b.layout->bytes() * b.count; }

/// Copies the data, in the order of the type maps; as many bytes as the shorter one has. The buffers do not overlap, unless they are the same.
void copy(const Buffer &to, const ConstBuffer &from);

/// Operation::none for other operations: MPI_ERR_OP.
Operation operation_of(MPI_Op op);

/// MPI_SUCCESS; MPI_ERR_OP if the operation is invalid, or not defined for the type. MPI_ERR_TYPE if the target is of several basic types, or
/// the origin of others; but several may be replaced and read. For no_op the origin does not matter. get_accumulate asks the same of
/// (result, target) with no_op.
int check_accumulate(Operation op, const Layout &target, const Layout &origin);

/// Whether both have elements of one basic type, as accumulates want it. What has none, or several, is not compared.
bool have_same_type(const Layout &a, const Layout &b);

/// True if the processor cannot change each element of the target atomically: the elements are longer than it can, or not aligned. An
/// Access::atomic operation then has to be done under a lock that all such operations on the target take. Those elements that it can change
/// are changed atomically under the lock as well, so that operations without lock may reach them meanwhile.
bool needs_lock(const Buffer &target);

/// target = target op origin, element by element, after check_accumulate. As many elements as the shorter one has.
void accumulate(Accumulate how, const Buffer &target, const ConstBuffer &origin);

/// The same, and the result gets what the target was before. For no_op the origin is not looked at: it may be {nullptr, nullptr, 0}.
void get_accumulate(Accumulate how, const Buffer &target, const ConstBuffer &origin, const Buffer &result);

/// MPI_Fetch_and_op: one element of a predefined type, after check_accumulate(op, type, type). Without `origin` for no_op.
struct Fetch {
  const void *origin;
  void *result;
};
void fetch_and_op(Accumulate how, const Layout &type, void *target, const Fetch &values);

/// Combines elements one behind the other. Requires is_defined.
void accumulate_row(Accumulate how, Basic type, void *target, const void *origin, std::int64_t elements);

/// True for the types of MPI_Compare_and_swap: integers, logicals, bytes and multi-language types, predefined.
bool can_swap(const Layout &type);

/// MPI_Compare_and_swap, after can_swap. If needs_lock, under the lock.
void compare_and_swap(Access access, const Layout &type, void *target, const Swap &values);

}  // namespace halocline::mpi
