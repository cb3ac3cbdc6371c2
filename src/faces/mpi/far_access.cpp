// Copies by lists of runs. Elements are changed by the engine's atomics. One call changes those of a row, if the engine has the operation and
// nothing is fetched. Otherwise several queries are under way at a time.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/far_access.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/rma/operations.hpp"
#include "faces/mpi/landing.hpp"
#include "faces/mpi/operations.hpp"
#include "faces/mpi/walk.hpp"

namespace halocline::core::mpi::far {
namespace {

using Direction = WindowMemory::Direction;
using typed::Operation;

constexpr const char *kAccess = "an access to a window of MPI";

/// Gathers runs, so that one call of the engine begins many.
class Runs {
 public:
  Runs(Direction direction, const FarMemory &target, void *mine) : direction_(direction), target_(target), mine_(mine) {}

  Status add(const Run &run) {
    if (count_ == runs_.size()) HLC_TRY(begin());
    runs_[count_++] = run;
    return Status::ok;
  }
  Status begin() {
    const std::span<const Run> runs(runs_.data(), count_);
    count_ = 0;
    const Target at{target_.memory, target_.begin};
    return direction_ == Direction::write ? put_indexed(kAccess, at, mine_, runs) : get_indexed(kAccess, at, mine_, runs);
  }

