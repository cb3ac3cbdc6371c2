// The planning of a stage: its fields and the edges of its exchange. For neighbours that are read directly see read_descriptors.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "base/log.hpp"
#include "device/pointers.hpp"
#include "engine/communicator/collective.hpp"
#include "exchange/modes/modes.hpp"
#include "halo/agree.hpp"
#include "halo/read_descriptors.hpp"
#include "halo/stage.hpp"

namespace halocline::core {
namespace {

/// With HALOCLINE_CHECK=1 values are compared in the halo, so they are copied there. Cells that occur more than once in a halo have no box
/// of their own in any rank's memory. In both cases there are no views: NULL.
std::unique_ptr<Views> make_views(const hlc_halo_spec &spec, bool checks, HaloTables &tables, bool asked) {
  if (checks) {
    if (asked)
      report_once("view", "check",
                  "mode view: with HALOCLINE_CHECK=1 cells are copied into the halo, as in mode direct, and views show the halo");
    return nullptr;
  }
  tables.aligns = true;
  if (DeviceCells::are_in(tables)) {
    if (asked)
      report_once("view", "device", "mode view: fields are in a device's memory; cells are copied into the halo, and views show the halo");
    return nullptr;
  }
  const int d = find_wrapped(spec);
  if (d < 0) return std::make_unique<Views>(tables);
  if (asked)
    report_once("view", "deep",
                "mode view: along dimension %d the halo is deeper than the block; cells are copied into it, as in mode direct, and views "
                "show the halo",
                d);
  return nullptr;
}

std::vector<Edge> make_edges(const HaloTables &tables) {
  const int readable = how_readable(tables.fields, [](const HaloField &field) { return kind_of_array(field.place, field.device); });
  std::vector<Edge> edges;
  for (const HaloPath &path : tables.paths) {
    Edge edge;
    edge.rank = path.direction.rank;
    edge.tag_out = direction_index(path.direction.v, tables.ndims);
    edge.tag_in = direction_index(opposite(path.direction.v), tables.ndims);
    edge.readable = readable;
    // The cells across which the two blocks meet; the other end's direction is -v, and it has its halo where I have my edge.
    for (std::size_t d = 0; d < static_cast<std::size_t>(tables.ndims); ++d)
      edge.shape = (edge.shape * 1'000'003 + (path.direction.v[d] == 0 ? path.direction.halo.count[d] : 0)) % 1'000'000'007;
    for (std::size_t f = 0; f < tables.fields.size(); ++f) {
      edge.out = tables.aligned(edge.out, f) + path.moves[f].edge_bytes;
      edge.in = tables.aligned(edge.in, f) + path.moves[f].halo_bytes;
    }
    edge.space_out = edge.space_in = std::max(edge.out, edge.in);
    edges.push_back(edge);
  }
  return edges;
}

/// Contiguous runs of bytes in the moves of some paths.
std::int64_t count_runs(const std::vector<HaloPath> &paths, BoxCopy HaloMove::*copy) {
  std::int64_t runs = 0;
  for (const HaloPath &path : paths)
    for (const HaloMove &move : path.moves) {
      const BoxCopy &box = move.*copy;
      if (box.run > 0) runs += box.count[0] * box.count[1] * box.count[2] * box.count[3];
    }
  return runs;
}

/// Pieces of one direction follow each other.
int count_own_directions(const HaloTables &tables) {
  int count = 0;
  for (const auto *paths : {&tables.self_paths, &tables.repeats})
    for (std::size_t i = 0; i < paths->size(); ++i) count += i == 0 || (*paths)[i - 1].direction.v != (*paths)[i].direction.v;
  return count;
}

}  // namespace

Stage::Stage(const EngineParts &engine)
    : Halo(engine),
      communicator_(engine.communicator),
      fields_(engine.fields),
      memory_(fields_),
      exchange_(engine, *this, kSwapOfHalo),
      copies_(tables_) {}

Status Stage::plan_stage(const hlc_halo_spec &spec, const Options &options, const Cells &grown) {
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
    tables_.ndims = spec.grid->ndims;
    tables_.grown = grown;
    for (int f = 0; f < spec.nfields; ++f) {
      tables_.fields.push_back(describe_field(spec, f));
      if (tables_.fields.back().device == device::kHost)
        memory_.place(tables_.fields.back(), !spec.rebind && find_mode(options.mode)->reads_fields);
      else
        memory_.keep(tables_.fields.back());
    }
    tables_.swapped.reserve(tables_.fields.size());
    return Status::ok;
  }));
  HLC_TRY(agree_on_orders(communicator_, spec, tables_.fields));
  std::vector<Edge> edges;
  std::string label;
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
    list_paths(spec, communicator_.rank(), tables_);
    if (DeviceCells::are_in(tables_)) HLC_TRY(plan_device(options, spec.rebind));
    if (options.mode == HLC_MODE_VIEW) views_ = make_views(spec, exchange_.plan().check_mailbox, tables_, !options.chosen);
    if (spec.rebind) bindings_ = std::make_unique<Bindings>(tables_, communicator_, fields_, exchange_.places());
    label = label_of("halo", tables_.fields, options.name);
    edges = make_edges(tables_);
    return Status::ok;
  }));
  HLC_TRY(exchange_.create(options, std::move(edges), std::move(label), tables_.ndims));
  if (exchange_.check())
    HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
      check_ = std::make_unique<HaloCheck>(tables_, exchange_, spec);
      return Status::ok;
    }));
  set_swap(nullptr);
  return Status::ok;
}

