// Images of cells that are in a device's memory, and the copies between both.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/device_cells.hpp"

#include <algorithm>
#include <cstdio>

#include "base/atomics.hpp"
#include "device/pointers.hpp"

namespace halocline::core {
namespace {

bool is_on_device(const HaloField &field) { return field.device != device::kHost; }
bool is_to_self(const HaloMove &move) { return move.peer_edge; }

std::int64_t image_bytes(const HaloField &field, const Box &box) { return round_up(box.cells() * field.element, 64); }

}  // namespace

bool DeviceCells::are_in(const HaloTables &tables) { return std::any_of(tables.fields.begin(), tables.fields.end(), is_on_device); }

std::vector<std::string> DeviceCells::names() const {
  std::vector<std::string> names;
  for (const HaloField &field : tables_.fields)
    if (is_on_device(field)) names.push_back(field.name);
  return names;
}

/// One stream, of one device, serves all fields.
Status DeviceCells::check_fields() const {
  const HaloField *first = nullptr;
  for (const HaloField &field : tables_.fields) {
    if (!is_on_device(field)) continue;
    if (first && first->device != field.device)
      return fail(
          Status::unsupported,
          "hlc_halo_init on rank %d: field '%s' is in the memory of CUDA device %d, and field '%s' in that of device %d: the fields "
          "of a halo must be on one device, or on the host",
          rank_, first->name.c_str(), first->device, field.name.c_str(), field.device);
    if (!first) first = &field;
  }
  return Status::ok;
}

Status DeviceCells::create() {
  HLC_TRY(check_fields());
  const HaloField &first = *std::find_if(tables_.fields.begin(), tables_.fields.end(), is_on_device);
  copies_.reserve(tables_.fields.size());
  HLC_TRY(staging_.open({"hlc_halo_init", rank_}, first.data, first.device, std::max<std::int64_t>(give_images(nullptr), 1)));
  give_images(staging_.memory());
  aim_all(tables_);
  return Status::ok;
}

std::int64_t DeviceCells::give_images(char *memory) {
  std::int64_t taken = 0;
  const auto take = [&](const HaloField &field, const Box &box) {
    char *const image = memory ? memory + taken : nullptr;
    taken += image_bytes(field, box);
    return image;
  };
  for (auto *paths : {&tables_.paths, &tables_.self_paths, &tables_.repeats})
    for (HaloPath &path : *paths)
      for (std::size_t f = 0; f < path.moves.size(); ++f) {
        HaloMove &move = path.moves[f];
        if (!is_on_device(tables_.fields[f])) continue;
        move.halo_image = take(tables_.fields[f], move.halo_box);
        move.edge_image = take(tables_.fields[f], paths == &tables_.paths ? move.edge_box : move.source);
      }
  return taken;
}

// ---------------------------------------------------------------- copies

device::StridedCopy DeviceCells::plan(const HaloField &field, const Box &box, char *image, bool to_device) const {
  const BoxCopy loops =
      plan_copy(box.count, packed_strides(box.count, field.element, field.order), field.strides, field.element, field.order);
  device::StridedCopy copy;
  copy.device = field.data + box_offset(box, field.strides);
  copy.host = image;
  copy.to_device = to_device;
  copy.run = loops.run;
  copy.count = loops.count;
  copy.device_step = loops.from;
  copy.host_step = loops.to;
  return copy;
}

void DeviceCells::copy(const HaloPath &path, Side which, bool to_device) {
  if (failed(failed_)) return;
  copies_.clear();
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const HaloField &field = tables_.fields[f];
    const HaloMove &move = path.moves[f];
    if (!is_on_device(field)) continue;
    if (which == Side::halos) {
      if (move.halo_bytes > 0) copies_.push_back(plan(field, move.halo_box, move.halo_image, to_device));
    } else if ((is_to_self(move) ? move.halo_bytes : move.edge_bytes) > 0) {
      copies_.push_back(plan(field, is_to_self(move) ? move.source : move.edge_box, move.edge_image, to_device));
    }
  }
  if (!copies_.empty()) note(staging_.begin({call_, rank_}, copies_));
}

Status DeviceCells::wait() {
  if (!failed(failed_)) note(staging_.wait({call_, rank_}));
  return result();
}

void DeviceCells::begin(const char *call, const DeviceStream &follows) {
  call_ = call;
  failed_ = Status::ok;
  if (follows.is_given) note(staging_.follow({call_, rank_}, follows.stream));
}

void DeviceCells::precede(const DeviceStream &stream) {
  if (!failed(failed_)) note(staging_.precede({call_, rank_}, stream.stream));
}

void DeviceCells::note(Status status) {
  if (!failed(status) || failed(failed_)) return;
  failed_ = status;
  std::snprintf(words_, sizeof words_, "%s", error_message());
}

Status DeviceCells::result() const { return failed(failed_) ? fail(failed_, "%s", words_) : Status::ok; }

}  // namespace halocline::core
