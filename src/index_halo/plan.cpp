// The planning of an index halo: fields and lists. For what neighbours that can be read directly send each other see read_lists.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "base/types.hpp"
#include "device/pointers.hpp"
#include "engine/communicator/consistency.hpp"
#include "engine/memory/fields.hpp"
#include "exchange/modes/modes.hpp"
#include "index_halo/check.hpp"
#include "index_halo/index_halo.hpp"
#include "index_halo/read_lists.hpp"
#include "index_halo/spec.hpp"

namespace halocline::core {
namespace {

/// Sorts the entries of the list of neighbours: those that name this rank itself apart.
void take_links(const hlc_index_halo_spec &spec, int rank, IndexTables &tables) {
  for (int n = 0; n < spec.nneighbours; ++n) {
    const hlc_index_neighbour &given = spec.neighbours[n];
    IndexLink link;
    link.rank = given.rank;
    link.tag_out = given.tag_out;
    link.tag_in = given.tag_in;
    link.entry = n;
    if (given.nout > 0) link.out.assign(given.out, given.out + given.nout);
    if (given.nin > 0) link.in.assign(given.in, given.in + given.nin);
    (given.rank == rank ? tables.self_links : tables.links).push_back(std::move(link));
  }
}

std::vector<Edge> edges_of(const IndexTables &tables, DeviceEntries *device) {
  const int readable = how_readable(tables.fields, [](const IndexField &field) { return kind_of_array(field.place, field.device); });
  std::vector<int> all;
  for (std::size_t f = 0; f < tables.fields.size(); ++f) all.push_back(static_cast<int>(f));
  std::vector<Edge> edges;
  for (std::size_t l = 0; l < tables.links.size(); ++l) {
    const IndexLink &link = tables.links[l];
    Edge edge;
    edge.rank = link.rank;
    edge.tag_out = link.tag_out;
    edge.tag_in = link.tag_in;
    edge.entries_out = static_cast<std::int64_t>(link.out.size());
    edge.entries_in = static_cast<std::int64_t>(link.in.size());
    edge.out = tables.message_bytes(edge.entries_out, all);
    edge.in = tables.message_bytes(edge.entries_in, all);
    edge.space_out = edge.space_in = std::max(edge.out, edge.in);
    // A rank without entries need not have fields.
    edge.readable = edge.space_out == 0 ? kReadByProcessor : !device || readable == 0 || device->has_long_runs(l) ? readable : 0;
    edges.push_back(edge);
  }
  return edges;
}

Status check_same_on_all_ranks(Communicator &communicator, const hlc_index_halo_spec &spec, const Options &options) {
  const PlanCall call(communicator);
  HLC_TRY(check_rules(communicator, call.text, [&] {
    std::vector<Rule> rules = rules_of(options);
    rules.push_back({"nfields", spec.nfields});
    return rules;
  }));
  return check_rules(communicator, call.text, [&] {
    std::vector<Rule> rules;
    for (int f = 0; f < spec.nfields; ++f) {
      const std::string who = indexed("fields", f) + (spec.fields[f].name ? std::string(" '") + spec.fields[f].name + "'" : "");
      const EntryKind kind = kind_of(spec.fields[f]);
      rules.push_back({"type of " + who, kind.type, type_name});
      rules.push_back({"element_bytes of " + who, kind.element});
      rules.push_back({"components of " + who, kind.components});
    }
    return rules;
  });
}

}  // namespace

IndexHalo::IndexHalo(const EngineParts &engine)
    : communicator_(engine.communicator), held_(engine.fields), exchange_(engine, *this, kSwapOfHalo) {}

IndexHalo::~IndexHalo() = default;

Status IndexHalo::accept(const hlc_index_halo_spec *spec, std::string *plan, bool chosen) {
  const PlanCall call(communicator_);
  HLC_TRY(name_plan(check_spec(spec, communicator_.rank(), communicator_.size()), call));
  for (int f = 0; f < spec->nfields; ++f)
    HLC_TRY(name_plan(check_room({"hlc_index_halo_init", communicator_.rank()}, held_.room(spec->fields[f].data),
                                 field_extent(*spec, spec->fields[f]), [&] { return field_name(*spec, f); }),
                      call));
  options_ = {spec->mode, spec->epoch, spec->drive};
  options_.chosen = chosen;
  HLC_TRY(resolve(options_, communicator_));
  for (int f = 0; f < spec->nfields; ++f)
    plan->append(f == 0 ? "('" : "', '").append(spec->fields[f].name ? spec->fields[f].name : "field " + std::to_string(f));
  plan->append("')");
  return Status::ok;
}

Status IndexHalo::create(const hlc_index_halo_spec *spec) {
  HLC_TRY(check_same_on_all_ranks(communicator_, *spec, options_));
  std::vector<Edge> edges;
  std::string label;
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
    tables_.entries = spec->nentries;
    take_fields(*spec);
    take_links(*spec, communicator_.rank(), tables_);
    HLC_TRY(make_device_entries());
    if (options_.mode == HLC_MODE_VIEW) make_views();
    label = label_of("index halo", tables_.fields);
    edges = edges_of(tables_, device_.get());
    return join_self_links();
  }));
  HLC_TRY(exchange_.create(options_, std::move(edges), std::move(label)));
  if (exchange_.check())
    HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
      check_ = std::make_unique<IndexCheck>(tables_, exchange_);
      return Status::ok;
    }));
  set_swap(nullptr);
  return Status::ok;
}

