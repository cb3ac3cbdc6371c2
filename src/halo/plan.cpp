// The planning of a halo: fields, directions, copies, and the addresses of neighbours that can be read directly.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "exchange/modes/modes.hpp"
#include "halo/check.hpp"
#include "halo/staged.hpp"

namespace halocline {
namespace {

/// The directions in which a field is filled, as the bits of a number: those below 60, or the others.
std::int64_t fills_as_number(const hlc_halo_spec &spec, int field, int part) {
  constexpr int kBits = 60;
  std::int64_t bits = 0;
  for_each_direction(spec, [&](const std::array<int, kMaxDims> &v) {
    const int number = direction_index(v, spec.grid->ndims);
    if (number / kBits == part && fills(spec, static_cast<std::size_t>(field), v)) bits |= std::int64_t{1} << (number % kBits);
  });
  return bits;
}

const char *stencil_word(std::int64_t value) { return value == HLC_STENCIL_STAR ? "star" : "box"; }

std::string name_of(const hlc_field &field, int f) { return field.name ? field.name : "field " + std::to_string(f); }

/// What each rank knows of the fields' order in memory, and what all know together.
struct Nestings : Job {
  std::vector<Nesting> mine, all;
};

}  // namespace

Status Halo::check_same_on_all_ranks(const hlc_halo_spec &spec, const Options &options) const {
  const int ndims = spec.grid->ndims;
  HLC_TRY(check_rules(context_, "hlc_halo_init", [&] {
    std::vector<Rule> rules = rules_of(options);
    rules.insert(rules.end(), {{"ndims", ndims},
                               {"nfields", spec.nfields},
                               {"stencil", spec.stencil, stencil_word},
                               {"rebind", spec.rebind != 0},
                               {"staged", spec.staged != 0}});
    return rules;
  }));
  return check_rules(context_, "hlc_halo_init", [&] {
    std::vector<Rule> rules;
    for (int d = 0; d < ndims; ++d) {
      rules.push_back({"depth_low[" + std::to_string(d) + "]", spec.depth_low[d]});
      rules.push_back({"depth_high[" + std::to_string(d) + "]", spec.depth_high[d]});
    }
    for (int f = 0; f < spec.nfields; ++f) {
      const std::string who = "fields[" + std::to_string(f) + "]";
      rules.push_back({who + "'s type", spec.fields[f].type, type_name});
      rules.push_back({who + "'s element_bytes", element_bytes(spec.fields[f])});
      for (int part = 0; part < 2; ++part)
        rules.push_back({who + (part ? "'s fills, from 60 on" : "'s fills"), fills_as_number(spec, f, part)});
    }
    return rules;
  });
}

/// The order of dimensions in memory decides the order of cells in a message, so it is found by all ranks together: where a rank has one
/// cell along a dimension, its stride there says nothing, and the other ranks' does.
Status Halo::agree_on_orders(const hlc_halo_spec &spec) {
  std::unique_ptr<Nestings> nestings;
  HLC_TRY(prepare(context_, context_.comm(), [&] {
    nestings = std::make_unique<Nestings>();
    for (int f = 0; f < spec.nfields; ++f) nestings->mine.push_back(find_nesting(spec, field_strides(spec, spec.fields[f])));
    nestings->all.resize(nestings->mine.size());
    nestings->requests.resize(1, MPI_REQUEST_NULL);
    return Status::ok;
  }));
  const auto count = static_cast<int>(nestings->mine.size() * sizeof(Nesting) / sizeof(int));
  HLC_TRY(check_mpi(
      MPI_Iallreduce(nestings->mine.data(), nestings->all.data(), count, MPI_INT, MPI_MAX, context_.comm(), nestings->requests.data()),
      "MPI_Iallreduce"));
  HLC_TRY(await(context_, nestings));
  for (std::size_t f = 0; f < nestings->all.size(); ++f)
    if (!order_dims(nestings->all[f], spec.grid->ndims, spec.layout, fields_[f].order))
      return fail(Status::mismatch, "hlc_halo_init: ranks disagree on the order of the dimensions of fields[%zu] '%s' in memory", f,
                  fields_[f].name.c_str());
  return Status::ok;
}

Status Halo::accept(const hlc_halo_spec *spec, std::string *plan) {
  HLC_TRY(check_spec(spec, context_.rank(), context_.size()));
  options_ = {spec->mode, spec->epoch, spec->drive};
  HLC_TRY(resolve(options_, context_.rank()));
  if (spec->name) plan->append("'").append(spec->name).append("' ");
  for (int f = 0; f < spec->nfields; ++f) plan->append(f == 0 ? "('" : "', '").append(name_of(spec->fields[f], f));
  plan->append("')");
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

Status Halo::create_stage(const hlc_halo_spec &spec, const Options &options) {
  options_ = options;
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
    if (spec->rebind) make_bindings(*spec);
    label = make_label();
    edges = make_edges(std::all_of(fields_.begin(), fields_.end(), [](const Field &f) { return f.place.serial != FieldPlace().serial; }));
    copies_.reserve((paths_.size() + self_paths_.size()) * fields_.size());
    copies_of_.reserve(paths_.size() + self_paths_.size() + 1);
    return Status::ok;
  }));
  HLC_TRY(exchange_.create(context_, options_, std::move(edges), std::move(label), ndims_));
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

