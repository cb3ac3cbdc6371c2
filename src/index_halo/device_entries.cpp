// Images of arrays, and copies of runs of entries.
// SPDX-License-Identifier: BSD-3-Clause
#include "index_halo/device_entries.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace halocline::core {
namespace {

/// A list in more runs than this is fetched as the stretch of the array that has all of it. What is stored is always the list alone.
constexpr std::size_t kManyRuns = 16;

/// Lists in more runs than this, which are short, are not read in place. The runs of both ends of a link together are fewer than those of either
/// end added. Both ends have to find the same, so each asks for few of its own.
constexpr std::size_t kFewRuns = 8;
/// What a device copies in the 4 us that a copy takes at least.
constexpr std::int64_t kLongRunBytes = std::int64_t{64} << 10;

/// Entries at one side of a copy.
struct Place {
  EntryLayout layout;
  std::int64_t first = 0;
  bool on_device = true;
};

/// Two loops, over entries and components, of which the one whose values are side by side is part of the run.
device::StridedCopy copy_of(const EntryKind &kind, std::int64_t count, const Place &to, const Place &from) {
  const auto both = [&](auto is_so) { return is_so(to.layout) && is_so(from.layout); };
  const bool in_one_piece = kind.components == 1 || both([&](const EntryLayout &l) { return l.component == kind.element; });
  device::StridedCopy copy;
  const auto loops = [&](std::int64_t run, std::array<std::int64_t, 4> counts, auto steps_of) {
    const auto side = [&](const Place &place) {
      return device::Strided{place.layout.data + place.first * place.layout.entry, place.on_device, steps_of(place.layout)};
    };
    copy = {side(to), side(from), run, counts};
  };
  using Steps = std::array<std::int64_t, 4>;
  if (in_one_piece && both([&](const EntryLayout &l) { return l.entry == kind.bytes(); }))
    loops(count * kind.bytes(), {1, 1, 1, 1}, [](const EntryLayout &) { return Steps{}; });
  else if (in_one_piece)
    loops(kind.bytes(), {count, 1, 1, 1}, [](const EntryLayout &l) { return Steps{l.entry}; });
  else if (both([&](const EntryLayout &l) { return l.entry == kind.element; }))
    loops(count * kind.element, {kind.components, 1, 1, 1}, [](const EntryLayout &l) { return Steps{l.component}; });
  else
    loops(kind.element, {count, kind.components, 1, 1}, [](const EntryLayout &l) { return Steps{l.entry, l.component}; });
  return copy;
}

EntryStretch stretch_of(const Indices &list) {
  if (list.empty()) return {};
  const auto [least, most] = std::minmax_element(list.begin(), list.end());
  return {find_runs(list), *least, *most - *least + 1};
}

}  // namespace

bool DeviceEntries::are_in(const IndexTables &tables) {
  return std::any_of(tables.fields.begin(), tables.fields.end(), [](const IndexField &field) { return field.device >= 0; });
}

Status DeviceEntries::create(Communicator &communicator, bool reads) {
  const IndexField *first = nullptr;
  HLC_TRY(device::find_common_device({"hlc_index_halo_init", rank_}, "an index halo", tables_.fields, &first));
  std::int64_t bytes = 0;
  for (const IndexField &field : tables_.fields)
    if (field.device >= 0) bytes += round_up(field.extent, 64);
  HLC_TRY(queue_.open(first->layout.data, first->device, bytes + (reads ? longest_sum() : 0)));
  sums_ = queue_.memory() + bytes;
  char *image = queue_.memory();
  for (IndexField &field : tables_.fields) {
    if (field.device < 0) continue;
    field.on_device = field.layout.data;
    field.layout.data = image;
    image += round_up(field.extent, 64);
  }
  for (auto *links : {&tables_.links, &tables_.self_links})
    for (IndexLink &link : *links) {
      link.out_stretch = stretch_of(link.out);
      link.in_stretch = stretch_of(link.in);
    }
  if (reads) give_arrays(communicator);
  return Status::ok;
}

/// Over each edge both ends give all their fields.
void DeviceEntries::give_arrays(Communicator &communicator) {
  std::vector<DeviceReads::Array> arrays;
  DeviceReads::Link link;
  for (IndexField &field : tables_.fields) {
    link.mine.push_back(static_cast<int>(arrays.size()));
    arrays.push_back({field.on_device, field.extent, "field '" + field.name + "'", &field.place});
  }
  link.theirs = arrays.size();
  reads_ = std::make_unique<DeviceReads>(communicator, "hlc_index_halo_init", queue_.staging());
  reads_->give(arrays, std::vector(tables_.links.size(), link));
}