Status IndexHalo::make_device_entries() {
  if (!DeviceEntries::are_in(tables_)) return Status::ok;
  device_ = std::make_unique<DeviceEntries>(tables_, communicator_.rank());
  // Check mode compares images.
  return device_->create(communicator_, find_mode(options_.mode)->reads_fields && !exchange_.plan().check_mailbox);
}

void IndexHalo::take_fields(const hlc_index_halo_spec &spec) {
  for (int f = 0; f < spec.nfields; ++f) {
    const hlc_index_field &given = spec.fields[f];
    IndexField field{kind_of(given),
                     layout_of(given),
                     held_.find(given.data, field_extent(spec, given)),
                     given.name ? given.name : "field " + std::to_string(f),
                     field_extent(spec, given),
                     device::find_device(given.data)};
    tables_.fields.push_back(std::move(field));
  }
  tables_.swapped.reserve(tables_.fields.size());
}

/// Pairs my own entries that name me as entries of two ranks are paired: what one receives, another one sends, or the same one.
Status IndexHalo::join_self_links() {
  for (IndexLink &link : tables_.self_links) {
    const auto found = std::find_if(tables_.self_links.begin(), tables_.self_links.end(), [&](const IndexLink &candidate) {
      return candidate.tag_out == link.tag_in && candidate.tag_in == link.tag_out;
    });
    if (found == tables_.self_links.end())
      return fail(Status::mismatch,
                  "%s: neighbours disagree: neighbours[%d] of rank %d names that rank itself with tag_in %d, which no entry has as tag_out",
                  message_prefix(communicator_, options_).c_str(), link.entry, link.rank, link.tag_in);
    IndexLink *const other = &*found;
    for (const auto &[from, to] : {std::pair(other, &link), std::pair(&link, other)})
      if (from->out.size() != to->in.size())
        return fail(Status::mismatch,
                    "%s: neighbours disagree: rank %d sends %zu entries to itself (neighbours[%d]), and neighbours[%d] expects %zu",
                    message_prefix(communicator_, options_).c_str(), link.rank, from->out.size(), from->entry, to->entry, to->in.size());
    link.in_map = map_entries(link.in, other->out);
    link.out_map = map_entries(link.out, other->in);
    if (views_) link.shown = other->out;
  }
  return Status::ok;
}

Status IndexHalo::met(Plan &plan) { return device_ && device_->reads() ? device_->reads()->meet(plan) : Status::ok; }

Status IndexHalo::joined(const Plan &plan) {
  std::vector<int> read;
  HLC_TRY(prepare(communicator_, plan.comm, [&] {
    for (std::size_t e = 0; find_mode(plan.options.mode)->reads_fields && e < tables_.links.size(); ++e)
      if (is_read(plan.edges[e]) && plan.edges[e].space_out > 0) read.push_back(static_cast<int>(e));
    for (std::size_t e = 0; e < tables_.links.size(); ++e)
      if (std::find(read.begin(), read.end(), static_cast<int>(e)) == read.end()) {
        tables_.links[e].in_map = map_to_buffer(tables_.links[e].in);
        tables_.links[e].out_map = map_to_buffer(tables_.links[e].out);
      }
    return Status::ok;
  }));
  if (!find_mode(plan.options.mode)->reads_fields) return Status::ok;
  return ReadLists(communicator_, tables_, held_, {views_, device_ ? device_->reads() : nullptr}).fetch(plan, read);
}

Work IndexHalo::work() const {
  Work work = exchange_.work();
  const auto fields = static_cast<std::int64_t>(tables_.fields.size());
  for (const auto *links : {&tables_.links, &tables_.self_links})
    for (const IndexLink &link : *links) work.runs += static_cast<std::int64_t>(find_runs(link.in).size()) * fields;
  for (const IndexLink &link : tables_.self_links)
    for (const IndexField &field : tables_.fields) work.local_bytes += static_cast<std::int64_t>(link.in.size()) * field.kind.bytes();
  return work;
}

hlc_plan_info IndexHalo::describe() const {
  hlc_plan_info info{};
  exchange_.describe(info);
  info.self_copies = static_cast<int>(tables_.self_links.size());
  for (const IndexLink &link : tables_.self_links)
    for (const IndexField &field : tables_.fields) info.self_bytes += static_cast<std::int64_t>(link.in.size()) * field.kind.bytes();
  info.memory_bytes += static_cast<std::int64_t>(sizeof(IndexHalo) + tables_.fields.size() * sizeof(IndexField));
  if (device_) info.memory_bytes += device_->bytes();
  for (const auto *links : {&tables_.links, &tables_.self_links})
    for (const IndexLink &link : *links)
      info.memory_bytes += link.in_map.memory_bytes() + link.out_map.memory_bytes() +
                           static_cast<std::int64_t>(sizeof(IndexLink) + link.fields.size() * sizeof(IndexPeerField) +
                                                     (link.out.size() + link.in.size() + link.shown.size()) * sizeof(std::int64_t) +
                                                     (link.pulled.size() + link.peer_ghosts.size()) * sizeof(EntryRun)) +
                           link.added.memory_bytes();
  return info;
}

}  // namespace halocline::core
