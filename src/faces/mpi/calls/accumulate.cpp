// Accumulate, get_accumulate, fetch_and_op, compare_and_swap. On one node all take a lock of the target. So long ones are loops that the
// compiler vectorises; an atomic instruction per element takes many times as long. In windows of several nodes the engine changes short elements
// of other nodes. Ranks of the target's node change theirs so that both are atomic with each other (Numbers).
// SPDX-License-Identifier: BSD-3-Clause
#include <exception>
#include <initializer_list>
#include <optional>

#include "engine/network/request_engine.hpp"
#include "faces/mpi/access/remote.hpp"
#include "faces/mpi/access/unmapped_copy.hpp"
#include "faces/mpi/calls/accesses.hpp"
#include "faces/mpi/calls/requests.hpp"
#include "faces/mpi/check/checker.hpp"
#include "faces/mpi/datatype/single_element.hpp"
#include "faces/mpi/interpose/error_text.hpp"
#include "faces/mpi/interpose/host_table.hpp"
#include "faces/mpi/sync/locks.hpp"

namespace halocline::core::mpi {
namespace {

using typed::Operation;

using typed::Access;

/// The longest element that the engine's atomics change.
constexpr std::int64_t kLongestAtomic = 8;

/// The lock of a target's accumulates, unless this rank has locked the target exclusively.
class HeldLock {
 public:
  HeldLock(Window &window, int target) : window_(window), target_(target), is_taken_(!window.epochs.excludes_others(target)) {
    if (is_taken_) code_ = code_of(lock_accumulates(window, target));
  }
  HeldLock(const HeldLock &) = delete;
  HeldLock &operator=(const HeldLock &) = delete;
  ~HeldLock() {
    // A rank that cannot be reached is reported by the next flush.
    if (is_taken_ && code_ == MPI_SUCCESS) static_cast<void>(unlock_accumulates(window_, target_));
  }
  /// MPI_SUCCESS if the lock was taken.
  int code() const { return code_; }
  /// Before the target is read. What is stored then, and the release of the lock, are like a put for later reads.
  void order_reads() const {
    if (is_taken_)
      order_reads_under_lock();
    else
      core::mpi::order_reads();
    put_order.has_put = true;
  }

 private:
  Window &window_;
  int target_, code_ = MPI_SUCCESS;
  bool is_taken_;
};

/// Stops the owner's service thread from applying remote atomics to user-provided memory.
class HeldNumbers {
 public:
  HeldNumbers(Window &window, int target)
      : lock_(window.comm->lock_in(window.memory.words(target).numbers)),
        code_(code_of(window.await([this] { return lock_.try_lock(); }))) {}
  HeldNumbers(const HeldNumbers &) = delete;
  HeldNumbers &operator=(const HeldNumbers &) = delete;
  ~HeldNumbers() {
    if (code_ == MPI_SUCCESS) lock_.unlock();
  }
  int code() const { return code_; }

