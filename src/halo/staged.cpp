// Planning the stages, and running one after the other.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/staged.hpp"

#include <algorithm>

#include "engine/communicator/collective.hpp"
#include "engine/memory/fields.hpp"

namespace halocline::core {
namespace {

/// What a stage's halo is planned from.
struct StageSpec {
  hlc_grid grid{};
  std::vector<hlc_field> fields;
  hlc_halo_spec spec{};
  Cells grown{};  // low halo cells that count as block here
};

/// The cells on one side along a dimension that the stages before have filled: none at an open side, where the halo is the caller's.
std::int64_t filled(const hlc_halo_spec &spec, int dim, bool high) {
  const hlc_grid &grid = *spec.grid;
  const bool open = !grid.periodic[dim] && grid.coords[dim] == (high ? grid.dims[dim] - 1 : 0);
  return open ? 0 : high ? spec.depth_high[dim] : spec.depth_low[dim];
}

/// Dimensions before dim count as block from end to end; those after it have no halo.
void narrow(StageSpec &stage, const hlc_halo_spec &whole, int dim) {
  stage.grid = *whole.grid;
  stage.fields.assign(whole.fields, whole.fields + whole.nfields);
  for (hlc_field &field : stage.fields) {
    const Strides strides = field_strides(whole, field);
    std::copy(strides.begin(), strides.end(), field.stride_bytes);
  }
  stage.spec = whole;
  stage.spec.stencil = HLC_STENCIL_STAR;
  for (int d = 0; d < whole.grid->ndims; ++d) {
    if (d == dim) continue;
    const std::int64_t low = d < dim ? filled(whole, d, false) : 0, high = d < dim ? filled(whole, d, true) : 0;
    stage.grid.local[d] += low + high;
    stage.grown[static_cast<std::size_t>(d)] = low;
    stage.spec.depth_low[d] = stage.spec.depth_high[d] = 0;
    for (hlc_field &field : stage.fields) field.data = static_cast<char *>(field.data) + (whole.depth_low[d] - low) * field.stride_bytes[d];
  }
  stage.spec.grid = &stage.grid;
  stage.spec.fields = stage.fields.data();
}

}  // namespace

bool Staged::pays(const hlc_halo_spec &spec) {
  int deep = 0;
  for (int d = 0; d < spec.grid->ndims; ++d) deep += spec.depth_low[d] > 0 || spec.depth_high[d] > 0;
  return spec.staged && spec.stencil == HLC_STENCIL_BOX && deep > 1;
}

Status Staged::plan_swaps(const hlc_halo_spec &spec, const Options &options) {
  const auto is_stage = [&](int d) { return spec.depth_low[d] > 0 || spec.depth_high[d] > 0; };
  Options of_stage;
  HLC_TRY(prepare(engine_.communicator, engine_.communicator.comm(), [&] {
    of_stage = options;
    of_stage.stages = 0;
    for (int d = 0; d < spec.grid->ndims; ++d) of_stage.stages += is_stage(d) ? 1 : 0;
    for (int f = 0; f < spec.nfields; ++f) fields_.push_back(describe_field(spec, f));
    swapped_.reserve(fields_.size());
    dims_.reserve(static_cast<std::size_t>(spec.grid->ndims));
    ranks_.assign(static_cast<std::size_t>(HLC_DIRECTIONS(spec.grid->ndims)), HLC_NO_NEIGHBOUR);
    for_each_direction(spec, [&](const std::array<int, kMaxDims> &v) {
      ranks_[static_cast<std::size_t>(direction_index(v, spec.grid->ndims))] = neighbour_rank(spec, v);
    });
    return Status::ok;
  }));
  for (int d = 0; d < spec.grid->ndims; ++d)
    if (is_stage(d)) HLC_TRY(add_stage(of_stage, spec, d));
  return Status::ok;
}

Status Staged::add_stage(const Options &options, const hlc_halo_spec &spec, int dim) {
  StageSpec made;
  HLC_TRY(prepare(engine_.communicator, engine_.communicator.comm(), [&] {
    narrow(made, spec, dim);
    dims_.push_back({std::make_unique<Stage>(engine_), {}, {}});
    for (std::size_t f = 0; f < made.fields.size(); ++f)
      dims_.back().shift.push_back(static_cast<char *>(made.fields[f].data) - static_cast<char *>(spec.fields[f].data));
    dims_.back().data.resize(made.fields.size());
    return Status::ok;
  }));
  return dims_.back().stage->plan_stage(made.spec, options, made.grown);
}

// ---------------------------------------------------------------- swaps

Status Staged::may_start(const char *call) const {
  const char *why = kSwapOfHalo.at_start(state());
  return why ? bad_call(call, why) : Status::ok;
}

Status Staged::may_go_on(const char *call) const {
  const char *why = kSwapOfHalo.at_finish(state());
  return why ? bad_call(call, why) : Status::ok;
}

Status Staged::bad_call(const char *call, const char *why) const {
  return fail(Status::state, "%s on rank %d: %s", call, engine_.communicator.rank(), why);
}

Status Staged::start(const hlc_swap *what) {
  if (what) HLC_TRY(check_swap("hlc_halo_start", *what));
  return begin(what, nullptr);
}

Status Staged::begin(const hlc_swap *what, void *const *data) {
  what_ = what ? *what : hlc_swap{};
  if (what_.nfields > 0) swapped_.assign(what_.fields, what_.fields + what_.nfields);
  what_.fields = swapped_.data();
  reverse_ = what_.reverse;
  for (Dimension &dim : dims_)
    for (std::size_t f = 0; f < dim.data.size(); ++f) dim.data[f] = data && data[f] ? static_cast<char *>(data[f]) + dim.shift[f] : nullptr;
  done_ = 0;
  found_ = Status::ok;
  const bool bound = data;
  HLC_TRY(bound ? now().stage->begin(&what_, now().data.data()) : start_stage());
  in_flight_ = true;
  return Status::ok;
}

Status Staged::start_stage() {
  const bool bound = std::any_of(now().data.begin(), now().data.end(), [](const void *data) { return data; });
  return now().stage->begin(&what_, bound ? now().data.data() : nullptr);
}

/// A stage whose start may wait inside MPI is started by finish alone: the neighbour may be waiting for this rank in another swap.
Status Staged::test() {
  while (done_ + 1 < dims_.size()) {
    if (dims_.front().stage->exchange().plan().open_blocks) {
      const Status tested = now().stage->test();
      return tested == Status::ok ? Status::again : tested;
    }
    const Status finished = now().stage->finish_without_wait();
    if (finished == Status::again) return finished;
    HLC_TRY(pass(finished));
  }
  return now().stage->test();
}

/// Check mode may find a rule broken in a stage that is complete nevertheless. The neighbours then wait for the next stage, so it is
/// started.
Status Staged::pass(Status finished) {
  if (failed(finished) && (finished != Status::rule || now().stage->exchange().state().broken)) return finished;
  if (failed(finished) && !failed(found_)) {
    found_ = finished;
    words_ = error_message();
  }
  done_ += 1;
  if (done_ == dims_.size()) return Status::ok;
  const Status started = start_stage();
  failed_ = failed(started);
  return started;
}

Status Staged::finish() {
  while (done_ < dims_.size()) HLC_TRY(pass(now().stage->finish()));
  in_flight_ = false;
  return failed(found_) ? fail(found_, "%s", words_.c_str()) : Status::ok;
}

/// The call that is now in order with the stream starts one stage. The stages after it follow that one.
void Staged::follow(const DeviceStream &stream) {
  for (Dimension &dim : dims_) dim.stage->follow(stream);
}

void Staged::precede(const DeviceStream &stream) { (reverse_ ? dims_.front() : dims_.back()).stage->precede(stream); }

Status Staged::end(bool others_broken) {
  Status first = Status::ok;
  for (Dimension &dim : dims_) {
    const Status ended = dim.stage->end(others_broken || broken());
    if (!failed(first)) first = ended;
  }
  return first;
}

bool Staged::retire() {
  bool all = true;
  for (Dimension &dim : dims_) all = dim.stage->retire() && all;
  return all;
}

Work Staged::work() const {
  Work sum;
  for (const Dimension &dim : dims_) {
    const Work one = dim.stage->work();
    sum.bytes += one.bytes, sum.local_bytes += one.local_bytes, sum.runs += one.runs;
    sum.neighbours += one.neighbours, sum.messages += one.messages;
    sum.far_bytes += one.far_bytes, sum.far_messages += one.far_messages;
    sum.others.insert(sum.others.end(), one.others.begin(), one.others.end());
  }
  return sum;
}

/// A view of a staged halo shows the halo itself.
void Staged::put_views(std::size_t, hlc_view *views) const {
  for (std::size_t v = 0; v < ranks_.size(); ++v)
    if (views[v].rank == HLC_NO_NEIGHBOUR) views[v].rank = ranks_[v];
}

DeviceFields Staged::device_fields() const {
  DeviceFields sum = dims_.front().stage->device_fields();
  for (std::size_t i = 1; i < dims_.size(); ++i) {
    const DeviceFields one = dims_[i].stage->device_fields();
    sum.pinned_bytes += one.pinned_bytes, sum.read += one.read, sum.staged += one.staged;
    if (sum.why.empty()) sum.why = one.why;
  }
  return sum;
}

bool Staged::broken() const {
  return failed_ || std::any_of(dims_.begin(), dims_.end(), [](const Dimension &dim) { return dim.stage->exchange().state().broken; });
}

hlc_plan_info Staged::describe() const {
  hlc_plan_info sum = dims_.front().stage->describe();
  for (std::size_t i = 1; i < dims_.size(); ++i) {
    const hlc_plan_info one = dims_[i].stage->describe();
    for (const auto count : {&hlc_plan_info::neighbours, &hlc_plan_info::self_copies, &hlc_plan_info::via_direct,
                             &hlc_plan_info::via_notify, &hlc_plan_info::via_network, &hlc_plan_info::via_mpi})
      sum.*count += one.*count;
    for (const auto count : {&hlc_plan_info::bytes_in, &hlc_plan_info::bytes_out, &hlc_plan_info::self_bytes, &hlc_plan_info::memory_bytes,
                             &hlc_plan_info::network_writes})
      sum.*count += one.*count;
  }
  return sum;
}

}  // namespace halocline::core