 private:
  Direction direction_;
  const FarMemory &target_;
  void *mine_;
  std::size_t count_ = 0;
  std::array<Run, 256> runs_;
};

/// Where the data of a buffer begin. The address alone may be MPI_BOTTOM, which is null.
std::int64_t begin_of(const typed::ConstBuffer &buffer) { return buffer.layout->reach(buffer.count).begin; }

Status copy_runs(const FarMemory &target, Direction direction, const Spot &spot, const typed::Buffer &mine) {
  const std::int64_t begin = begin_of(mine);
  Runs runs(direction, target, static_cast<char *>(mine.address) + begin);
  Status status = Status::ok;
  typed::for_each_pair({*mine.layout, mine.count}, {*spot.layout, spot.count},
                       [&](std::int64_t here, std::int64_t there, std::int64_t bytes) {
                         if (!failed(status)) status = runs.add({spot.offset + there, here - begin, bytes});
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
Status copy_attached(Window &window, Direction direction, const Spot &spot, const typed::Buffer &mine) {
  const std::shared_ptr<const FarRegions> regions = window.attached.far(spot.rank);
  Network &network = window.node->context.network();
  Status status = Status::ok;
  const auto copy_run = [&](std::int64_t here, std::uint64_t address, std::int64_t bytes) {
    while (bytes > 0 && !failed(status)) {
      const FarRegion *const region = region_of(*regions, address);
      if (!region) return static_cast<void>(status = fail(Status::argument, "rank %d has detached memory that is in use", spot.rank));
      const RemoteMemory memory(network, spot.rank, region->descriptor, 0);
      const auto offset = static_cast<std::int64_t>(address - region->base);
      const std::int64_t some = std::min(bytes, region->descriptor.bytes - offset);
      char *const data = static_cast<char *>(mine.address) + here;
      status = direction == Direction::write ? core::put(kAccess, {memory, offset}, {data, some})
                                             : core::get(kAccess, {memory, offset}, {data, some});
      here += some, address += static_cast<std::uint64_t>(some), bytes -= some;
    }
  };
  typed::for_each_pair({*mine.layout, mine.count}, {*spot.layout, spot.count},
                       [&](std::int64_t here, std::int64_t there, std::int64_t bytes) {
                         copy_run(here, static_cast<std::uint64_t>(spot.offset + there), bytes);
                       });
  return status;
}

/// The engine's name of the bits of an element.
hlc_number bits_of(std::int64_t bytes) {
  switch (bytes) {
    case 1: return HLC_NUMBER_UINT8;
    case 2: return HLC_NUMBER_UINT16;
    case 4: return HLC_NUMBER_UINT32;
    default: return HLC_NUMBER_UINT64;
  }
}

/// The engine's action that does an operation; none if there is none, or the elements have gaps, which stay as they are.
hlc_action action_of(Operation operation, typed::Basic type) {
  const hlc_number bits = bits_of(typed::basic_bytes(type));
  if (typed::has_gaps(type)) return {HLC_OP_COUNT_, HLC_NUMBER_COUNT_};
  if (operation == Operation::replace) return {HLC_OP_REPLACE, bits};
  if (operation == Operation::no_op) return {HLC_OP_READ, bits};
  return typed::engine_action(operation, type);
}

bool is_action(hlc_action action) { return action.op != HLC_OP_COUNT_ && action.type != HLC_NUMBER_COUNT_; }

/// A row of elements, one after the other on all sides: offsets in the buffers.
struct Row {
  std::int64_t target, origin, result, count;
};

/// The operation of one call on elements of one target.
class Changes {
 public:
  Changes(Window &window, Operation operation, const Spot &spot)
      : window_(window),
        target_(window.memory.far(spot.rank)),
        begin_(target_.begin + spot.offset),
        operation_(operation),
        type_(spot.layout->basic()),
        bytes_(typed::basic_bytes(type_)),
        action_(action_of(operation, type_)) {}
  ~Changes() {
    RequestQueries &queries = window_.node->context.network().requests()->queries();
    for (Fetch &fetch : fetches_)
      if (fetch.is_under_way) queries.forget(fetch.query);
  }
  Changes(const Changes &) = delete;
  Changes &operator=(const Changes &) = delete;

  std::int64_t element_bytes() const { return bytes_; }
  /// `origin` is null for no_op, `result` null if nothing is fetched.
  Status change(const Row &row, const char *origin, char *result) {
    if (is_action(action_) && !result && is_aligned(row.target))
      return core::accumulate(kAccess, at(row.target), action_, {origin + row.origin, row.count});
    for (std::int64_t i = 0; i < row.count; ++i)
      HLC_TRY(change_element(row.target + i * bytes_, origin ? origin + row.origin + i * bytes_ : nullptr,
                             result ? result + row.result + i * bytes_ : nullptr));
    return Status::ok;
  }
  /// Waits for what is fetched.
  Status finish() {
    for (Fetch &fetch : fetches_) HLC_TRY(finish(fetch));
    return Status::ok;
  }

 private:
  /// A query under way, and what it fetches.
  struct Fetch {
    Query query;
    std::int64_t offset = 0;
    FetchOp what;
    bool is_under_way = false;
  };
  static constexpr std::size_t kMost = 64;

  Target at(std::int64_t offset) const { return {target_.memory, begin_ + offset}; }
  bool is_aligned(std::int64_t offset) const { return ((begin_ + offset) & (bytes_ - 1)) == 0; }

  Status change_element(std::int64_t offset, const char *origin, char *result) {
    if (!is_aligned(offset)) return change_copy(offset, origin, result);
    if (!is_action(action_)) return change_by_swaps(offset, origin, result);
    Fetch &fetch = fetches_[next_++ % kMost];
    HLC_TRY(finish(fetch));
    fetch.offset = offset;
    fetch.what = {origin, result};
    fetch.is_under_way = true;
    return look(fetch) == Status::again ? Status::ok : finish(fetch);
  }
  Status look(Fetch &fetch) {
    const Status status = core::fetch_op(kAccess, at(fetch.offset), action_, fetch.what, fetch.query);
    if (status != Status::again) fetch.is_under_way = false;
    return status;
  }
  Status finish(Fetch &fetch) {
    if (!fetch.is_under_way) return Status::ok;
    Wait wait(window_.node->context, WakeUp::by_network);
    return wait_until(wait, [&] { return look(fetch); }, [&] { return window_.node->find_dead(); });
  }
  /// What the operation makes of an element.
  std::uint64_t combined(std::uint64_t before, const char *origin) const {
    auto *const bytes = reinterpret_cast<char *>(&before);
    typed::Applier({operation_, typed::Access::exclusive}, type_).apply({bytes, origin, nullptr, bytes_, bytes_, 0, 1});
    return before;
  }
  /// An operation that the engine does not have.
  Status change_by_swaps(std::int64_t offset, const char *origin, char *result) {
    const hlc_number bits = bits_of(bytes_);
    std::uint64_t before = 0, found = 0;
    HLC_TRY(core::fetch_op(kAccess, at(offset), {HLC_OP_READ, bits}, {nullptr, &before}));
    while (true) {
      const std::uint64_t after = combined(before, origin);
      HLC_TRY(core::compare_swap(kAccess, at(offset), bits, {&before, &after, &found}));
      if (found == before) break;
      before = found;
    }
    if (result) typed::copy_element(type_, result, reinterpret_cast<const char *>(&before));
    return Status::ok;
  }
  /// An element that is not aligned, under the target's lock.
  Status change_copy(std::int64_t offset, const char *origin, char *result) {
    std::uint64_t before = 0;
    HLC_TRY(read_far(kAccess, at(offset), {&before, bytes_}));
    if (result) typed::copy_element(type_, result, reinterpret_cast<const char *>(&before));
    if (operation_ == Operation::no_op) return Status::ok;
    const std::uint64_t after = combined(before, origin);
    HLC_TRY(put_data(offset, after));
    return core::flush(kAccess, target_.memory);
  }
  Status put_data(std::int64_t offset, const std::uint64_t &element) const {
    const auto *const bytes = reinterpret_cast<const char *>(&element);
    const typed::ElementData data = typed::data_of(type_);
    HLC_TRY(core::put(kAccess, at(offset), {bytes, data.first_bytes}));
    return data.second_bytes == 0 ? Status::ok
                                  : core::put(kAccess, at(offset + data.second_offset), {bytes + data.second_offset, data.second_bytes});
  }

  Window &window_;
  const FarMemory target_;
  std::int64_t begin_;
  Operation operation_;
  typed::Basic type_;
  std::int64_t bytes_;
  hlc_action action_;
  std::size_t next_ = 0;
  std::array<Fetch, kMost> fetches_;
};

typed::Side side_of(const typed::ConstBuffer &buffer) { return typed::Side{buffer.layout->elements(), buffer.count}; }

/// A side that is not looked at has the target's place.
Status change_rows(Changes &changes, const typed::ConstBuffer &target, const typed::ConstBuffer &origin, const typed::Buffer *result) {
  const bool has_origin = origin.layout != nullptr;
  const typed::ConstBuffer given = has_origin ? origin : target, into = result ? typed::ConstBuffer(*result) : target;
  const std::int64_t begin = has_origin ? begin_of(origin) : 0, old_begin = result ? begin_of(*result) : 0;
  const auto *const mine = has_origin ? static_cast<const char *>(origin.address) + begin : nullptr;
  auto *const old = result ? static_cast<char *>(result->address) + old_begin : nullptr;
  std::array<typed::Side, 3> sides{side_of(target), side_of(given), side_of(into)};
  Status status = Status::ok;
  typed::walk<3>(sides, [&](const typed::Part<3> &part) {
    for (std::int64_t i = 0; i < part.count && !failed(status); ++i) {
      const auto offset = [&](std::size_t side) { return part.offset[side] + i * part.stride[side]; };
      status = changes.change({offset(0), offset(1) - begin, offset(2) - old_begin, part.bytes / changes.element_bytes()}, mine, old);
    }
  });
  return failed(status) ? status : changes.finish();
}

}  // namespace

int copy(Window &window, Direction direction, const Spot &spot, const typed::Buffer &mine) {
  const std::int64_t bytes = mine.layout->bytes() * mine.count;
  if (bytes == 0) return MPI_SUCCESS;
  if (const int code = code_of(window.node->context.network().requests()->give_back_memory(spot.rank, kAccess, Uses::accumulates)))
    return code;
  if (window.attributes.flavor == MPI_WIN_FLAVOR_DYNAMIC) return code_of(copy_attached(window, direction, spot, mine));
  const FarMemory target = window.memory.far(spot.rank);
  if (!mine.layout->contiguous() || !spot.layout->contiguous()) return code_of(copy_runs(target, direction, spot, mine));
  const Target at{target.memory, target.begin + spot.offset};
  return code_of(direction == Direction::write ? core::put(kAccess, at, {mine.address, bytes}, window.after_put())
                                               : core::get(kAccess, at, {mine.address, bytes}));
}

int change(Window &window, Operation operation, const Spot &spot, const typed::ConstBuffer &origin, const typed::Buffer *result) {
  const bool keeps_order = window.node->keeps_order();
  if (!keeps_order)
    if (const int code = window.complete(spot.rank, Completion::remote)) return code;
  Changes changes(window, operation, spot);
  const typed::ConstBuffer given = operation == Operation::no_op ? typed::ConstBuffer(nullptr, nullptr, 0) : origin;
  if (const int code = code_of(change_rows(changes, {nullptr, spot.layout, spot.count}, given, result))) return code;
  // Messages of a network that keeps no order may overtake each other.
  return keeps_order ? MPI_SUCCESS : window.complete(spot.rank, Completion::remote);
}

int compare_and_swap(Window &window, const Spot &spot, const typed::Swap &values) {
  const FarMemory target = window.memory.far(spot.rank);
  const hlc_number bits = bits_of(typed::basic_bytes(spot.layout->basic()));
  return code_of(
      core::compare_swap(kAccess, {target.memory, target.begin + spot.offset}, bits, {values.expected, values.value, values.result}));
}

}  // namespace halocline::core::mpi::far