void DeviceEntries::close_reads() {
  if (reads_) reads_->close();
}

void DeviceEntries::release() {
  close_reads();
  queue_.close();
}

/// Bytes of the most ghosts that a reverse swap adds here.
std::int64_t DeviceEntries::longest_sum() const {
  std::vector<int> all(tables_.fields.size());
  std::iota(all.begin(), all.end(), 0);
  std::int64_t most = 0;
  for (const IndexLink &link : tables_.links) most = std::max(most, tables_.message_bytes(static_cast<std::int64_t>(link.out.size()), all));
  return most;
}

bool DeviceEntries::has_long_runs(std::size_t index) {
  const IndexLink &link = tables_.links[index];
  std::int64_t bytes = 0, fields = 0;
  for (const IndexField &field : tables_.fields)
    if (field.device >= 0) bytes += field.kind.bytes(), ++fields;
  for (const auto &[list, stretch] : {std::pair(&link.out, &link.out_stretch), std::pair(&link.in, &link.in_stretch)}) {
    const auto runs = static_cast<std::int64_t>(stretch->runs.size());
    if (stretch->runs.size() <= kFewRuns) continue;
    const std::int64_t mean = static_cast<std::int64_t>(list->size()) * bytes / (runs * fields);
    if (mean >= kLongRunBytes) continue;
    if (reads_)
      reads_->decline(index, "the entries that are sent to rank " + std::to_string(link.rank) + ", or received from it, are in " +
                                 std::to_string(runs) + " runs of " + std::to_string(mean) +
                                 " bytes in the mean, each of which would be a copy of its own");
    return false;
  }
  return true;
}

Status DeviceEntries::fetch_sent(const Exchange &exchange, bool all) {
  queue_.start(reads_ && reads_->count() > 0);
  if (all)
    for (const IndexField &field : tables_.fields)
      if (field.device >= 0 && field.extent > 0)
        queue_.copy({{field.layout.data, false, {}}, {field.on_device, true, {}}, field.extent, {1, 1, 1, 1}});
  const auto fetch_link = [&](const IndexLink &link) { fetch(tables_.reverse ? link.in_stretch : link.out_stretch); };
  for (std::size_t e = 0; e < tables_.links.size(); ++e)
    if (exchange.packs(static_cast<int>(e))) fetch_link(tables_.links[e]);
  for (const IndexLink &link : tables_.self_links) fetch_link(link);
  return queue_.wait();
}

void DeviceEntries::move(const EntryStretch &list, bool to_device) {
  const bool whole = !to_device && list.runs.size() > kManyRuns;
  for (const int f : tables_.swapped) {
    const IndexField &field = tables_.fields[static_cast<std::size_t>(f)];
    if (field.device < 0) continue;
    if (whole)
      move_run(field, list.first, list.count, to_device);
    else
      for (const EntryRun &run : list.runs) move_run(field, run.mine, run.count, to_device);
  }
}

void DeviceEntries::move_run(const IndexField &field, std::int64_t first, std::int64_t count, bool to_device) {
  const Place there{field.given(), first, true}, image{field.layout, first, false};
  queue_.copy(copy_of(field.kind, count, to_device ? there : image, to_device ? image : there));
}

void DeviceEntries::pull(const IndexLink &link) {
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const IndexField &field = tables_.fields[f];
    if (field.device < 0) continue;
    for (const EntryRun &run : link.pulled)
      queue_.copy(copy_of(field.kind, run.count, {field.given(), run.mine}, {link.fields[f].layout, run.theirs}));
  }
}

char *DeviceEntries::fetch_peer_ghosts(const IndexLink &link) {
  std::int64_t offset = 0;
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const IndexField &field = tables_.fields[f];
    offset = field.aligned(offset);
    for (const EntryRun &run : link.peer_ghosts)
      if (field.device >= 0)
        queue_.copy(
            copy_of(field.kind, run.count, {packed_at(sums_ + offset, field.kind), run.theirs, false}, {link.fields[f].layout, run.mine}));
    offset += link.added.count * field.kind.bytes();
  }
  return sums_;
}

DeviceFields DeviceEntries::describe() const {
  DeviceFields fields{
      queue_.device(), device::name_of_device(queue_.device()), {}, queue_.bytes(), 0, static_cast<int>(tables_.links.size()), ""};
  for (const IndexField &field : tables_.fields)
    if (field.device >= 0) fields.names.push_back(field.name);
  if (reads_) reads_->describe(fields);
  return fields;
}

}  // namespace halocline::core