/// Neighbours read device memory in place if the mode reads fields. Not so where swaps may use other arrays, and with HALOCLINE_CHECK=1,
/// which compares images.
Status Stage::plan_device(const Options &options, bool rebinds) {
  device_ = std::make_unique<DeviceCells>(tables_, communicator_.rank());
  HLC_TRY(device_->create());
  if (!find_mode(options.mode)->reads_fields || rebinds || exchange_.plan().check_mailbox) return Status::ok;
  reads_ = std::make_unique<DeviceReads>(communicator_, "hlc_halo_init", device_->staging());
  give_arrays();
  return Status::ok;
}

/// Over each edge both ends give all their fields.
void Stage::give_arrays() {
  std::vector<DeviceReads::Array> arrays;
  DeviceReads::Link link;
  for (HaloField &field : tables_.fields) {
    link.mine.push_back(static_cast<int>(arrays.size()));
    arrays.push_back({is_on_device(field) ? field.data : nullptr, field.extent, "field '" + field.name + "'", &field.place});
  }
  link.theirs = arrays.size();
  reads_->give(arrays, std::vector(tables_.paths.size(), link));
}

Status Stage::met(Plan &plan) { return reads_ ? reads_->meet(plan) : Status::ok; }

Status Stage::joined(const Plan &plan) {
  if (find_mode(plan.options.mode)->reads_fields)
    HLC_TRY(ReadDescriptors(communicator_, tables_, memory_, reads_.get()).swap(plan, bindings_.get(), views_.get()));
  return alone(communicator_, [this] {
    copies_.make_room([this](int edge) { return exchange_.packs(edge); });
    return Status::ok;
  });
}

Work Stage::work() const {
  Work work = exchange_.work();
  work.runs = count_runs(tables_.paths, &HaloMove::unpack_halo);
  for (const auto *paths : {&tables_.self_paths, &tables_.repeats}) work.runs += count_runs(*paths, &HaloMove::pull_halo);
  work.local_bytes = tables_.self_bytes;
  return work;
}

hlc_plan_info Stage::describe() const {
  hlc_plan_info info{};
  exchange_.describe(info);
  info.self_copies = count_own_directions(tables_);
  info.self_bytes = tables_.self_bytes;
  const std::size_t paths = tables_.paths.size() + tables_.self_paths.size() + tables_.repeats.size();
  info.memory_bytes += static_cast<std::int64_t>(sizeof(Stage) + paths * (sizeof(HaloPath) + tables_.fields.size() * sizeof(HaloMove)));
  info.memory_bytes += copies_.memory_bytes() + (device_ ? device_->bytes() : 0);
  return info;
}

}  // namespace halocline::core
