// The planning of a halo: fields, directions and copies. What ranks agree on stands in agree.cpp, neighbours that are read directly in read_cards.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "exchange/modes/modes.hpp"
#include "halo/check.hpp"
#include "halo/staged.hpp"

namespace halocline {
namespace {

std::string name_of(const hlc_field &field, int f) { return field.name ? field.name : "field " + std::to_string(f); }

}  // namespace

Status Halo::accept(const hlc_halo_spec *spec, std::string *plan) {
  HLC_TRY(check_spec(spec, context_.rank(), context_.size()));
  HLC_TRY(check_memory(*spec));
  options_ = {spec->mode, spec->epoch, spec->drive};
  if (spec->name) options_.name = spec->name;
  HLC_TRY(resolve(options_, context_));
  if (spec->name) plan->append("'").append(spec->name).append("' ");
  for (int f = 0; f < spec->nfields; ++f) plan->append(f == 0 ? "('" : "', '").append(name_of(spec->fields[f], f));
  plan->append("')");
  return Status::ok;
}

Status Halo::check_memory(const hlc_halo_spec &spec) const {
  for (int f = 0; f < spec.nfields; ++f)
    HLC_TRY(check_room(context_, "hlc_halo_init", spec.fields[f].data, field_extent(spec, spec.fields[f]),
                       [&] { return indexed("fields", f) + " '" + name_of(spec.fields[f], f) + "'"; }));
  return Status::ok;
}

Status Halo::create(const hlc_halo_spec *spec) {
  HLC_TRY(check_same_on_all_ranks(*spec, options_));
  return Staged::pays(*spec) ? create_stages(*spec) : plan_swap(*spec);
}

/// What a halo needs to be asked for swaps; the stages do the rest.
Status Halo::create_stages(const hlc_halo_spec &spec) {
  HLC_TRY(prepare(context_, context_.comm(), [&] {
    ndims_ = spec.grid->ndims;
    take_fields(spec);
    exposures_.mine.clear();  // the stages expose what is theirs
    extents_ = Extents::of(spec);
    staged_ = std::make_unique<Staged>();
    return Status::ok;
  }));
  return staged_->create(context_, options_, spec);
}

Status Halo::create_stage(const hlc_halo_spec &spec, const Options &options, const Cells &grown) {
  options_ = options;
  grown_ = grown;
  return plan_swap(spec);
}

Status Halo::plan_swap(const hlc_halo_spec &given) {
  const hlc_halo_spec *spec = &given;
  HLC_TRY(prepare(context_, context_.comm(), [&] {
    ndims_ = spec->grid->ndims;
    take_fields(*spec);
    swapped_.reserve(fields_.size());
    return Status::ok;
  }));
  HLC_TRY(agree_on_orders(*spec));
  std::vector<Edge> edges;
  std::string label;
  HLC_TRY(prepare(context_, context_.comm(), [&] {
    take_directions(*spec);
    extents_ = Extents::of(*spec);
    if (options_.mode == HLC_MODE_VIEW) make_views(*spec);
    if (spec->rebind) make_bindings();
    label = label_of("halo", fields_);
    edges = make_edges(std::all_of(fields_.begin(), fields_.end(), [](const Field &f) { return f.place.serial != FieldPlace().serial; }));
    return Status::ok;
  }));
  HLC_TRY(exchange_.create(options_, std::move(edges), std::move(label), ndims_));
  if (exchange_.check()) HLC_TRY(make_check(*spec));
  set_swap(nullptr);
  return Status::ok;
}

Status Halo::make_check(const hlc_halo_spec &spec) {
  return prepare(context_, context_.comm(), [&] {
    check_ = std::make_unique<HaloCheck>(*this, spec);
    return Status::ok;
  });
}

Halo::Halo(Context &context) : context_(context), held_(context), exchange_(context, *this, kSwapOfHalo) {}

Halo::~Halo() {
  if (bindings_) let_go();
}

void Halo::take_fields(const hlc_halo_spec &spec) {
  for (int f = 0; f < spec.nfields; ++f) {
    const hlc_field &given = spec.fields[f];
    Field field;
    field.data = static_cast<char *>(given.data);
    field.type = given.type;
    field.element = element_bytes(given);
    field.extent = field_extent(spec, given);
    field.strides = field_strides(spec, given);
    field.name = name_of(given, f);
    field.place = context_.fields().find(given.data, field.extent);
    if (!spec.rebind) expose(field, field.extent);
    fields_.push_back(field);
    held_.hold(field.place.serial);
  }
}

/// An array of the caller's own can be read by neighbours if the kernel lets them.
void Halo::expose(Field &field, std::int64_t bytes) {
  if (field.place.serial >= 0 || !find_mode(options_.mode)->reads_fields) return;
  Exposed exposed(field.data, bytes);
  field.exposed = exposed.address();
  if (field.exposed.segment < 0) return;
  exposures_.mine.push_back(std::move(exposed));
  field.place = {kExposedSerial, 0};
}

void Halo::take_directions(const hlc_halo_spec &spec) {
  const std::vector<Direction> directions = list_directions(spec);
  for (const Direction &direction : directions) {
    if (direction.rank == context_.rank()) continue;
    Path path = make_path(spec, direction);
    const auto moves = [](const Move &move) { return move.halo_bytes > 0 || move.edge_bytes > 0; };
    if (std::any_of(path.moves.begin(), path.moves.end(), moves)) paths_.push_back(std::move(path));
  }
  take_own_directions(spec, directions);
  take_wraps(spec);
}

/// My halo on one side takes the edge on the other: that of the direction in which I am my own neighbour again.
void Halo::take_own_directions(const hlc_halo_spec &spec, const std::vector<Direction> &directions) {
  for (const Direction &direction : directions) {
    if (direction.rank != context_.rank() || direction.halo.cells() == 0) continue;
    const auto back = opposite(direction.v);
    const auto other = std::find_if(directions.begin(), directions.end(), [&](const Direction &d) { return d.v == back; });
    self_paths_.push_back(make_own_path(spec, direction, other->edge));
  }
}

/// Halos deeper than the block: from the block itself, or from the halo that neighbours fill.
void Halo::take_wraps(const hlc_halo_spec &spec) {
  for (const Wrap &wrap : list_wraps(spec)) {
    Direction direction;
    direction.v = wrap.v;
    direction.rank = wrap.rank;
    direction.halo = wrap.halo;
    direction.edge = wrap.source;
    const bool inside = wrap.base == std::array<int, kMaxDims>{};
    (inside ? self_paths_ : repeats_).push_back(make_own_path(spec, direction, wrap.source));
  }
}

Halo::Path Halo::make_own_path(const hlc_halo_spec &spec, const Direction &direction, const Box &source) const {
  Path path = make_path(spec, direction);
  path.source = source;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const Field &field = fields_[f];
    Move &move = path.moves[f];
    if (move.halo_bytes > 0) move.pull_halo = plan_copy(direction.halo.count, field.strides, field.strides, field.element, field.order);
    move.pull_edge = move.pull_halo;
  }
  aim_at_myself(path);
  return path;
}

