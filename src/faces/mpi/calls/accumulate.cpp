// Accumulate, get_accumulate, fetch_and_op, compare_and_swap. On one node all take a lock of the target. So long ones are loops that the
// compiler vectorises; an atomic instruction per element takes many times as long. In windows of several nodes the engine changes short elements
// of other nodes. Ranks of the target's node change theirs so that both are atomic with each other (Numbers).
// SPDX-License-Identifier: BSD-3-Clause
#include <exception>
#include <initializer_list>
#include <optional>

#include "faces/mpi/access/remote.hpp"
#include "faces/mpi/access/unmapped_copy.hpp"
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

/// The lock of a target's accumulates, unless this rank keeps all others out of the target anyway.
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
  /// MPI_SUCCESS unless the lock cannot be had.
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

/// Keeps the owner of memory that it brought from changing numbers there, as ranks of other nodes ask it to.
class HeldNumbers {
 public:
  HeldNumbers(Window &window, int target)
      : lock_(window.node->lock_in(window.memory.words(target).numbers)),
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
int update_copy(Window &window, const Spot &spot, bool changes, Work work) try {
  Image image(window, spot);
  if (const int code = image.read()) return code;
  work(Access::exclusive, image.buffer());
  return changes ? image.write() : MPI_SUCCESS;
} catch (const std::exception &) {
  return MPI_ERR_NO_MEM;
}

bool is_short(const Spot &spot) {
  const typed::Basic type = spot.layout->basic();
  return typed::is_element(type) && typed::basic_bytes(type) <= kLongestAtomic;
}

/// True if an operation needs the target's lock beside the atomics. Aligned is what the engine takes for it, counted from the window's begin.
bool needs_lock(const Spot &spot) { return !is_short(spot) || typed::needs_lock(spot.from_begin()); }

/// Calls work() under the target's lock if that is needed.
template <class Work>
int lock_if(bool needed, Window &window, int target, Work work) {
  std::optional<HeldLock> lock;
  if (needed) lock.emplace(window, target);
  return lock && lock->code() != MPI_SUCCESS ? lock->code() : work();
}

/// On several nodes, if no other rank is on this one: accumulates of other nodes then need no atomic instructions, but this lock.
std::unique_lock<std::mutex> hold_up_queries_if_alone(Node &node) {
  if (!node.spans_nodes() || node.context.members() > 1) return {};
  return node.context.network().requests()->hold_up_queries();
}

/// Calls work(access, buffer) for the target's data: where it is mapped, or for a copy.
template <class Work>
int update(Window &window, const Spot &spot, bool changes, Work work) {
  const bool by_atomics = window.memory.numbers() == Numbers::by_atomics && spot.place.is_mapped;
  order_reads();
  if (changes) put_order.has_put = true;  // what is stored, and the release of the lock, may wait in the processor
  return lock_if(!by_atomics || needs_lock(spot), window, spot.rank, [&]() -> int {
    // Not while the target's lock is taken or released: that may need the progress of the queries.
    const auto alone = by_atomics ? hold_up_queries_if_alone(*window.node) : std::unique_lock<std::mutex>();
    std::optional<HeldNumbers> numbers;
    if (window.memory.numbers() == Numbers::by_owner && !spot.place.is_far) numbers.emplace(window, spot.rank);
    if (numbers && numbers->code() != MPI_SUCCESS) return numbers->code();
    if (!spot.place.is_mapped) return update_copy(window, spot, changes, work);
    work(by_atomics ? Access::atomic : Access::exclusive, spot.buffer());
    return MPI_SUCCESS;
  });
}

/// True for elements of another node that are changed there. Those of dynamic windows are changed here, under the target's lock.
bool is_changed_far(const Window &window, const Spot &spot) { return spot.place.is_far && window.memory.numbers() != Numbers::locked; }

int change_far(Window &window, Operation operation, const Spot &spot, const typed::ConstBuffer &origin, const typed::Buffer *result) try {
  order_reads();
  return far::change(window, {operation, needs_lock(spot)}, spot, origin, result);
} catch (const std::exception &) {
  return MPI_ERR_NO_MEM;
}

/// check_accumulate, and as many elements on both sides.
int check_elements(Operation operation, const Spot &target, const typed::Buffer &other) {
  if (const int code = typed::check_accumulate(operation, *target.layout, *other.layout)) return code;
  const std::int64_t there = target.layout->basics() * target.count, here = other.layout->basics() * other.count;
  return here == there ? MPI_SUCCESS
                       : refuse(MPI_ERR_TRUNCATE, "%lld elements here, and %lld at the target", static_cast<long long>(here),
                                static_cast<long long>(there));
}

/// The result of an accumulate that fetches has the target's elements.
int check_result(const Spot &target, const typed::Buffer &result) {
  if (!typed::have_same_type(*target.layout, *result.layout))
    return refuse(MPI_ERR_TYPE, "the result has elements of another type than the target");
  return check_elements(Operation::no_op, target, result);
}

/// Whether all of these are addresses of data.
int check_addresses(std::initializer_list<const void *> all) {
  for (const void *const address : all)
    if (!is_address(address)) return refuse(MPI_ERR_BUFFER, "%p is no address of an element", address);
  return MPI_SUCCESS;
}

/// Finds one element in mapped memory whose changes all take the target's lock. False if it is none: update() finds all of them.
bool find_plain_element(Window &window, const Theirs &theirs, Spot *spot) {
  return window.memory.numbers() == Numbers::locked && find_plain_spot(window, theirs, spot) && spot->count == 1 &&
         spot->layout->basics() == 1;
}

/// A frequent change of a plain element, with few instructions. False if it has not been made.
bool change_plain(Window &window, MPI_Op op, const typed::Fetch &values, const Theirs &theirs) {
  Spot spot;
  if (!find_plain_element(window, theirs, &spot)) return false;
  const Operation operation = typed::operation_of(op);
  if (!typed::is_frequent(operation) || !typed::is_frequent(spot.layout->basic())) return false;
  const HeldLock lock(window, spot.rank);
  lock.order_reads();
  return lock.code() == MPI_SUCCESS && typed::change_single(operation, spot.layout->basic(), {spot.mapped(), values.origin, values.result});
}

bool swap_plain(Window &window, const typed::Swap &values, const Theirs &theirs) {
  Spot spot;
  if (!find_plain_element(window, theirs, &spot) || !typed::can_swap(*spot.layout)) return false;
  const HeldLock lock(window, spot.rank);
  if (lock.code() != MPI_SUCCESS) return false;
  lock.order_reads();
  typed::compare_and_swap(Access::exclusive, *spot.layout, spot.mapped(), values);
  return true;
}

int accumulate_now(Window &window, MPI_Op op, const Mine &mine, const Theirs &theirs) {
  const bool is_same = mine.count == 1 && mine.type == theirs.type && op != MPI_NO_OP && is_address(mine.address);
  if (theirs.rank == MPI_PROC_NULL || (is_same && change_plain(window, op, {mine.address, nullptr}, theirs))) return MPI_SUCCESS;
  Spot spot;
  typed::Buffer origin;
  if (const int code = find_spot(window, theirs, &spot)) return code;
  if (const int code = find_buffer(mine, theirs, spot, &origin)) return code;
  const Operation operation = typed::operation_of(op);
  if (operation == Operation::none || operation == Operation::no_op) return MPI_ERR_OP;
  if (spot.count == 0) return MPI_SUCCESS;
  if (const int code = check_elements(operation, spot, origin)) return code;
  if (is_changed_far(window, spot)) return change_far(window, operation, spot, origin, nullptr);
  return update(window, spot, true,
                [&](Access access, const typed::Buffer &target) { typed::accumulate({operation, access}, target, origin); });
}

int get_accumulate_now(Window &window, MPI_Op op, const Mine &mine, const Mine &result, const Theirs &theirs) {
  if (theirs.rank == MPI_PROC_NULL) return MPI_SUCCESS;
  Spot spot;
  typed::Buffer origin{nullptr, nullptr, 0}, old;
  const Operation operation = typed::operation_of(op);
  if (const int code = find_spot(window, theirs, &spot)) return code;
  if (const int code = find_buffer(result, theirs, spot, &old)) return code;
  if (operation == Operation::none) return MPI_ERR_OP;
  if (spot.count == 0) return MPI_SUCCESS;
  if (const int code = check_result(spot, old)) return code;
  if (operation != Operation::no_op) {
    if (const int code = find_buffer(mine, theirs, spot, &origin)) return code;
    if (const int code = check_elements(operation, spot, origin)) return code;
  }
  if (is_changed_far(window, spot)) return change_far(window, operation, spot, origin, &old);
  return update(window, spot, operation != Operation::no_op,
                [&](Access access, const typed::Buffer &target) { typed::get_accumulate({operation, access}, target, origin, old); });
}

int fetch_and_op_now(Window &window, MPI_Op op, const typed::Fetch &values, const Theirs &theirs) {
  window.node->let_others_run();
  const bool has_data = is_address(values.result) && (op == MPI_NO_OP || is_address(values.origin));
  if (theirs.rank == MPI_PROC_NULL || (has_data && change_plain(window, op, values, theirs))) return MPI_SUCCESS;
  Spot spot;
  if (const int code = find_spot(window, theirs, &spot)) return code;
  if (!has_data) return check_addresses({values.result, op == MPI_NO_OP ? values.result : values.origin});
  const Operation operation = typed::operation_of(op);
  if (const int code = typed::check_accumulate(operation, *spot.layout, *spot.layout)) return code;
  if (spot.layout->basics() != 1)
    return refuse(MPI_ERR_TYPE, "the datatype has %lld elements", static_cast<long long>(spot.layout->basics()));
  if (is_changed_far(window, spot)) {
    const typed::Buffer result{values.result, spot.layout, 1};
    return change_far(window, operation, spot, {values.origin, spot.layout, 1}, &result);
  }
  return update(window, spot, operation != Operation::no_op, [&](Access access, const typed::Buffer &target) {
    typed::fetch_and_op({operation, access}, *spot.layout, target.address, values);
  });
}

int compare_and_swap_now(Window &window, const typed::Swap &values, const Theirs &theirs) {
  window.node->let_others_run();
  const bool has_data = is_address(values.expected) && is_address(values.value) && is_address(values.result);
  if (theirs.rank == MPI_PROC_NULL || (has_data && swap_plain(window, values, theirs))) return MPI_SUCCESS;
  Spot spot;
  if (const int code = find_spot(window, theirs, &spot)) return code;
  if (!has_data) return check_addresses({values.expected, values.value, values.result});
  if (!typed::can_swap(*spot.layout)) return MPI_ERR_TYPE;
  if (is_changed_far(window, spot)) {
    order_reads();
    return far::compare_and_swap(window, needs_lock(spot), spot, values);
  }
  return update(window, spot, true,
                [&](Access access, const typed::Buffer &target) { typed::compare_and_swap(access, *spot.layout, target.address, values); });
}

Mine operand_of(const void *address, MPI_Count count, MPI_Datatype type) { return {const_cast<void *>(address), count, type}; }

int accumulate(Window &window, MPI_Op op, const Mine &mine, const Theirs &theirs) {
  const CheckedAccess access{Call::accumulate, op, &mine, nullptr, &theirs};
  return checked(window, access, [&] { return accumulate_now(window, op, mine, theirs); });
}

int get_accumulate(Window &window, MPI_Op op, const Mine &mine, const Mine &result, const Theirs &theirs) {
  const CheckedAccess access{Call::get_accumulate, op, &mine, &result, &theirs};
  return checked(window, access, [&] { return get_accumulate_now(window, op, mine, result, theirs); });
}

int fetch_and_op(Window &window, MPI_Op op, const typed::Fetch &values, const Theirs &theirs) {
  const Mine mine = operand_of(values.origin, 1, theirs.type), result = operand_of(values.result, 1, theirs.type);
  const CheckedAccess access{Call::fetch_and_op, op, &mine, &result, &theirs};
  return checked(window, access, [&] { return fetch_and_op_now(window, op, values, theirs); });
}

int compare_and_swap(Window &window, const typed::Swap &values, const Theirs &theirs) {
  const Mine mine = operand_of(values.value, 1, theirs.type), result = operand_of(values.result, 1, theirs.type);
  const CheckedAccess access{Call::compare_and_swap, MPI_REPLACE, &mine, &result, &theirs};
  return checked(window, access, [&] { return compare_and_swap_now(window, values, theirs); });
}

int answered(Window &window, int code) { return code == MPI_SUCCESS ? code : answer(window, code); }

}  // namespace
}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

