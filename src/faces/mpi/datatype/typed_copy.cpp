// Transfers between typed buffers: what may be combined, and the walk that applies copies and operations to it.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/datatype/typed_copy.hpp"

#include <algorithm>
#include <cstring>

#include "engine/elements/operations.hpp"
#include "faces/mpi/datatype/iterate.hpp"
#include "faces/mpi/datatype/single_element.hpp"

namespace halocline::mpi {
namespace {

char *bytes_of(const Buffer &buffer) { return static_cast<char *>(buffer.address); }
const char *bytes_of(const ConstBuffer &buffer) { return static_cast<const char *>(buffer.address); }

Side side_of(const ConstBuffer &buffer) { return Side{buffer.layout->elements(), buffer.count}; }

bool is_row(const ConstBuffer &buffer) { return buffer.layout->dense(); }
std::int64_t elements_of(const ConstBuffer &buffer) { return buffer.layout->basics() * buffer.count; }
bool is_single(const ConstBuffer &buffer) { return is_row(buffer) && elements_of(buffer) == 1; }

/// Integers of C and Fortran of one size are taken for one type, as by the MPIs.
bool matches(const Layout &target, const Layout &other) {
  return like_c(target.basic()) == like_c(other.basic()) || target.basic() == Basic::none || other.basic() == Basic::none;
}

/// Data of several basic types are moved as they are. The standard asks for one type, but the MPIs do that, and their own tests need it.
bool is_mixed(const Layout &layout) { return layout.basic() == Basic::mixed; }
bool moves(Operation op) { return op == Operation::replace || op == Operation::no_op; }

}  // namespace

void copy(const Buffer &to, const ConstBuffer &from) {
  char *const target = bytes_of(to);
  const char *const origin = bytes_of(from);
  if (to.layout->contiguous() && from.layout->contiguous()) {
    const std::int64_t bytes = std::min(to.layout->bytes() * to.count, from.layout->bytes() * from.count);
    if (bytes > 0) std::memcpy(target, origin, static_cast<std::size_t>(bytes));
    return;
  }
  std::array<Side, 2> sides{Side{to.layout->steps(), to.count}, Side{from.layout->steps(), from.count}};
  walk<2>(sides, [&](const Part<2> &part) {
    copy_strided({target + part.offset[0], origin + part.offset[1], part.stride[0], part.stride[1]}, part.bytes, part.count);
  });
}

int check_accumulate(Operation op, const Layout &target, const Layout &origin) {
  if (is_frequent(op) && is_frequent(target.basic()) && target.basic() == origin.basic()) return MPI_SUCCESS;
  if (op >= Operation::count_) return MPI_ERR_OP;
  if (target.basic() == Basic::none) return MPI_SUCCESS;
  if (is_mixed(target) && moves(op)) return op == Operation::no_op || matches(target, origin) ? MPI_SUCCESS : MPI_ERR_TYPE;
  if (!is_element(target.basic()) || (op != Operation::no_op && !matches(target, origin))) return MPI_ERR_TYPE;
  return is_defined(op, target.basic()) ? MPI_SUCCESS : MPI_ERR_OP;
}

bool have_same_type(const Layout &a, const Layout &b) { return is_mixed(a) || is_mixed(b) || matches(a, b); }

bool needs_lock(const Buffer &target) {
  const std::int64_t bytes = basic_bytes(target.layout->basic());
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(target.address));
  return bytes > longest_atomic() || target.layout->alignment() < bytes || (address & (bytes - 1)) != 0;
}

void accumulate(Accumulate how, const Buffer &target, const ConstBuffer &origin) {
  if (how.op == Operation::no_op) return;
  if (is_mixed(*target.layout)) return copy(target, origin);
  const Basic type = target.layout->basic();
  if (how.access == Access::exclusive && is_single(target) && is_single(origin) &&
      change_single(how.op, type, {target.address, origin.address, nullptr}))
    return;
  const Applier applier(how, type);
  if (is_row(target) && is_row(origin)) {
    const std::int64_t bytes = applier.element_bytes(), count = std::min(elements_of(target), elements_of(origin));
    return applier.apply({bytes_of(target), bytes_of(origin), nullptr, bytes, bytes, 0, count});
  }
  std::array<Side, 2> sides{side_of(target), side_of(origin)};
  walk<2>(sides, [&](const Part<2> &part) {
    applier.apply_runs(part.bytes, {bytes_of(target) + part.offset[0], bytes_of(origin) + part.offset[1], nullptr, part.stride[0],
                                    part.stride[1], 0, part.count});
  });
}

/// For no_op the target takes the place of the origin, which then has the same elements and is not looked at.
void get_accumulate(Accumulate how, const Buffer &target, const ConstBuffer &origin, const Buffer &result) {
  if (is_mixed(*target.layout)) {
    copy(result, target);
    if (how.op == Operation::replace) copy(target, origin);
    return;
  }
  const ConstBuffer given = how.op == Operation::no_op ? ConstBuffer(target) : origin;
  const Basic type = target.layout->basic();
  if (how.access == Access::exclusive && is_single(target) && is_single(given) && is_single(result) &&
      change_single(how.op, type, {target.address, given.address, result.address}))
    return;
  const Applier applier(how, type);
  if (is_row(target) && is_row(given) && is_row(result)) {
    const std::int64_t bytes = applier.element_bytes(), count = std::min({elements_of(target), elements_of(given), elements_of(result)});
    return applier.apply({bytes_of(target), bytes_of(given), bytes_of(result), bytes, bytes, bytes, count});
  }
  std::array<Side, 3> sides{side_of(target), side_of(given), side_of(result)};
  walk<3>(sides, [&](const Part<3> &part) {
    applier.apply_runs(part.bytes, {bytes_of(target) + part.offset[0], bytes_of(given) + part.offset[1], bytes_of(result) + part.offset[2],
                                    part.stride[0], part.stride[1], part.stride[2], part.count});
  });
}

void fetch_and_op(Accumulate how, const Layout &type, void *target, const Fetch &values) {
  if (how.access == Access::exclusive && change_single(how.op, type.basic(), {target, values.origin, values.result})) return;
  const auto *origin = static_cast<const char *>(how.op == Operation::no_op ? target : values.origin);
  Applier(how, type.basic()).apply({static_cast<char *>(target), origin, static_cast<char *>(values.result), 0, 0, 0, 1});
}

void accumulate_row(Accumulate how, Basic type, void *target, const void *origin, std::int64_t elements) {
  const Applier applier(how, type);
  const std::int64_t bytes = applier.element_bytes();
  applier.apply({static_cast<char *>(target), static_cast<const char *>(origin), nullptr, bytes, bytes, 0, elements});
}

bool can_swap(const Layout &type) {
  const Basic basic = type.basic();
  const bool kind = basic == Basic::byte || is_c_integer(basic) || is_fortran_integer(basic) || is_logical(basic);
  return kind && type.contiguous() && type.basics() == 1;
}

void compare_and_swap(Access access, const Layout &type, void *target, const Swap &values) {
  swap_element(access, basic_bytes(type.basic()), target, values);
}

}  // namespace halocline::mpi