/// What the spec's fills leave out has no bytes, and copies that do nothing.
Halo::Path Halo::make_path(const hlc_halo_spec &spec, const Direction &direction) const {
  Path path;
  path.direction = direction;
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const Field &field = fields_[f];
    const Strides halo_packed = packed_strides(direction.halo.count, field.element, field.order);
    const Strides edge_packed = packed_strides(direction.edge.count, field.element, field.order);
    Move move;
    if (fills(spec, f, direction.v)) {
      move.halo_bytes = direction.halo.cells() * field.element;
      move.unpack_halo = plan_copy(direction.halo.count, field.strides, halo_packed, field.element, field.order);
      move.pack_halo = plan_copy(direction.halo.count, halo_packed, field.strides, field.element, field.order);
    }
    if (fills(spec, f, opposite(direction.v))) {
      move.edge_bytes = direction.edge.cells() * field.element;
      move.add_edge = plan_copy(direction.edge.count, field.strides, edge_packed, field.element, field.order);
      move.pack_edge = plan_copy(direction.edge.count, edge_packed, field.strides, field.element, field.order);
    }
    path.moves.push_back(move);
  }
  aim(path);
  return path;
}

std::vector<Edge> Halo::make_edges(bool readable) const {
  std::vector<Edge> edges;
  for (const Path &path : paths_) {
    Edge edge;
    edge.rank = path.direction.rank;
    edge.tag_out = direction_index(path.direction.v, ndims_);
    edge.tag_in = direction_index(opposite(path.direction.v), ndims_);
    edge.readable = readable;
    // The cells across which the two blocks meet; the other end looks along -v and has its halo where I have my edge.
    for (std::size_t d = 0; d < static_cast<std::size_t>(ndims_); ++d)
      edge.shape = (edge.shape * 1'000'003 + (path.direction.v[d] == 0 ? path.direction.halo.count[d] : 0)) % 1'000'000'007;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      edge.out = aligned(edge.out, f) + path.moves[f].edge_bytes;
      edge.in = aligned(edge.in, f) + path.moves[f].halo_bytes;
    }
    edge.space_out = edge.space_in = std::max(edge.out, edge.in);
    edges.push_back(edge);
  }
  return edges;
}

Status Halo::end(bool others_broken) { return staged_ ? staged_->end(others_broken) : exchange_.end(others_broken); }
std::int64_t Halo::serial() const { return staged_ ? staged_->serial() : exchange_.plan().serial; }
RoundState Halo::state_of_stages() const { return {staged_->in_flight(), staged_->broken()}; }

hlc_plan_info Halo::describe() const {
  if (staged_) return staged_->describe();
  hlc_plan_info info{};
  exchange_.describe(info);
  info.self_copies = count_own_directions();
  for (const auto *paths : {&self_paths_, &repeats_})
    for (const Path &path : *paths)
      for (const Move &move : path.moves) info.self_bytes += move.halo_bytes;
  const std::size_t paths = paths_.size() + self_paths_.size() + repeats_.size();
  info.memory_bytes += static_cast<std::int64_t>(sizeof(Halo) + paths * (sizeof(Path) + fields_.size() * sizeof(Move)));
  for (const CopyTable *table : {&pulls_, &packs_, &unpacks_}) info.memory_bytes += table->memory_bytes();
  return info;
}

/// Pieces of one direction follow each other.
int Halo::count_own_directions() const {
  int count = 0;
  for (const auto *paths : {&self_paths_, &repeats_})
    for (std::size_t i = 0; i < paths->size(); ++i) count += i == 0 || (*paths)[i - 1].direction.v != (*paths)[i].direction.v;
  return count;
}

}  // namespace halocline
