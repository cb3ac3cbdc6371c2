// Long runs are transfers of their own. Short ones, and elements, are packed: one message has as many as it has room for, and their target
// copies or changes them. What is fetched is under way when the call returns.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/access/remote.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "engine/network/request_engine.hpp"
#include "engine/rma/operations.hpp"
#include "engine/rma/packed.hpp"
#include "faces/mpi/datatype/iterate.hpp"

namespace halocline::core::mpi::far {
namespace {

using Direction = WindowMemory::Direction;
using typed::Operation;

constexpr const char *kAccess = "MPI RMA access";

/// Gathers runs, so that one call of the engine begins many.
class RunList {
 public:
  RunList(Direction direction, const FarMemory &target, void *origin) : direction_(direction), target_(target), origin_(origin) {}

  Status add(const Run &run) {
    if (count_ == runs_.size()) HLC_TRY(begin());
    runs_[count_++] = run;
    return Status::ok;
  }
  Status begin() {
    const std::span<const Run> runs(runs_.data(), count_);
    count_ = 0;
    const Target at{target_.memory, target_.begin};
    return direction_ == Direction::write ? put_indexed(kAccess, at, origin_, runs) : get_indexed(kAccess, at, origin_, runs);
  }

 private:
  Direction direction_;
  const FarMemory &target_;
  void *origin_;
  std::size_t count_ = 0;
  std::array<Run, 256> runs_;
};

/// Where the data of a buffer begin. The address alone may be MPI_BOTTOM, which is null.
std::int64_t begin_of(const typed::ConstBuffer &buffer) { return buffer.layout->reach(buffer.count).begin; }

Status copy_runs(const FarMemory &target, Direction direction, const ResolvedTarget &resolved, const typed::Buffer &origin) {
  const std::int64_t begin = begin_of(origin);
  RunList runs(direction, target, static_cast<char *>(origin.address) + begin);
  Status status = Status::ok;
  typed::for_each_pair({*origin.layout, origin.count}, {*resolved.layout, resolved.count},
                       [&](std::int64_t here, std::int64_t there, std::int64_t bytes) {
                         if (!failed(status)) status = runs.add({resolved.offset + there, here - begin, bytes});
                       });
  return failed(status) ? status : runs.begin();
}

/// The region of an address; null if it was detached meanwhile.
const FarRegion *region_of(const FarRegions &regions, std::uint64_t address) {
  for (const FarRegion &region : regions.all)
    if (address >= region.base && address - region.base < static_cast<std::uint64_t>(region.descriptor.bytes)) return &region;
  return nullptr;
}

/// Runs at addresses of a dynamic window, which may be in several regions. All of them are attached.
Status copy_attached(Window &window, Direction direction, const ResolvedTarget &resolved, const typed::Buffer &origin) {
  const std::shared_ptr<const FarRegions> regions = window.attached.far(resolved.rank);
  Network &network = window.comm->context.network();
  Status status = Status::ok;
  const auto copy_run = [&](std::int64_t here, std::uint64_t address, std::int64_t bytes) {
    while (bytes > 0 && !failed(status)) {
      const FarRegion *const region = region_of(*regions, address);
      if (!region) return static_cast<void>(status = fail(Status::argument, "rank %d detached memory during an access", resolved.rank));
      const RemoteMemory memory(network, resolved.rank, region->descriptor, 0);
      const auto offset = static_cast<std::int64_t>(address - region->base);
      const std::int64_t some = std::min(bytes, region->descriptor.bytes - offset);
      char *const data = static_cast<char *>(origin.address) + here;
      status = direction == Direction::write ? core::put(kAccess, {memory, offset}, {data, some})
                                             : core::get(kAccess, {memory, offset}, {data, some});
      here += some, address += static_cast<std::uint64_t>(some), bytes -= some;
    }
  };
  typed::for_each_pair({*origin.layout, origin.count}, {*resolved.layout, resolved.count},
                       [&](std::int64_t here, std::int64_t there, std::int64_t bytes) {
                         copy_run(here, static_cast<std::uint64_t>(resolved.offset + there), bytes);
                       });
  return status;
}

/// Of a side that is only read.
char *base_of(const typed::ConstBuffer &buffer) { return const_cast<char *>(static_cast<const char *>(buffer.address)); }

Runs runs_of(const typed::ConstBuffer &buffer) { return {&buffer.layout->steps(), buffer.count, base_of(buffer)}; }

/// True if what is contiguous on both sides is short, so that a message for each run takes longer than to pack them. The first parts of the
/// two layouts stand for all.
bool is_scattered(const ResolvedTarget &resolved, const typed::ConstBuffer &origin) {
  constexpr std::int64_t kShortRun = 4096;
  constexpr int kMaxParts = 64;
  std::array<typed::Side, 2> sides{typed::Side{origin.layout->steps(), origin.count},
                                   typed::Side{resolved.layout->steps(), resolved.count}};
  std::int64_t bytes = 0, runs = 0;
  typed::Part<2> part;
  for (int i = 0; i < kMaxParts && typed::next_part(sides, part); ++i) bytes += part.bytes * part.count, runs += part.count;
  return bytes < kShortRun * runs;
}

Status copy_packed(const FarMemory &target, Direction direction, const ResolvedTarget &resolved, const typed::Buffer &origin) {
  PackedOperation operation;
  const bool writes = direction == Direction::write;
  operation.kind = writes ? PackedOperation::Kind::put : PackedOperation::Kind::get;
  operation.target = {&resolved.layout->steps(), resolved.count, nullptr};
  (writes ? operation.origin : operation.result) = runs_of(origin);
  operation.bytes = origin.layout->bytes() * origin.count;
  return begin_packed(kAccess, {target.memory, target.begin + resolved.offset}, operation);
}

/// Elements of several basic types are moved as bytes.
typed::Basic type_of(const Layout &layout) { return layout.basic() == typed::Basic::mixed ? typed::Basic::byte : layout.basic(); }

Runs elements_of(const typed::ConstBuffer &buffer) {
  const bool mixed = buffer.layout->basic() == typed::Basic::mixed;
  return {mixed ? &buffer.layout->steps() : &buffer.layout->elements(), buffer.count, base_of(buffer)};
}

std::int64_t bytes_of(const ResolvedTarget &resolved) {
  const Layout &layout = *resolved.layout;
  const bool mixed = layout.basic() == typed::Basic::mixed;
  return resolved.count * (mixed ? layout.bytes() : layout.basics() * typed::basic_bytes(layout.basic()));
}

/// The lock that ranks of the target's node hold while they change such elements, as an offset in the target's memory. User-provided memory
/// has another one, which the target itself takes.
std::int64_t word_of(const Window &window, bool needs_lock) {
  constexpr auto kAccumulates = static_cast<std::int64_t>(offsetof(TargetWords, accumulates));
  return needs_lock && window.memory.numbers() == Numbers::by_atomics ? kAccumulates : -1;
}

/// Messages of a network that keeps no order may overtake each other, and what was put before.
template <class Begin>
int begin_in_order(Window &window, int target, Begin begin) {
  const bool keeps_order = window.comm->keeps_order();
  if (!keeps_order)
    if (const int code = window.complete(target, Completion::remote)) return code;
  const Status begun = begin();
  return failed(begun) || keeps_order ? code_of(begun) : window.complete(target, Completion::remote);
}

/// Waits for the messages of this rank to a target that change memory there. Transfers that are not messages could overtake them.
Status follow_messages(Window &window, int target) {
  return window.comm->context.network().requests()->give_back_memory(target, kAccess, Uses::accumulates);
}

}  // namespace

int copy(Window &window, Direction direction, const ResolvedTarget &resolved, const typed::Buffer &origin) {
  const std::int64_t bytes = origin.layout->bytes() * origin.count;
  if (bytes == 0) return MPI_SUCCESS;
  const bool is_dynamic = window.attributes.flavor == MPI_WIN_FLAVOR_DYNAMIC;
  const bool is_contiguous = origin.layout->contiguous() && resolved.layout->contiguous();
  const bool is_packed = !is_dynamic && !is_contiguous && is_scattered(resolved, origin);
  if (!is_packed || !window.comm->keeps_order())
    if (const int code = code_of(follow_messages(window, resolved.rank))) return code;
  if (is_dynamic) return code_of(copy_attached(window, direction, resolved, origin));
  const FarMemory target = window.memory.far(resolved.rank);
  if (is_packed) return code_of(copy_packed(target, direction, resolved, origin));
  if (!is_contiguous) return code_of(copy_runs(target, direction, resolved, origin));
  const Target at{target.memory, target.begin + resolved.offset};
  return code_of(direction == Direction::write ? core::put(kAccess, at, {origin.address, bytes}, window.after_put())
                                               : core::get(kAccess, at, {origin.address, bytes}));
}

int change(Window &window, const Change &how, const ResolvedTarget &resolved, const typed::ConstBuffer &origin,
           const typed::Buffer *result) {
  PackedOperation operation;
  operation.kind = result ? PackedOperation::Kind::fetch : PackedOperation::Kind::change;
  operation.operation = how.operation;
  operation.type = type_of(*resolved.layout);
  operation.target = elements_of({nullptr, resolved.layout, resolved.count});
  if (how.operation != Operation::no_op) operation.origin = elements_of(origin);
  if (result) operation.result = elements_of(*result);
  operation.bytes = bytes_of(resolved);
  operation.word = word_of(window, how.needs_lock);
  const FarMemory target = window.memory.far(resolved.rank);
  return begin_in_order(window, resolved.rank,
                        [&] { return begin_packed(kAccess, {target.memory, target.begin + resolved.offset}, operation); });
}

int compare_and_swap(Window &window, bool needs_lock, const ResolvedTarget &resolved, const typed::Swap &values) {
  const FarMemory target = window.memory.far(resolved.rank);
  const PackedSwap swap{resolved.layout->basic(), values, word_of(window, needs_lock)};
  return begin_in_order(window, resolved.rank, [&] { return begin_swap(kAccess, {target.memory, target.begin + resolved.offset}, swap); });
}

}  // namespace halocline::core::mpi::far
