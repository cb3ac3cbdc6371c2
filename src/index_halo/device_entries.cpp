// Images of arrays, and copies of runs of entries.
// SPDX-License-Identifier: BSD-3-Clause
#include "index_halo/device_entries.hpp"

#include <algorithm>

namespace halocline::core {
namespace {

/// A list in more runs than this is fetched as the stretch of the array that has all of it. What is stored is always the list alone.
constexpr std::size_t kManyRuns = 16;

EntryStretch stretch_of(const Indices &list) {
  if (list.empty()) return {};
  const auto [least, most] = std::minmax_element(list.begin(), list.end());
  return {find_runs(list), *least, *most - *least + 1};
}

}  // namespace

bool DeviceEntries::are_in(const IndexTables &tables) {
  return std::any_of(tables.fields.begin(), tables.fields.end(), [](const IndexField &field) { return field.device >= 0; });
}

Status DeviceEntries::create() {
  const IndexField *first = nullptr;
  HLC_TRY(device::find_common_device({"hlc_index_halo_init", rank_}, "an index halo", tables_.fields, &first));
  std::int64_t bytes = 0;
  for (const IndexField &field : tables_.fields)
    if (field.device >= 0) bytes += round_up(field.extent, 64);
  HLC_TRY(queue_.open(first->layout.data, first->device, bytes));
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
  return Status::ok;
}

Status DeviceEntries::fetch_sent(bool all) {
  queue_.start();
  if (all)
    for (const IndexField &field : tables_.fields)
      if (field.device >= 0 && field.extent > 0)
        queue_.copy({{field.layout.data, false, {}}, {field.on_device, true, {}}, field.extent, {1, 1, 1, 1}});
  for (const auto *links : {&tables_.links, &tables_.self_links})
    for (const IndexLink &link : *links) fetch(tables_.reverse ? link.in_stretch : link.out_stretch);
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

/// Two loops, over entries and components, of which the one whose values are side by side is part of the run.
void DeviceEntries::move_run(const IndexField &field, std::int64_t first, std::int64_t count, bool to_device) {
  const std::int64_t element = field.kind.element, components = field.kind.components;
  const std::int64_t entry = field.layout.entry, component = field.layout.component, at = first * entry;
  device::StridedCopy copy;
  const auto loops = [&](std::int64_t run, std::array<std::int64_t, 4> counts, std::array<std::int64_t, 4> steps) {
    copy.run = run;
    copy.count = counts;
    copy.to = {(to_device ? field.on_device : field.layout.data) + at, to_device, steps};
    copy.from = {(to_device ? field.layout.data : field.on_device) + at, !to_device, steps};
  };
  if (component == element && entry == element * components)
    loops(count * entry, {1, 1, 1, 1}, {});
  else if (component == element && entry > element * components)
    loops(element * components, {count, 1, 1, 1}, {entry});
  else if (entry == element)
    loops(count * element, {components, 1, 1, 1}, {component});
  else
    loops(element, {count, components, 1, 1}, {entry, component});
  queue_.copy(copy);
}

DeviceFields DeviceEntries::describe() const {
  DeviceFields fields{
      queue_.device(), device::name_of_device(queue_.device()), {}, queue_.bytes(), 0, static_cast<int>(tables_.links.size()), ""};
  for (const IndexField &field : tables_.fields)
    if (field.device >= 0) fields.names.push_back(field.name);
  return fields;
}

}  // namespace halocline::core