/// "halo # ('u', 'v')": what check mode calls this halo.
std::string Halo::make_label() const {
  std::string names;
  const std::size_t shown = std::min<std::size_t>(fields_.size(), 4);
  for (std::size_t f = 0; f < shown; ++f) names += (f ? ", '" : "'") + fields_[f].name + "'";
  if (shown < fields_.size()) names += " and " + std::to_string(fields_.size() - shown) + " more";
  return "halo # (" + names + ")";
}

Halo::Halo(Context &context) : context_(context), exchange_(*this) {}

Halo::~Halo() {
  if (bindings_) let_go();
  for (const std::int64_t serial : used_serials_) context_.use_field(serial, -1);
}

/// Keeps a field from being released as long as this halo lives: mine, or a neighbour's that I read.
void Halo::use_field(std::int64_t serial) {
  if (std::find(used_serials_.begin(), used_serials_.end(), serial) != used_serials_.end()) return;
  used_serials_.push_back(serial);
  context_.use_field(serial, +1);
}

void Halo::take_fields(const hlc_halo_spec &spec) {
  for (int f = 0; f < spec.nfields; ++f) {
    const hlc_field &given = spec.fields[f];
    Field field;
    field.data = static_cast<char *>(given.data);
    field.type = given.type;
    field.element = element_bytes(given);
    field.strides = field_strides(spec, given);
    field.name = name_of(given, f);
    field.place = context_.find_field(given.data, field_extent(spec, given));
    if (!spec.rebind) expose(field, field_extent(spec, given));
    fields_.push_back(field);
    use_field(field.place.serial);
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

Halo::ReadCard Halo::read_card(const Path &path, std::size_t f) const {
  const Field &field = fields_[f];
  return {field.place.serial,
          field.place.offset,
          box_offset(path.direction.halo, field.strides),
          box_offset(path.direction.edge, field.strides),
          field.strides,
          field.exposed};
}

Status Halo::take_read_card(Path &path, std::size_t f, const ReadCard &card, Member member) {
  const Field &field = fields_[f];
  Move &move = path.moves[f];
  const std::size_t at = static_cast<std::size_t>(&path - paths_.data()) * fields_.size() + f;
  if (views_) views_->peer_strides[at] = card.strides;
  if (bindings_) bindings_->reach[at] = {card.halo, card.edge};
  const char *part = find_part(card, member);
  if (!part && card.serial == kExposedSerial)
    return fail(
        Status::unsupported,
        "hlc_halo_init: rank %d cannot attach fields[%zu] '%s' of rank %d, which XPMEM exposes: %s (HALOCLINE_XPMEM=none does without)",
        context_.rank(), f, field.name.c_str(), path.direction.rank, std::strerror(errno));
  if (!part)
    return fail(Status::state, "hlc_halo_init: fields[%zu] '%s' of rank %d lies in memory from an hlc_field_alloc that rank %d has freed",
                f, field.name.c_str(), path.direction.rank, context_.rank());
  use_field(card.serial);
  move.peer_halo = part + card.offset + card.halo;
  move.peer_edge = part + card.offset + card.edge;
  if (move.halo_bytes > 0) move.pull_halo = plan_copy(path.direction.halo.count, field.strides, card.strides, field.element, field.order);
  if (move.edge_bytes > 0) move.pull_edge = plan_copy(path.direction.edge.count, field.strides, card.strides, field.element, field.order);
  return Status::ok;
}

char *Halo::find_part(const ReadCard &card, Member member) {
  return card.serial == kExposedSerial ? exposures_.find(card.exposed) : context_.field_part(card.serial, member);
}

Status Halo::joined(const Plan &plan) {
  if (!find_mode(plan.options.mode)->reads_fields) return Status::ok;
  if (bindings_) bindings_->is_read = std::any_of(plan.edges.begin(), plan.edges.end(), is_read);
  const std::size_t n = fields_.size();
  std::unique_ptr<ReadCards> cards;
  HLC_TRY(prepare(context_, plan.comm, [&] {
    cards = std::make_unique<ReadCards>();
    cards->mine.resize(paths_.size() * n);
    cards->theirs.resize(paths_.size() * n);
    cards->requests.resize(2 * paths_.size(), MPI_REQUEST_NULL);
    for (std::size_t e = 0; e < paths_.size(); ++e)
      for (std::size_t f = 0; f < n; ++f) cards->mine[e * n + f] = read_card(paths_[e], f);
    return Status::ok;
  }));
  for (std::size_t e = 0; e < paths_.size(); ++e)
    if (is_read(plan.edges[e])) HLC_TRY(swap_read_cards(plan, e, *cards));
  HLC_TRY(await(context_, cards));
  return alone(context_, [&] {
    for (std::size_t e = 0; e < paths_.size(); ++e)
      for (std::size_t f = 0; is_read(plan.edges[e]) && f < n; ++f)
        HLC_TRY(take_read_card(paths_[e], f, cards->theirs[e * n + f], plan.edges[e].member));
    return Status::ok;
  });
}

Status Halo::swap_read_cards(const Plan &plan, std::size_t e, ReadCards &cards) const {
  const Edge &edge = plan.edges[e];
  const std::size_t n = fields_.size();
  const auto bytes = static_cast<int>(n * sizeof(ReadCard));
  HLC_TRY(check_mpi(
      MPI_Irecv(&cards.theirs[e * n], bytes, MPI_BYTE, edge.rank, kReadCardTag + static_cast<int>(e), plan.comm, &cards.requests[2 * e]),
      "MPI_Irecv"));
  return check_mpi(
      MPI_Isend(&cards.mine[e * n], bytes, MPI_BYTE, edge.rank, kReadCardTag + edge.peer_edge, plan.comm, &cards.requests[2 * e + 1]),
      "MPI_Isend");
}

Status Halo::end(bool others_broken) { return staged_ ? staged_->end(others_broken) : exchange_.end(others_broken); }
std::int64_t Halo::serial() const { return staged_ ? staged_->serial() : exchange_.plan().serial; }
bool Halo::in_flight() const { return staged_ ? staged_->in_flight() : exchange_.in_flight(); }
bool Halo::broken() const { return staged_ ? staged_->broken() : exchange_.broken(); }

hlc_plan_info Halo::describe() const {
  if (staged_) return staged_->describe();
  hlc_plan_info info{};
  exchange_.describe(info);
  info.self_copies = count_own_directions();
  for (const auto *paths : {&self_paths_, &repeats_})
    for (const Path &path : *paths)
      for (const Move &move : path.moves) info.self_bytes += move.halo_bytes;
  const std::size_t paths = paths_.size() + self_paths_.size() + repeats_.size();
  info.memory_bytes +=
      static_cast<std::int64_t>(sizeof(Halo) + paths * (sizeof(Path) + fields_.size() * (sizeof(Move) + sizeof(BoundCopy))));
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