 private:
  NodeLock lock_;
  int code_;
};

/// Calls work(access, buffer) for a copy of the target's data, which is written back if `changes`.
template <class Work>
int update_copy(Window &window, const ResolvedTarget &resolved, bool changes, Work work) try {
  Image image(window, resolved);
  if (const int code = image.read()) return code;
  work(Access::exclusive, image.buffer());
  return changes ? image.write() : MPI_SUCCESS;
} catch (const std::exception &) {
  return MPI_ERR_NO_MEM;
}

bool is_short(const ResolvedTarget &resolved) {
  const typed::Basic type = resolved.layout->basic();
  return typed::is_element(type) && typed::basic_bytes(type) <= kLongestAtomic;
}

/// True if an operation needs the target's lock beside the atomics. Aligned is what the engine takes for it, counted from the window's begin.
bool needs_lock(const ResolvedTarget &resolved) { return !is_short(resolved) || typed::needs_lock(resolved.from_begin()); }

/// Calls work() under the target's lock if that is needed.
template <class Work>
int lock_if(bool needed, Window &window, int target, Work work) {
  std::optional<HeldLock> lock;
  if (needed) lock.emplace(window, target);
  return lock && lock->code() != MPI_SUCCESS ? lock->code() : work();
}

/// On several nodes, if no other rank is on this one: accumulates of other nodes then need no atomic instructions, but this lock.
std::unique_lock<OptionalMutex> pause_request_service_if_alone(CommContext &comm) {
  if (!comm.spans_nodes() || comm.context.members() > 1) return {};
  return comm.context.network().requests()->pause_request_service();
}

/// Calls work(access, buffer) for the target's data: where it is mapped, or for a copy.
template <class Work>
int update(Window &window, const ResolvedTarget &resolved, bool changes, Work work) {
  const bool by_atomics = window.memory.numbers() == Numbers::by_atomics && resolved.place.is_mapped;
  order_reads();
  if (changes) put_order.has_put = true;  // what is stored, and the release of the lock, may wait in the processor
  return lock_if(!by_atomics || needs_lock(resolved), window, resolved.rank, [&]() -> int {
    // Not while the target's lock is taken or released: that may need the progress of the queries.
    const auto alone = by_atomics ? pause_request_service_if_alone(*window.comm) : std::unique_lock<OptionalMutex>();
    std::optional<HeldNumbers> numbers;
    if (window.memory.numbers() == Numbers::by_owner && !resolved.place.is_far) numbers.emplace(window, resolved.rank);
    if (numbers && numbers->code() != MPI_SUCCESS) return numbers->code();
    if (!resolved.place.is_mapped) return update_copy(window, resolved, changes, work);
    work(by_atomics ? Access::atomic : Access::exclusive, resolved.buffer());
    return MPI_SUCCESS;
  });
}

/// True for elements of another node that are changed there. Those of dynamic windows are changed here, under the target's lock.
bool is_changed_far(const Window &window, const ResolvedTarget &resolved) {
  return resolved.place.is_far && window.memory.numbers() != Numbers::locked;
}

int change_far(Window &window, Operation operation, const ResolvedTarget &resolved, const typed::ConstBuffer &origin,
               const typed::Buffer *result) try {
  order_reads();
  return far::change(window, {operation, needs_lock(resolved)}, resolved, origin, result);
} catch (const std::exception &) {
  return MPI_ERR_NO_MEM;
}

/// check_accumulate, and as many elements on both sides.
int check_elements(Operation operation, const ResolvedTarget &target, const typed::Buffer &other) {
  if (const int code = typed::check_accumulate(operation, *target.layout, *other.layout)) return code;
  const std::int64_t there = target.layout->basics() * target.count, here = other.layout->basics() * other.count;
  return here == there ? MPI_SUCCESS
                       : refuse(MPI_ERR_TRUNCATE, "%lld origin elements, but %lld target elements", static_cast<long long>(here),
                                static_cast<long long>(there));
}

/// The result of an accumulate that fetches has the target's elements.
int check_result(const ResolvedTarget &target, const typed::Buffer &result) {
  if (!typed::have_same_type(*target.layout, *result.layout))
    return refuse(MPI_ERR_TYPE, "the result has another element type than the target");
  return check_elements(Operation::no_op, target, result);
}

/// Whether all of these are addresses of data.
int check_addresses(std::initializer_list<const void *> all) {
  for (const void *const address : all)
    if (!is_address(address)) return refuse(MPI_ERR_BUFFER, "invalid address %p of an element", address);
  return MPI_SUCCESS;
}

/// Finds one element in mapped memory whose changes all take the target's lock. False for all others, which update() handles.
bool find_plain_element(Window &window, const TargetBuffer &target, ResolvedTarget *resolved) {
  return window.memory.numbers() == Numbers::locked && resolve_plain_target(window, target, resolved) && resolved->count == 1 &&
         resolved->layout->basics() == 1;
}

/// A frequent change of a plain element, with few instructions. False if it has not been made.
bool change_plain(Window &window, MPI_Op op, const typed::Fetch &values, const TargetBuffer &target) {
  ResolvedTarget resolved;
  if (!find_plain_element(window, target, &resolved)) return false;
  const Operation operation = typed::operation_of(op);
  if (!typed::is_frequent(operation) || !typed::is_frequent(resolved.layout->basic())) return false;
  const HeldLock lock(window, resolved.rank);
  lock.order_reads();
  return lock.code() == MPI_SUCCESS &&
         typed::change_single(operation, resolved.layout->basic(), {resolved.mapped(), values.origin, values.result});
}

/// The same for frequent elements one behind the other.
bool change_plain_row(Window &window, MPI_Op op, const void *origin, const TargetBuffer &target) {
  ResolvedTarget resolved;
  if (window.memory.numbers() != Numbers::locked || !resolve_plain_target(window, target, &resolved)) return false;
  const Operation operation = typed::operation_of(op);
  const typed::Basic type = resolved.layout->basic();
  if (!typed::is_frequent(operation) || !typed::is_frequent(type) || !resolved.layout->dense()) return false;
  const HeldLock lock(window, resolved.rank);
  if (lock.code() != MPI_SUCCESS) return false;
  lock.order_reads();
  typed::accumulate_row({operation, Access::exclusive}, type, resolved.mapped(), origin, resolved.layout->basics() * resolved.count);
  return true;
}

bool swap_plain(Window &window, const typed::Swap &values, const TargetBuffer &target) {
  ResolvedTarget resolved;
  if (!find_plain_element(window, target, &resolved) || !typed::can_swap(*resolved.layout)) return false;
  const HeldLock lock(window, resolved.rank);
  if (lock.code() != MPI_SUCCESS) return false;
  lock.order_reads();
  typed::compare_and_swap(Access::exclusive, *resolved.layout, resolved.mapped(), values);
  return true;
}

}  // namespace

int accumulate_now(Window &window, MPI_Op op, const OriginBuffer &origin, const TargetBuffer &target) {
  if (target.rank == MPI_PROC_NULL) return MPI_SUCCESS;
  const bool is_same = origin.count == target.count && origin.type == target.type && op != MPI_NO_OP && is_address(origin.address);
  if (is_same && origin.count == 1 && change_plain(window, op, {origin.address, nullptr}, target)) return MPI_SUCCESS;
  if (is_same && change_plain_row(window, op, origin.address, target)) return MPI_SUCCESS;
  ResolvedTarget resolved;
  typed::Buffer operand;
  if (const int code = resolve_target(window, target, &resolved)) return code;
  if (const int code = find_buffer(origin, target, resolved, &operand)) return code;
  const Operation operation = typed::operation_of(op);
  if (operation == Operation::none || operation == Operation::no_op) return MPI_ERR_OP;
  if (resolved.count == 0) return MPI_SUCCESS;
  if (const int code = check_elements(operation, resolved, operand)) return code;
  if (is_changed_far(window, resolved)) return change_far(window, operation, resolved, operand, nullptr);
  return update(window, resolved, true,
                [&](Access access, const typed::Buffer &there) { typed::accumulate({operation, access}, there, operand); });
}

namespace {

int get_accumulate_now(Window &window, MPI_Op op, const OriginBuffer &origin, const OriginBuffer &result, const TargetBuffer &target) {
  if (target.rank == MPI_PROC_NULL) return MPI_SUCCESS;
  ResolvedTarget resolved;
  typed::Buffer operand{nullptr, nullptr, 0}, old;
  const Operation operation = typed::operation_of(op);
  if (const int code = resolve_target(window, target, &resolved)) return code;
  if (const int code = find_buffer(result, target, resolved, &old)) return code;
  if (operation == Operation::none) return MPI_ERR_OP;
  if (resolved.count == 0) return MPI_SUCCESS;
  if (const int code = check_result(resolved, old)) return code;
  if (operation != Operation::no_op) {
    if (const int code = find_buffer(origin, target, resolved, &operand)) return code;
    if (const int code = check_elements(operation, resolved, operand)) return code;
  }
  if (is_changed_far(window, resolved)) return change_far(window, operation, resolved, operand, &old);
  return update(window, resolved, operation != Operation::no_op,
                [&](Access access, const typed::Buffer &there) { typed::get_accumulate({operation, access}, there, operand, old); });
}

int fetch_and_op_now(Window &window, MPI_Op op, const typed::Fetch &values, const TargetBuffer &target) {
  window.comm->yield_if_oversubscribed();
  const bool has_data = is_address(values.result) && (op == MPI_NO_OP || is_address(values.origin));
  if (target.rank == MPI_PROC_NULL || (has_data && change_plain(window, op, values, target))) return MPI_SUCCESS;
  ResolvedTarget resolved;
  if (const int code = resolve_target(window, target, &resolved)) return code;
  if (!has_data) return check_addresses({values.result, op == MPI_NO_OP ? values.result : values.origin});
  const Operation operation = typed::operation_of(op);
  if (const int code = typed::check_accumulate(operation, *resolved.layout, *resolved.layout)) return code;
  if (resolved.layout->basics() != 1)
    return refuse(MPI_ERR_TYPE, "the datatype has %lld elements but must have 1", static_cast<long long>(resolved.layout->basics()));
  if (is_changed_far(window, resolved)) {
    const typed::Buffer result{values.result, resolved.layout, 1};
    return change_far(window, operation, resolved, {values.origin, resolved.layout, 1}, &result);
  }
  return update(window, resolved, operation != Operation::no_op, [&](Access access, const typed::Buffer &there) {
    typed::fetch_and_op({operation, access}, *resolved.layout, there.address, values);
  });
}

int compare_and_swap_now(Window &window, const typed::Swap &values, const TargetBuffer &target) {
  window.comm->yield_if_oversubscribed();
  const bool has_data = is_address(values.expected) && is_address(values.value) && is_address(values.result);
  if (target.rank == MPI_PROC_NULL || (has_data && swap_plain(window, values, target))) return MPI_SUCCESS;
  ResolvedTarget resolved;
  if (const int code = resolve_target(window, target, &resolved)) return code;
  if (!has_data) return check_addresses({values.expected, values.value, values.result});
  if (!typed::can_swap(*resolved.layout)) return MPI_ERR_TYPE;
  if (is_changed_far(window, resolved)) {
    order_reads();
    return far::compare_and_swap(window, needs_lock(resolved), resolved, values);
  }
  return update(window, resolved, true, [&](Access access, const typed::Buffer &there) {
    typed::compare_and_swap(access, *resolved.layout, there.address, values);
  });
}

OriginBuffer operand_of(const void *address, MPI_Count count, MPI_Datatype type) { return {const_cast<void *>(address), count, type}; }

int accumulate(Window &window, MPI_Op op, const OriginBuffer &origin, const TargetBuffer &target) {
  const CheckedAccess access{Call::accumulate, op, &origin, nullptr, &target};
  return checked(window, access, [&] { return accumulate_now(window, op, origin, target); });
}

int get_accumulate(Window &window, MPI_Op op, const OriginBuffer &origin, const OriginBuffer &result, const TargetBuffer &target) {
  const CheckedAccess access{Call::get_accumulate, op, &origin, &result, &target};
  return checked(window, access, [&] { return get_accumulate_now(window, op, origin, result, target); });
}

int fetch_and_op(Window &window, MPI_Op op, const typed::Fetch &values, const TargetBuffer &target) {
  const OriginBuffer origin = operand_of(values.origin, 1, target.type), result = operand_of(values.result, 1, target.type);
  const CheckedAccess access{Call::fetch_and_op, op, &origin, &result, &target};
  return checked(window, access, [&] { return fetch_and_op_now(window, op, values, target); });
}

int compare_and_swap(Window &window, const typed::Swap &values, const TargetBuffer &target) {
  const OriginBuffer origin = operand_of(values.value, 1, target.type), result = operand_of(values.result, 1, target.type);
  const CheckedAccess access{Call::compare_and_swap, MPI_REPLACE, &origin, &result, &target};
  return checked(window, access, [&] { return compare_and_swap_now(window, values, target); });
}

/// A frequent change of one element, in a window of one node whose memory is alike, by a rank of one thread, before anything is made for other
/// cases. The lock of the target's accumulates is free. False if nothing has been changed.
[[gnu::always_inline]] inline bool change_at_once(Window &window, MPI_Op op, const typed::Fetch &values, const TargetBuffer &target) {
  if (static_cast<unsigned>(target.rank) >= static_cast<unsigned>(window.ranks_at_once)) return false;
  const typed::Layout *const layout = typed::layout_of(target.type);
  if (!layout || layout->basics() != 1 || !layout->contiguous()) return false;
  char *const place = window.memory.find_alike(target.rank, static_cast<std::int64_t>(target.displacement), layout->bytes());
  if (!place || !window.epochs.may_access(target.rank) || window.epochs.excludes_others(target.rank)) return false;
  const Operation operation = typed::operation_of(op);
  TargetWords &words = window.memory.words_on_node(target.rank);
  if (!try_accumulates(words)) return false;
  order_reads_under_lock();
  const bool changed = typed::change_single(operation, layout->basic(), {place, values.origin, values.result});
  put_order.has_put = true;
  return static_cast<void>(release_accumulates(window, target.rank, words)), changed;
}
[[gnu::always_inline]] inline bool accumulate_at_once(Window &window, MPI_Op op, const OriginBuffer &origin, const TargetBuffer &target) {
  return origin.count == 1 && target.count == 1 && origin.type == target.type && op != MPI_NO_OP && is_address(origin.address) &&
         change_at_once(window, op, {origin.address, nullptr}, target);
}
[[gnu::always_inline]] inline bool fetch_at_once(Window &window, MPI_Op op, const typed::Fetch &values, const TargetBuffer &target) {
  if (window.ranks_at_once == 0 || !is_address(values.result) || (op != MPI_NO_OP && !is_address(values.origin))) return false;
  window.comm->yield_if_oversubscribed();
  return change_at_once(window, op, values, target);
}

int answered(Window &window, int code) { return code == MPI_SUCCESS ? code : answer(window, code); }

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

// Each function has a twin for large counts where the MPI has one.
// NOLINTBEGIN(readability-function-size): the standard's signatures
extern "C" {

int MPI_Accumulate(const void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type,
                   MPI_Op op, MPI_Win win) {
  Window *window = find_window(win);
  if (!window) return host::Accumulate(origin, origin_count, origin_type, rank, disp, count, type, op, win);
  if (accumulate_at_once(*window, op, operand_of(origin, origin_count, origin_type), {rank, disp, count, type})) return MPI_SUCCESS;
  return answered(*window, accumulate(*window, op, operand_of(origin, origin_count, origin_type), {rank, disp, count, type}));
}

int MPI_Raccumulate(const void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type,
                    MPI_Op op, MPI_Win win, MPI_Request *request) {
  Window *window = find_window(win);
  if (!window) return host::Raccumulate(origin, origin_count, origin_type, rank, disp, count, type, op, win, request);
  if (const int code = refuse_request(*window, rank, request)) return code;
  const int code = accumulate(*window, op, operand_of(origin, origin_count, origin_type), {rank, disp, count, type});
  return end_with_request(*window, answered(*window, code), rank, request);
}

int MPI_Get_accumulate(const void *origin, int origin_count, MPI_Datatype origin_type, void *result, int result_count,
                       MPI_Datatype result_type, int rank, MPI_Aint disp, int count, MPI_Datatype type, MPI_Op op, MPI_Win win) {
  Window *window = find_window(win);
  if (!window)
    return host::Get_accumulate(origin, origin_count, origin_type, result, result_count, result_type, rank, disp, count, type, op, win);
  return answered(*window, get_accumulate(*window, op, operand_of(origin, origin_count, origin_type), {result, result_count, result_type},
                                          {rank, disp, count, type}));
}

int MPI_Rget_accumulate(const void *origin, int origin_count, MPI_Datatype origin_type, void *result, int result_count,
                        MPI_Datatype result_type, int rank, MPI_Aint disp, int count, MPI_Datatype type, MPI_Op op, MPI_Win win,
                        MPI_Request *request) {
  Window *window = find_window(win);
  if (!window)
    return host::Rget_accumulate(origin, origin_count, origin_type, result, result_count, result_type, rank, disp, count, type, op, win,
                                 request);
  if (const int code = refuse_request(*window, rank, request)) return code;
  const int code = get_accumulate(*window, op, operand_of(origin, origin_count, origin_type), {result, result_count, result_type},
                                  {rank, disp, count, type});
  return end_with_request(*window, answered(*window, code), rank, request);
}

#if MPI_VERSION >= 4
int MPI_Accumulate_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, MPI_Count count,
                     MPI_Datatype type, MPI_Op op, MPI_Win win) {
  Window *window = find_window(win);
  if (!window) return host::Accumulate_c(origin, origin_count, origin_type, rank, disp, count, type, op, win);
  return answered(*window, accumulate(*window, op, operand_of(origin, origin_count, origin_type), {rank, disp, count, type}));
}

int MPI_Raccumulate_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, MPI_Count count,
                      MPI_Datatype type, MPI_Op op, MPI_Win win, MPI_Request *request) {
  Window *window = find_window(win);
  if (!window) return host::Raccumulate_c(origin, origin_count, origin_type, rank, disp, count, type, op, win, request);
  if (const int code = refuse_request(*window, rank, request)) return code;
  const int code = accumulate(*window, op, operand_of(origin, origin_count, origin_type), {rank, disp, count, type});
  return end_with_request(*window, answered(*window, code), rank, request);
}

int MPI_Get_accumulate_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, void *result, MPI_Count result_count,
                         MPI_Datatype result_type, int rank, MPI_Aint disp, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Win win) {
  Window *window = find_window(win);
  if (!window)
    return host::Get_accumulate_c(origin, origin_count, origin_type, result, result_count, result_type, rank, disp, count, type, op, win);
  return answered(*window, get_accumulate(*window, op, operand_of(origin, origin_count, origin_type), {result, result_count, result_type},
                                          {rank, disp, count, type}));
}

