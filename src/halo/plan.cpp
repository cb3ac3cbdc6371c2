// The planning of a stage: its fields and the edges of its exchange. For neighbours that are read directly see read_descriptors.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "base/log.hpp"
#include "exchange/modes/modes.hpp"
#include "halo/agree.hpp"
#include "halo/stage.hpp"

namespace halocline::core {

Status Stage::create(const hlc_halo_spec &spec, const Options &options, const Cells &grown) {
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
    options_ = options;
    tables_.ndims = spec.grid->ndims;
    tables_.grown = grown;
    take_fields(spec);
    tables_.swapped.reserve(tables_.fields.size());
    return Status::ok;
  }));
  HLC_TRY(agree_on_orders(communicator_, spec, tables_.fields));
  std::vector<Edge> edges;
  std::string label;
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
    list_paths(spec, communicator_.rank(), tables_);
    if (options_.mode == HLC_MODE_VIEW) make_views(spec);
    if (spec.rebind) make_bindings();
    label = label_of("halo", tables_.fields, options_.name);
    edges = make_edges();
    return Status::ok;
  }));
  HLC_TRY(exchange_.create(options_, std::move(edges), std::move(label), tables_.ndims));
  if (exchange_.check()) HLC_TRY(make_check(spec));
  set_swap(nullptr);
  return Status::ok;
}

Status Stage::make_check(const hlc_halo_spec &spec) {
  return prepare(communicator_, communicator_.comm(), [&] {
    check_ = std::make_unique<HaloCheck>(tables_, exchange_, spec);
    return Status::ok;
  });
}

Stage::Stage(const EngineParts &engine)
    : communicator_(engine.communicator), fields_(engine.fields), held_(fields_), exchange_(engine, *this, kSwapOfHalo), copies_(tables_) {}

Stage::~Stage() {
  if (bindings_) abandon();
}

void Stage::take_fields(const hlc_halo_spec &spec) {
  for (int f = 0; f < spec.nfields; ++f) {
    HaloField field = describe_field(spec, f);
    field.place = held_.find(field.data, field.extent);
    if (!spec.rebind) expose(field);
    tables_.fields.push_back(std::move(field));
  }
}

/// An array of the caller's own can be read by neighbours if the kernel lets them.
void Stage::expose(HaloField &field) {
  if (field.place.serial >= 0 || !find_mode(options_.mode)->reads_fields) return;
  Exposed exposed(field.data, field.extent);
  field.exposed = exposed.address();
  if (field.exposed.segment < 0) return;
  exposures_.mine.push_back(std::move(exposed));
  field.place = {kExposedSerial, 0};
}

/// With HALOCLINE_CHECK=1 values are compared in the halo, so they are copied there. Cells that occur more than once in a halo have no box
/// of their own in any rank's memory.
void Stage::make_views(const hlc_halo_spec &spec) {
  if (exchange_.plan().check_mailbox) {
    report_once("view", "check",
                "mode view: with HALOCLINE_CHECK=1 cells are copied into the halo, as in mode direct, and views show the halo");
    return;
  }
  tables_.aligns = true;
  if (const int d = find_wrapped(spec); d >= 0)
    return report_once(
        "view", "deep",
        "mode view: along dimension %d the halo is deeper than the block; cells are copied into it, as in mode direct, and views "
        "show the halo",
        d);
  views_ = std::make_unique<Views>(tables_);
}

std::vector<Edge> Stage::make_edges() const {
  const std::vector<HaloField> &fields = tables_.fields;
  const bool readable = std::all_of(fields.begin(), fields.end(), [](const HaloField &f) { return f.place.serial != FieldPlace().serial; });
  std::vector<Edge> edges;
  for (const HaloPath &path : tables_.paths) {
    Edge edge;
    edge.rank = path.direction.rank;
    edge.tag_out = direction_index(path.direction.v, tables_.ndims);
    edge.tag_in = direction_index(opposite(path.direction.v), tables_.ndims);
    edge.readable = readable;
    // The cells across which the two blocks meet; the other end's direction is -v, and it has its halo where I have my edge.
    for (std::size_t d = 0; d < static_cast<std::size_t>(tables_.ndims); ++d)
      edge.shape = (edge.shape * 1'000'003 + (path.direction.v[d] == 0 ? path.direction.halo.count[d] : 0)) % 1'000'000'007;
    for (std::size_t f = 0; f < tables_.fields.size(); ++f) {
      edge.out = tables_.aligned(edge.out, f) + path.moves[f].edge_bytes;
      edge.in = tables_.aligned(edge.in, f) + path.moves[f].halo_bytes;
    }
    edge.space_out = edge.space_in = std::max(edge.out, edge.in);
    edges.push_back(edge);
  }
  return edges;
}

hlc_plan_info Stage::describe() const {
  hlc_plan_info info{};
  exchange_.describe(info);
  info.self_copies = count_own_directions();
  for (const auto *paths : {&tables_.self_paths, &tables_.repeats})
    for (const HaloPath &path : *paths)
      for (const HaloMove &move : path.moves) info.self_bytes += move.halo_bytes;
  const std::size_t paths = tables_.paths.size() + tables_.self_paths.size() + tables_.repeats.size();
  info.memory_bytes += static_cast<std::int64_t>(sizeof(Stage) + paths * (sizeof(HaloPath) + tables_.fields.size() * sizeof(HaloMove)));
  info.memory_bytes += copies_.memory_bytes();
  return info;
}

/// Pieces of one direction follow each other.
int Stage::count_own_directions() const {
  int count = 0;
  for (const auto *paths : {&tables_.self_paths, &tables_.repeats})
    for (std::size_t i = 0; i < paths->size(); ++i) count += i == 0 || (*paths)[i - 1].direction.v != (*paths)[i].direction.v;
  return count;
}

}  // namespace halocline::core
