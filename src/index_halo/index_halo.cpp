// The running of an index halo: which fields a swap moves, and the copies. For the planning see plan.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "index_halo/index_halo.hpp"

#include "base/bounds.hpp"
#include "engine/communicator/communicator.hpp"
#include "engine/memory/fields.hpp"
#include "exchange/rounds.hpp"
#include "index_halo/check.hpp"

namespace halocline::core {
namespace {

/// So many bytes that neighbours have read are fetched back: about half of an L1 cache.
constexpr std::int64_t kFetchedBack = std::int64_t{16} << 10;

void clear_ghosts(const IndexTables &tables) {
  for (const auto *links : {&tables.links, &tables.self_links})
    for (const IndexLink &link : *links)
      for (const int f : tables.swapped) {
        const IndexField &field = tables.fields[static_cast<std::size_t>(f)];
        clear(link.in_map, field.kind, field.layout);
      }
}

/// A cache line that was written here and read by a neighbour may have moved to its core. A solver continues with the entries at the edge
/// of its part, which neighbours have read. It would wait for one line after the other.
void fetch_back(const IndexTables &tables) {
  std::int64_t most = kFetchedBack;
  for (const IndexLink &link : tables.links)
    for (const int number : tables.swapped) {
      const IndexField &field = tables.fields[static_cast<std::size_t>(number)];
      if (!link.fields.empty()) most = prefetch(link.out_map, field.kind, field.layout, most);
    }
}

/// True if a swap of listed fields moves as much over each edge as the last one: other fields, of the same sizes.
bool moves_as_much(const hlc_index_swap &what, const IndexTables &last) {
  if (what.nfields != static_cast<int>(last.swapped.size()) || (what.reverse != 0) != last.reverse) return false;
  const auto kind = [&last](int f) { return last.fields[static_cast<std::size_t>(f)].kind; };
  return std::equal(last.swapped.begin(), last.swapped.end(), what.fields,
                    [&](int a, int b) { return kind(a).bytes() == kind(b).bytes() && kind(a).element == kind(b).element; });
}

}  // namespace

std::int64_t IndexTables::message_bytes(std::int64_t count, const std::vector<int> &of) const {
  std::int64_t bytes = 0;
  for (const int f : of) {
    const IndexField &field = fields[static_cast<std::size_t>(f)];
    bytes = field.aligned(bytes) + count * field.kind.bytes();
  }
  return count == 0 ? 0 : bytes;
}

Status IndexHalo::check_swap(const hlc_index_swap &what) const {
  HLC_TRY(check_field_list("hlc_index_halo_start", communicator_.rank(), what, static_cast<int>(tables_.fields.size())));
  HLC_TRY(check_bounds({"hlc_index_halo_start", communicator_.rank()}, {flag("reverse", what.reverse)}));
  return check_addable("hlc_index_halo_start", communicator_.rank(), what, tables_.fields,
                       [](const IndexField &field) { return field.kind.type; });
}

Status IndexHalo::start(const hlc_index_swap *what) {
  if (what) HLC_TRY(check_swap(*what));
  if (what && what->reverse && exchange_.views_out())
    return exchange_.bad_call(
        "hlc_index_halo_start",
        "views of the last swap are out, and a reverse swap writes what they show; call hlc_index_halo_release first");
  set_swap(what);
  if (device_) {
    device_->begin("hlc_index_halo_start");
    HLC_TRY(device_->fetch_sent(exchange_, check_ != nullptr));
    device_->begin("hlc_index_halo_finish");
  }
  return exchange_.rounds().start();
}

Status IndexHalo::start_on(const hlc_index_swap *what, void *stream) {
  return device::in_order(device_.get(), stream, [&] { return start(what); });
}
Status IndexHalo::finish_on(void *stream) {
  return device::in_order(device_.get(), stream, [&] { return finish(); });
}

Status IndexHalo::test() { return exchange_.rounds().test(); }

void IndexHalo::end_round() {
  if (tables_.reverse) clear_ghosts(tables_);
  if (!device_) return;
  for (const auto *links : {&tables_.links, &tables_.self_links})
    for (const IndexLink &link : *links)
      if (tables_.reverse) device_->store(link.in_stretch);
  device_->end();
}

/// The exchange ends after all ranks have met once more. Then no rank has memory of another open, and its owner may free it.
Status IndexHalo::end(bool others_broken) {
  if (device_) device_->close_reads();
  return exchange_.end(others_broken);
}

bool IndexHalo::retire() {
  const bool retired = exchange_.retire();
  if (retired && device_) device_->release();
  return retired;
}

void IndexHalo::describe_round(RoundDescriptor &descriptor) { descriptor = check_->start(); }

Looks *IndexHalo::looks() { return check_.get(); }

void IndexHalo::set_swap(const hlc_index_swap *what) {
  const bool all_fields = !what || what->nfields == 0 || what->nfields == static_cast<int>(tables_.fields.size());
  const bool everything = all_fields && !(what && what->reverse);
  if (everything && everything_) return;
  const bool as_before = !everything && !everything_ && !all_fields && moves_as_much(*what, tables_);
  everything_ = everything;
  tables_.reverse = what && what->reverse;
  list_swapped(what, tables_.fields.size(), tables_.swapped);
  if (as_before) return;
  for (std::size_t i = 0; i < tables_.links.size(); ++i) {
    const auto out = static_cast<std::int64_t>(tables_.links[i].out.size()), in = static_cast<std::int64_t>(tables_.links[i].in.size());
    exchange_.parts()[i] = {tables_.message_bytes(tables_.reverse ? in : out, tables_.swapped),
                            tables_.message_bytes(tables_.reverse ? out : in, tables_.swapped)};
  }
  exchange_.set_round(everything, tables_.reverse);
}

/// A reverse swap exchanges the roles of the two lists. No past_caches: entries are too small for it.
void IndexHalo::pack(int edge, void *buffer, bool) {
  const IndexLink &link = tables_.links[static_cast<std::size_t>(edge)];
  const EntryMap &map = tables_.reverse ? link.in_map : link.out_map;
  std::int64_t offset = 0;
  for (const int f : tables_.swapped) {
    const IndexField &field = tables_.fields[static_cast<std::size_t>(f)];
    offset = field.aligned(offset);
    give(map, field.kind, field.layout, packed_at(static_cast<char *>(buffer) + offset, field.kind));
    offset += map.count * field.kind.bytes();
  }
}

/// Entries that several neighbours add to are added to in the device's memory, by one after the other.
void IndexHalo::unpack(int edge, const void *buffer) {
  const IndexLink &link = tables_.links[static_cast<std::size_t>(edge)];
  if (device_ && tables_.reverse) {
    device_->fetch(link.out_stretch);
    if (failed(device_->wait())) return;
  }
  const EntryMap &map = tables_.reverse ? link.out_map : link.in_map;
  auto *from = const_cast<char *>(static_cast<const char *>(buffer));  // a layout's data; only read here
  std::int64_t offset = 0;
  for (const int f : tables_.swapped) {
    const IndexField &field = tables_.fields[static_cast<std::size_t>(f)];
    offset = field.aligned(offset);
    const EntryLayout packed = packed_at(from + offset, field.kind);
    tables_.reverse ? add(map, field.kind, field.layout, packed) : take(map, field.kind, field.layout, packed);
    offset += map.count * field.kind.bytes();
  }
  store(link);
}

/// What has been received, on a device.
void IndexHalo::store(const IndexLink &link) {
  if (device_) device_->store(tables_.reverse ? link.out_stretch : link.in_stretch);
}

void IndexHalo::pull(Edges edges) {
  for (const int e : edges) pull_link(tables_.links[static_cast<std::size_t>(e)]);
  if (device_) static_cast<void>(device_->wait());  // the neighbours may write what has been copied; finish returns the error
}

/// Each field where it is: the host's by the processor, the device's by copies there. In reverse the processor adds those, too.
void IndexHalo::pull_link(const IndexLink &link) {
  char *ghosts = nullptr;
  if (device_ && !tables_.reverse) device_->pull(link);
  if (device_ && tables_.reverse) {
    ghosts = device_->fetch_peer_ghosts(link);
    device_->fetch(link.out_stretch);
    if (failed(device_->wait())) return;
  }
  std::int64_t offset = 0;
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const IndexField &field = tables_.fields[f];
    offset = field.aligned(offset);
    if (field.device < 0 && tables_.reverse)
      add(link.out_map, field.kind, field.layout, link.fields[f].layout);
    else if (field.device < 0)
      take(link.in_map, field.kind, field.layout, link.fields[f].layout);
    else if (ghosts)
      add(link.added, field.kind, field.layout, packed_at(ghosts + offset, field.kind));
    offset += link.added.count * field.kind.bytes();
  }
  if (ghosts) device_->store(link.out_stretch);
}

Status IndexHalo::finish() {
  const Status status = exchange_.rounds().finish(true);
  if (status != Status::ok) return status;
  // The neighbours have what they need even if copies to a device have failed here. But this rank's ghosts are not what they should be.
  const Status copied = device_ ? device_->result() : Status::ok;
  if (failed(copied)) exchange_.rounds().break_up();
  if (!device_ && !tables_.reverse) fetch_back(tables_);
  return copied;
}

/// Moves entries between my own lists; in reverse, adds them to where they are from.
void IndexHalo::copy_to_self() {
  for (const IndexLink &link : tables_.self_links) {
    if (device_ && tables_.reverse) {
      device_->fetch(link.out_stretch);
      if (failed(device_->wait())) return;
    }
    move_to_self(link);
    store(link);
  }
}

void IndexHalo::move_to_self(const IndexLink &link) {
  for (const int f : tables_.swapped) {
    const IndexField &field = tables_.fields[static_cast<std::size_t>(f)];
    if (tables_.reverse)
      add(link.out_map, field.kind, field.layout, field.layout);
    else
      take(link.in_map, field.kind, field.layout, field.layout);
  }
}

}  // namespace halocline::core