int MPI_Rget_accumulate_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, void *result, MPI_Count result_count,
                          MPI_Datatype result_type, int rank, MPI_Aint disp, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Win win,
                          MPI_Request *request) {
  Window *window = find_window(win);
  if (!window)
    return host::Rget_accumulate_c(origin, origin_count, origin_type, result, result_count, result_type, rank, disp, count, type, op, win,
                                   request);
  if (const int code = refuse_request(*window, rank, request)) return code;
  const int code = get_accumulate(*window, op, operand_of(origin, origin_count, origin_type), {result, result_count, result_type},
                                  {rank, disp, count, type});
  return end_with_request(*window, answered(*window, code), rank, request);
}

#endif

int MPI_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Op op, MPI_Win win) {
  Window *window = find_window(win);
  if (!window) return host::Fetch_and_op(origin, result, type, rank, disp, op, win);
  if (fetch_at_once(*window, op, {origin, result}, {rank, disp, 1, type})) return MPI_SUCCESS;
  return answered(*window, fetch_and_op(*window, op, {origin, result}, {rank, disp, 1, type}));
}

int MPI_Compare_and_swap(const void *origin, const void *compare, void *result, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Win win) {
  Window *window = find_window(win);
  if (!window) return host::Compare_and_swap(origin, compare, result, type, rank, disp, win);
  return answered(*window, compare_and_swap(*window, {compare, origin, result}, {rank, disp, 1, type}));
}

HLC_MPI_PROFILED(MPI_Accumulate)
HLC_MPI_PROFILED(MPI_Raccumulate)
HLC_MPI_PROFILED(MPI_Get_accumulate)
HLC_MPI_PROFILED(MPI_Rget_accumulate)
HLC_MPI_PROFILED(MPI_Fetch_and_op)
HLC_MPI_PROFILED(MPI_Compare_and_swap)
#if MPI_VERSION >= 4
HLC_MPI_PROFILED(MPI_Accumulate_c)
HLC_MPI_PROFILED(MPI_Raccumulate_c)
HLC_MPI_PROFILED(MPI_Get_accumulate_c)
HLC_MPI_PROFILED(MPI_Rget_accumulate_c)
#endif

}  // extern "C"
// NOLINTEND(readability-function-size)
