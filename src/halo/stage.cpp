// The running of a stage: which part of the halo a swap moves. For the planning see plan.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/stage.hpp"

#include "engine/memory/fields.hpp"
#include "exchange/rounds.hpp"

namespace halocline::core {
namespace {

/// How a direction takes part in a swap: its halo is filled, or its edge is sent.
struct Role {
  bool fills = true, gives = true;
};

Role role_of(const std::array<int, kMaxDims> &v, const hlc_swap *what) {
  if (!what || !what->one_dim) return {};
  const auto dim = static_cast<std::size_t>(what->dim);
  for (std::size_t d = 0; d < v.size(); ++d)
    if ((v[d] != 0) != (d == dim)) return {false, false};
  const bool low = what->side != HLC_SIDE_HIGH, high = what->side != HLC_SIDE_LOW;
  // The neighbour below fills my low halo; I send it what its high halo needs.
  return v[dim] < 0 ? Role{low, high} : Role{high, low};
}

/// A call may name the whole depth.
std::int64_t depth_of(const HaloTables &tables, const hlc_swap *what) {
  return what && what->depth > 0 && what->depth < tables.deepest ? what->depth : kWholeDepth;
}

/// A call may list all fields, and in one dimension both sides are all sides.
bool moves_everything(const HaloTables &tables, const hlc_swap &what) {
  const bool all_fields = what.nfields == 0 || what.nfields == static_cast<int>(tables.fields.size());
  const bool all_sides = !what.one_dim || (tables.ndims == 1 && what.side == HLC_SIDE_BOTH);
  return all_fields && all_sides && !what.reverse && depth_of(tables, &what) == kWholeDepth;
}

/// Which paths are active, and what the exchange moves over each edge.
void set_parts(HaloTables &tables, const hlc_swap *what, std::vector<Part> &parts) {
  for (auto *paths : {&tables.self_paths, &tables.repeats})
    for (HaloPath &path : *paths) path.active = role_of(path.direction.v, what).fills;
  for (std::size_t i = 0; i < tables.paths.size(); ++i) {
    const Role role = role_of(tables.paths[i].direction.v, what);
    tables.paths[i].active = role.fills;
    std::int64_t halo = 0, edge = 0;
    for (const int number : tables.swapped) {
      const auto f = static_cast<std::size_t>(number);
      halo = tables.aligned(halo, f) + tables.paths[i].moves[f].halo_bytes;
      edge = tables.aligned(edge, f) + tables.paths[i].moves[f].edge_bytes;
    }
    if (!role.fills) halo = 0;
    if (!role.gives) edge = 0;
    parts[i] = tables.reverse ? Part{halo, edge} : Part{edge, halo};
  }
}

}  // namespace

// ---------------------------------------------------------------- calls

Status Stage::may_start(const char *call) const {
  const char *why = kSwapOfHalo.at_start(state());
  return why ? bad_call(call, why) : Status::ok;
}

Status Stage::may_go_on(const char *call) const {
  const char *why = kSwapOfHalo.at_finish(state());
  return why ? bad_call(call, why) : Status::ok;
}

Status Stage::start(const hlc_swap *what) {
  if (what) HLC_TRY(check_swap("hlc_halo_start", *what));
  return begin(what, nullptr);
}

Status Stage::begin(const hlc_swap *what, void *const *data) {
  if (device_) device_->begin("hlc_halo_start");
  if (!everything_ || what || bindings_) HLC_TRY(select(what, data));
  if (device_) {
    // A neighbour that reads in place must find what the program's work leaves, though nothing is fetched here.
    if (follows_.is_given || (reads_ && reads_->count() > 0)) device_->follow(follows_.stream);
    fetch_sent();
    HLC_TRY(device_->wait());
    device_->begin("hlc_halo_finish");
  }
  starting_ = what;
  return exchange_.rounds().start();
}

Status Stage::test() { return exchange_.rounds().test(); }
Status Stage::finish() { return with_device(exchange_.rounds().finish(true)); }
Status Stage::finish_without_wait() { return with_device(exchange_.rounds().finish_without_wait()); }

// ---------------------------------------------------------------- copies of the running swap

/// Cells of neighbours that are read; in reverse their halos are added to my edges.
void Stage::pull(Edges edges) {
  tables_.reverse ? copies_.add_halos(edges) : copies_.pulls().run(edges);
  if (device_) pull_on_device(edges);
}
void Stage::copy_to_self() {
  if (device_ || tables_.reverse)
    copy_inside(tables_.self_paths);
  else
    run_copies(copies_.own());
}

void Stage::unpack(int edge, const void *buffer) {
  if (!device_) return copies_.unpack(edge, buffer);
  const HaloPath &path = tables_.paths[static_cast<std::size_t>(edge)];
  if (!tables_.reverse) {
    copies_.unpack(edge, buffer);
    return device_->store_halos(path);
  }
  // Edges of several directions have cells in common: each is added to in the device's memory before the next is fetched.
  device_->fetch_edges(path);
  if (failed(device_->wait())) return;
  copies_.unpack(edge, buffer);
  device_->store_edges(path);
}

/// All cells have arrived. Halos that repeat cells of another halo are copied last of all. After a reverse swap, which has added the halo's
/// values to edges, the halo is zeroed.
void Stage::end_round() {
  if (tables_.reverse)
    copies_.clear_halo();
  else if (!tables_.repeats.empty())
    copy_inside(tables_.repeats);
  if (device_) {
    if (tables_.reverse) store_halos();
    if (precedes_.is_given)
      device_->precede(precedes_);
    else
      static_cast<void>(device_->wait());  // finish returns the error
  }
  if (bindings_) bindings_->release();
}

// ---------------------------------------------------------------- fields in a device's memory

/// What the running swap packs.
void Stage::fetch_sent() {
  for (std::size_t e = 0; e < tables_.paths.size(); ++e) {
    if (exchange_.plan().parts[e].out == 0 || !exchange_.packs(static_cast<int>(e))) continue;
    if (tables_.reverse)
      device_->fetch_halos(tables_.paths[e]);
    else
      device_->fetch_edges(tables_.paths[e]);
  }
}

/// Copies cells of my own arrays, or in reverse adds them.
void Stage::copy_inside(const std::vector<HaloPath> &paths) {
  if (!device_) return copies_.copy_inside(paths);
  if (!tables_.reverse) copies_.copy_inside(paths);
  for (const HaloPath &path : paths) {
    if (!path.active) continue;
    if (!tables_.reverse) {
      device_->copy_own(path);
      continue;
    }
    device_->fetch_edges(path);
    device_->fetch_halos(path);
    if (failed(device_->wait())) return;
    copies_.copy_inside({&path, 1});
    device_->store_edges(path);
  }
}

/// Cells of neighbours that are read in place. Once this returns they may write them: the copies have been made.
void Stage::pull_on_device(Edges edges) {
  for (const int e : edges) {
    const HaloPath &path = tables_.paths[static_cast<std::size_t>(e)];
    if (!tables_.reverse) {
      device_->pull_halos(path);
      continue;
    }
    device_->fetch_edges(path);
    device_->fetch_peer_halos(path);
    if (failed(device_->wait())) return;
    copies_.add_images(path);
    device_->store_edges(path);
  }
  if (!tables_.reverse) static_cast<void>(device_->wait());  // finish returns the error
}

void Stage::store_halos() {
  for (const auto *paths : {&tables_.paths, &tables_.self_paths, &tables_.repeats})
    for (const HaloPath &path : *paths)
      if (path.active) device_->store_halos(path);
}

/// The neighbours have what they need even if copies have failed here. But this rank's halo is not what it should be.
Status Stage::with_device(Status finished) {
  if (!device_ || finished != Status::ok) return finished;
  const Status copied = device_->result();
  if (failed(copied)) exchange_.rounds().break_up();
  return copied;
}

bool Stage::retire() {
  const bool retired = exchange_.retire();
  if (retired && reads_) reads_->close();
  if (retired && device_) device_->release();
  return retired;
}

/// The exchange ends after all ranks have met once more. Then no rank has memory of another open, and its owner may free it.
Status Stage::end(bool others_broken) {
  if (reads_) reads_->close();
  return exchange_.end(others_broken);
}

DeviceFields Stage::device_fields() const {
  if (!device_) return {};
  DeviceFields fields = device_->describe();
  if (reads_) reads_->describe(fields);
  return fields;
}

void Stage::describe_round(RoundDescriptor &descriptor) { descriptor = check_->start(starting_); }

// ---------------------------------------------------------------- what a swap moves

/// Other fields, sides or arrays than in the last swap. Halos that repeat cells of another halo add theirs to them first of all in reverse.
Status Stage::select(const hlc_swap *what, void *const *data) {
  bool moved = false;
  if (bindings_) HLC_TRY(bindings_->bind(what, data, &moved));
  set_swap(what);
  if (moved) list_copies();
  if (tables_.reverse) copy_inside(tables_.repeats);
  return Status::ok;
}

void Stage::set_swap(const hlc_swap *what) {
  const bool everything = !what || moves_everything(tables_, *what);
  if (everything && everything_) return;
  everything_ = everything;
  tables_.reverse = what && what->reverse;
  list_swapped(what, tables_.fields.size(), tables_.swapped);
  limit_depth(tables_, depth_of(tables_, what));
  set_parts(tables_, what, exchange_.parts());
  list_copies();
  exchange_.set_round(everything, tables_.reverse);
  if (trace::is_on()) exchange_.describe_round(swapped_names());
}

std::string Stage::swapped_names() const {
  std::string names;
  for (const int number : tables_.swapped) names += (names.empty() ? "" : ", ") + tables_.fields[static_cast<std::size_t>(number)].name;
  if (tables_.most != kWholeDepth) names += " " + std::to_string(tables_.most) + " deep";
  return tables_.reverse ? names + " in reverse" : names;
}

Status Stage::finish_views() {
  if (!views_ || tables_.reverse) return finish();
  views_->clear();
  return exchange_.rounds().finish_views();
}

Status Stage::announce_release() { return exchange_.rounds().announce_release(); }

Status Stage::release_views() {
  const Status released = exchange_.rounds().release();
  if (bindings_ && !failed(released)) bindings_->release();
  return released;
}

void Stage::put_views(std::size_t field, hlc_view *views) const {
  put_ranks(tables_, field, views);
  if (exchange_.views_out()) views_->put(field, views);
}

void Stage::list_copies() {
  copies_.list([this](int edge) { return exchange_.packs(edge); });
}

/// The copies of an edge that is read begin at other addresses than in the last swap.
Status Stage::found(int edge, std::span<const FieldPlace> places) {
  const auto e = static_cast<std::size_t>(edge);
  const Plan &plan = exchange_.plan();
  HLC_TRY(bindings_->find(e, plan.edges[e].member, places));
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    if (check_ && places[f].serial != plan.places[f].serial) check_->found_other_array(tables_.paths[e], f);
  }
  if (!tables_.reverse) copies_.aim(e);
  return Status::ok;
}

}  // namespace halocline::core