// Each function has a twin for large counts where the MPI has one.
// NOLINTBEGIN(readability-function-size): the standard's signatures
extern "C" {

int MPI_Accumulate(const void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count,
                           MPI_Datatype type, MPI_Op op, MPI_Win win) {
  Window *window = find_window(win);
  if (!window) return host::Accumulate(origin, origin_count, origin_type, rank, disp, count, type, op, win);
  return answered(*window, accumulate(*window, op, operand_of(origin, origin_count, origin_type), {rank, disp, count, type}));
}

int MPI_Raccumulate(const void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count,
                            MPI_Datatype type, MPI_Op op, MPI_Win win, MPI_Request *request) {
  Window *window = find_window(win);
  if (!window) return host::Raccumulate(origin, origin_count, origin_type, rank, disp, count, type, op, win, request);
  if (const int code = refuse_request(*window, rank, request)) return code;
  const int code = accumulate(*window, op, operand_of(origin, origin_count, origin_type), {rank, disp, count, type});
  return end_with_request(*window, answered(*window, code), rank, request);
}

int MPI_Get_accumulate(const void *origin, int origin_count, MPI_Datatype origin_type, void *result, int result_count,
                               MPI_Datatype result_type, int rank, MPI_Aint disp, int count, MPI_Datatype type, MPI_Op op,
                               MPI_Win win) {
  Window *window = find_window(win);
  if (!window)
    return host::Get_accumulate(origin, origin_count, origin_type, result, result_count, result_type, rank, disp, count, type,
                                        op, win);
  return answered(*window, get_accumulate(*window, op, operand_of(origin, origin_count, origin_type),
                                          {result, result_count, result_type}, {rank, disp, count, type}));
}

int MPI_Rget_accumulate(const void *origin, int origin_count, MPI_Datatype origin_type, void *result, int result_count,
                                MPI_Datatype result_type, int rank, MPI_Aint disp, int count, MPI_Datatype type, MPI_Op op,
                                MPI_Win win, MPI_Request *request) {
  Window *window = find_window(win);
  if (!window)
    return host::Rget_accumulate(origin, origin_count, origin_type, result, result_count, result_type, rank, disp, count, type,
                                         op, win, request);
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
                               MPI_Datatype result_type, int rank, MPI_Aint disp, MPI_Count count, MPI_Datatype type, MPI_Op op,
                               MPI_Win win) {
  Window *window = find_window(win);
  if (!window)
    return host::Get_accumulate_c(origin, origin_count, origin_type, result, result_count, result_type, rank, disp, count, type,
                                        op, win);
  return answered(*window, get_accumulate(*window, op, operand_of(origin, origin_count, origin_type),
                                          {result, result_count, result_type}, {rank, disp, count, type}));
}

int MPI_Rget_accumulate_c(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, void *result, MPI_Count result_count,
                                MPI_Datatype result_type, int rank, MPI_Aint disp, MPI_Count count, MPI_Datatype type, MPI_Op op,
                                MPI_Win win, MPI_Request *request) {
  Window *window = find_window(win);
  if (!window)
    return host::Rget_accumulate_c(origin, origin_count, origin_type, result, result_count, result_type, rank, disp, count, type,
                                         op, win, request);
  if (const int code = refuse_request(*window, rank, request)) return code;
  const int code = get_accumulate(*window, op, operand_of(origin, origin_count, origin_type), {result, result_count, result_type},
                                  {rank, disp, count, type});
  return end_with_request(*window, answered(*window, code), rank, request);
}

#endif

int MPI_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Op op, MPI_Win win) {
  Window *window = find_window(win);
  if (!window) return host::Fetch_and_op(origin, result, type, rank, disp, op, win);
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
