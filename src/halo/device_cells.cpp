// Images of cells that are in a device's memory, and the copies between both.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/device_cells.hpp"

#include <algorithm>

#include "base/atomics.hpp"
#include "device/pointers.hpp"

namespace halocline::core {
namespace {

device::StridedCopy copy_of(char *to, const char *from, const BoxCopy &box) {
  return {{to, true, box.to}, {const_cast<char *>(from), true, box.from}, box.run, box.count};
}

/// Between a box of a field and its image.
device::StridedCopy copy_between(const HaloField &field, const Box &box, char *image, bool to_device) {
  const Strides packed = packed_strides(box.count, field.element, field.order);
  char *const cells = field.data + box_offset(box, field.strides);
  device::StridedCopy copy = to_device ? copy_of(cells, image, plan_copy(box.count, field.strides, packed, field.element, field.order))
                                       : copy_of(image, cells, plan_copy(box.count, packed, field.strides, field.element, field.order));
  (to_device ? copy.from : copy.to).on_device = false;
  return copy;
}

}  // namespace

bool DeviceCells::are_in(const HaloTables &tables) { return std::any_of(tables.fields.begin(), tables.fields.end(), is_on_device); }

DeviceFields DeviceCells::describe() const {
  DeviceFields fields{
      queue_.device(), device::name_of_device(queue_.device()), {}, queue_.bytes(), 0, static_cast<int>(tables_.paths.size()), ""};
  for (const HaloField &field : tables_.fields)
    if (is_on_device(field)) fields.names.push_back(field.name);
  return fields;
}

/// One stream, of one device, serves all fields.
Status DeviceCells::create() {
  const HaloField *first = nullptr;
  HLC_TRY(device::find_common_device({"hlc_halo_init", rank_}, "a halo", tables_.fields, &first));
  copies_.reserve(tables_.fields.size());
  HLC_TRY(queue_.open(first->data, first->device, give_images(nullptr)));
  give_images(queue_.memory());
  aim_all(tables_);
  return Status::ok;
}

std::int64_t DeviceCells::give_images(char *memory) {
  std::int64_t taken = 0;
  const auto take = [&](const HaloField &field, std::int64_t cells) {
    char *const image = memory ? memory + taken : nullptr;
    taken += round_up(cells * field.element, 64);
    return image;
  };
  for (auto *paths : {&tables_.paths, &tables_.self_paths, &tables_.repeats})
    for (HaloPath &path : *paths)
      for (std::size_t f = 0; f < path.moves.size(); ++f) {
        HaloMove &move = path.moves[f];
        if (!is_on_device(tables_.fields[f])) continue;
        // In a reverse swap the neighbour's halo may be copied to where the image of mine is. It has as many cells as my edge.
        move.halo_image = take(tables_.fields[f], std::max(move.halo_box.cells(), path.to_self ? 0 : move.edge_box.cells()));
        move.edge_image = take(tables_.fields[f], path.to_self ? move.source.cells() : move.edge_box.cells());
      }
  return taken;
}

// ---------------------------------------------------------------- copies

/// make(field, move) is the copy of a field that is on the device; one whose run is 0 has nothing to copy.
template <class MakeCopy>
void DeviceCells::copy_each(MakeCopy make) {
  copies_.clear();
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    if (!is_on_device(tables_.fields[f])) continue;
    if (const device::StridedCopy one = make(tables_.fields[f], f); one.run > 0) copies_.push_back(one);
  }
  queue_.copy(copies_);
}

void DeviceCells::copy(const HaloPath &path, Side which, bool to_device) {
  copy_each([&](const HaloField &field, std::size_t f) {
    const HaloMove &move = path.moves[f];
    const bool of_halo = which == Side::halos;
    if ((of_halo || path.to_self ? move.halo_bytes : move.edge_bytes) == 0) return device::StridedCopy();
    return of_halo ? copy_between(field, move.halo_box, move.halo_image, to_device)
                   : copy_between(field, path.to_self ? move.source : move.edge_box, move.edge_image, to_device);
  });
}

void DeviceCells::copy_own(const HaloPath &path) {
  copy_each([&](const HaloField &field, std::size_t f) {
    const HaloMove &move = path.moves[f];
    if (move.halo_bytes == 0) return device::StridedCopy();
    return copy_of(field.data + box_offset(move.halo_box, field.strides), field.data + box_offset(move.source, field.strides),
                   plan_copy(move.halo_box.count, field.strides, field.strides, field.element, field.order));
  });
}

void DeviceCells::pull_halos(const HaloPath &path) {
  copy_each([&](const HaloField &field, std::size_t f) {
    const HaloMove &move = path.moves[f];
    if (move.halo_bytes == 0) return device::StridedCopy();
    return copy_of(field.data + box_offset(move.halo_box, field.strides), move.peer_edge, move.pull_halo);
  });
}

void DeviceCells::fetch_peer_halos(const HaloPath &path) {
  copy_each([&](const HaloField &field, std::size_t f) {
    const HaloMove &move = path.moves[f];
    if (move.edge_bytes == 0) return device::StridedCopy();
    const Cells &count = move.edge_box.count;
    device::StridedCopy copy =
        copy_of(move.halo_image, move.peer_halo,
                plan_copy(count, packed_strides(count, field.element, field.order), move.peer_strides, field.element, field.order));
    copy.to.on_device = false;
    return copy;
  });
}

}  // namespace halocline::core
