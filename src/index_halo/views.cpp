// Finishing a swap without copies, and returning views of the values of the in lists.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/log.hpp"
#include "engine/communicator/communicator.hpp"
#include "engine/memory/fields.hpp"
#include "exchange/rounds.hpp"
#include "index_halo/index_halo.hpp"

namespace halocline::core {
namespace {

std::vector<hlc_index_run> runs_of(const Indices &places) {
  std::vector<hlc_index_run> runs;
  for (const EntryRun &run : find_runs(places)) runs.push_back({run.mine, run.theirs, run.count});
  return runs;
}

/// The runs of values in a buffer: a single one.
std::vector<hlc_index_run> one_run(const Indices &in) {
  if (in.empty()) return {};
  return {{0, 0, static_cast<std::int64_t>(in.size())}};
}

}  // namespace

/// With HALOCLINE_CHECK=1 values are compared in the ghosts, so they are copied there.
void IndexHalo::make_views() {
  if (exchange_.plan().check_mailbox) {
    if (!options_.chosen)
      report_once("view", "check",
                  "mode view: with HALOCLINE_CHECK=1 cells are copied into the halo, as in mode direct, and views show the halo");
    return;
  }
  if (device_) {
    if (!options_.chosen)
      report_once("view", "device",
                  "mode view: fields are in a device's memory; entries are copied into the ghosts, and views show the ghosts");
    return;
  }
  views_ = true;
  for (auto *links : {&tables_.links, &tables_.self_links})
    for (IndexLink &link : *links) link.data.resize(tables_.fields.size());
}

Status IndexHalo::finish_views() {
  if (!views_ || tables_.reverse) return finish();
  for (auto *links : {&tables_.links, &tables_.self_links})
    for (IndexLink &link : *links) std::fill(link.data.begin(), link.data.end(), nullptr);
  for (IndexLink &link : tables_.self_links)
    for (const int f : tables_.swapped) link.data[static_cast<std::size_t>(f)] = tables_.fields[static_cast<std::size_t>(f)].layout.data;
  return exchange_.rounds().finish_views();
}

/// The fields of a message are contiguous but for alignment, as pack has written them.
void IndexHalo::show(int edge, const void *buffer) {
  IndexLink &link = tables_.links[static_cast<std::size_t>(edge)];
  link.in_buffer = buffer != nullptr;
  std::int64_t offset = 0;
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    offset = tables_.fields[f].aligned(offset);
    link.data[f] = buffer ? static_cast<const char *>(buffer) + offset : link.fields[f].layout.data;
    offset += static_cast<std::int64_t>(link.in.size()) * tables_.fields[f].kind.bytes();
  }
}

Status IndexHalo::announce_release() { return exchange_.rounds().announce_release(); }

Status IndexHalo::release() {
  if (exchange_.state().broken)
    return exchange_.bad_call("hlc_index_halo_release", "an earlier swap of this halo failed; it can only be finalised");
  if (state().under_way) return exchange_.bad_call("hlc_index_halo_release", "a swap of this halo is in flight; finish it first");
  return exchange_.rounds().release();
}

Status IndexHalo::show_view(int field, int neighbour, hlc_index_view *view) {
  constexpr const char *call = "hlc_index_halo_view";
  const int nfields = static_cast<int>(tables_.fields.size()),
            nneighbours = static_cast<int>(tables_.links.size() + tables_.self_links.size());
  if (field < 0 || field >= nfields)
    return fail(Status::argument, "%s on rank %d: field is %d but must be 0 to %d", call, communicator_.rank(), field, nfields - 1);
  if (neighbour < 0 || neighbour >= nneighbours)
    return fail(Status::argument, "%s on rank %d: neighbour is %d but must be 0 to %d", call, communicator_.rank(), neighbour,
                nneighbours - 1);
  if (!view) return fail(Status::argument, "%s on rank %d: view is NULL", call, communicator_.rank());
  if (state().under_way) return exchange_.bad_call(call, "a swap of this halo is in flight; finish it first");
  for (auto *links : {&tables_.links, &tables_.self_links})
    for (IndexLink &link : *links)
      if (link.entry == neighbour) fill_view(link, static_cast<std::size_t>(field), *view);
  return Status::ok;
}

void IndexHalo::fill_view(IndexLink &link, std::size_t f, hlc_index_view &view) const {
  const bool shown = exchange_.views_out(), in_buffer = shown && link.in_buffer;
  std::vector<hlc_index_run> &runs = shown ? link.runs : link.own_runs;
  if (runs.empty()) runs = in_buffer ? one_run(link.in) : runs_of(shown ? link.shown : link.in);
  EntryLayout layout = tables_.fields[f].given();
  if (in_buffer) layout = packed_at(nullptr, tables_.fields[f].kind);
  if (shown && !in_buffer && !link.fields.empty()) layout = link.fields[f].layout;
  view = {shown ? link.data[f] : layout.data,     layout.entry, layout.component,
          static_cast<std::int64_t>(runs.size()), runs.data(),  link.rank};
}

}  // namespace halocline::core
