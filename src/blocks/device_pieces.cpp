// Images of pieces, and the copies between them and the device.
// SPDX-License-Identifier: BSD-3-Clause
#include "blocks/device_pieces.hpp"

#include <algorithm>

#include "blocks/links.hpp"

namespace halocline::core {
namespace {

/// What the search for one device needs of an array.
struct PlacedArray {
  int device;
  std::string name;
  const char *data;
};

}  // namespace

bool DevicePieces::are_in(const BlockTables &tables) {
  return std::any_of(tables.arrays.begin(), tables.arrays.end(), [](const BlockArray &array) { return array.device >= 0; });
}

Status DevicePieces::create() {
  std::vector<PlacedArray> arrays;
  for (std::size_t i = 0; i < tables_.arrays.size(); ++i)
    arrays.push_back({tables_.arrays[i].device, tables_.fields[i % tables_.fields.size()].name, tables_.arrays[i].data});
  const PlacedArray *first = nullptr;
  HLC_TRY(device::find_common_device({"hlc_blocks_init", rank_}, "blocks", arrays, &first));
  HLC_TRY(queue_.open(first->data, first->device, give_images(nullptr)));
  give_images(queue_.memory());
  limit_depth(tables_, tables_.most);
  return Status::ok;
}

std::int64_t DevicePieces::give_images(char *memory) {
  std::int64_t taken = 0;
  const auto take = [&](std::int64_t bytes) {
    char *const image = memory ? memory + taken : nullptr;
    taken += round_up(bytes, 64);
    return image;
  };
  const auto give = [&](Piece &piece, bool is_own) {
    for (std::size_t i = 0; i < piece.moves.size(); ++i) {
      const auto f = static_cast<std::size_t>(tables_.groups[static_cast<std::size_t>(piece.group)].fields[i]);
      const std::int64_t bytes = piece.whole_mine.cells() * tables_.fields[f].element;
      if (array_of(piece, i, Side::mine).device >= 0) piece.moves[i].image = take(bytes);
      if (is_own && array_of(piece, i, Side::theirs).device >= 0) piece.moves[i].their_image = take(bytes);
    }
  };
  for (BlockLink &link : tables_.links)
    for (PieceList *list : {&link.in, &link.out})
      for (Piece &piece : list->pieces) give(piece, false);
  for (Piece &piece : tables_.own.in.pieces) give(piece, true);
  return taken;
}

const BlockArray &DevicePieces::array_of(const Piece &piece, std::size_t i, Side side) const {
  const auto f = static_cast<std::size_t>(tables_.groups[static_cast<std::size_t>(piece.group)].fields[i]);
  return tables_.array(side == Side::mine ? piece.block : piece.peer_block, f);
}

// ---------------------------------------------------------------- copies

/// Between a box of an array and its image.
void DevicePieces::copy_one(const Piece &piece, std::size_t i, Side side, bool to_device) {
  const BlockArray &array = array_of(piece, i, side);
  const BlockField &field = tables_.fields[static_cast<std::size_t>(tables_.groups[static_cast<std::size_t>(piece.group)].fields[i])];
  const Box box = side == Side::mine ? piece.mine : piece.theirs();
  char *const image = side == Side::mine ? piece.moves[i].image : piece.moves[i].their_image;
  char *const cells = array.data + box_offset(box, array.strides);
  const Strides packed = packed_strides(box.count, field.element, field.order);
  const BoxCopy loops = to_device ? plan_copy(box.count, array.strides, packed, field.element, field.order)
                                  : plan_copy(box.count, packed, array.strides, field.element, field.order);
  const device::Strided on_device{cells, true, to_device ? loops.to : loops.from}, on_host{image, false, to_device ? loops.from : loops.to};
  queue_.copy(to_device ? device::StridedCopy{on_device, on_host, loops.run, loops.count}
                        : device::StridedCopy{on_host, on_device, loops.run, loops.count});
}

/// True if there was something to copy.
bool DevicePieces::copy_piece(const Piece &piece, Side side, bool to_device) {
  bool any = false;
  if (piece.mine.cells() == 0) return false;
  for (const std::size_t i : tables_.groups[static_cast<std::size_t>(piece.group)].swapped) {
    if (!(side == Side::mine ? piece.moves[i].image : piece.moves[i].their_image)) continue;
    copy_one(piece, i, side, to_device);
    any = true;
  }
  return any;
}

void DevicePieces::copy_list(const PieceList &list, Side side, bool to_device) {
  for (const Piece &piece : list.pieces) copy_piece(piece, side, to_device);
}

/// Where both blocks are on the device.
void DevicePieces::copy_on_device(const Piece &piece) {
  if (piece.mine.cells() == 0) return;
  for (const std::size_t i : tables_.groups[static_cast<std::size_t>(piece.group)].swapped) {
    if (!piece.moves[i].image || !piece.moves[i].their_image) continue;
    const BlockField &field = tables_.fields[static_cast<std::size_t>(tables_.groups[static_cast<std::size_t>(piece.group)].fields[i])];
    const BlockArray &to = array_of(piece, i, Side::mine), &from = array_of(piece, i, Side::theirs);
    const BoxCopy loops = plan_copy(piece.mine.count, to.strides, from.strides, field.element, field.order);
    queue_.copy({{to.data + box_offset(piece.mine, to.strides), true, loops.to},
                 {from.data + box_offset(piece.theirs(), from.strides), true, loops.from},
                 loops.run,
                 loops.count});
  }
}

Status DevicePieces::fetch_sent(const std::vector<Part> &parts) {
  queue_.start();
  for (std::size_t e = 0; e < tables_.links.size(); ++e)
    if (parts[e].out > 0) copy_list(tables_.reverse ? tables_.links[e].in : tables_.links[e].out, Side::mine, false);
  return queue_.wait();
}

/// In reverse edges of several pieces have cells in common: each is added to before the next is fetched.
void DevicePieces::unpack(const BlockLink &link, const void *buffer) {
  if (!tables_.reverse) return copy_list(link.in, Side::mine, true);
  for (const Piece &piece : link.out.pieces) {
    const bool any = copy_piece(piece, Side::mine, false);
    if (any && failed(queue_.wait())) return;
    copies_.unpack_piece(piece, buffer);
    copy_piece(piece, Side::mine, true);
  }
}

void DevicePieces::copy_to_self() {
  const std::vector<Piece> &pieces = tables_.own.in.pieces;
  if (tables_.reverse) {
    for (const Piece &piece : pieces) {
      bool any = copy_piece(piece, Side::mine, false);
      any = copy_piece(piece, Side::theirs, false) || any;
      if (any && failed(queue_.wait())) return;
      copies_.copy_piece_to_self(piece);
      copy_piece(piece, Side::theirs, true);
    }
    return;
  }
  for (const Piece &piece : pieces) {
    copy_on_device(piece);
    for (const std::size_t i : tables_.groups[static_cast<std::size_t>(piece.group)].swapped)
      if (piece.mine.cells() > 0 && !piece.moves[i].image && piece.moves[i].their_image) copy_one(piece, i, Side::theirs, false);
  }
  if (failed(queue_.wait())) return;
  copies_.copy_to_self();
  for (const Piece &piece : pieces)
    for (const std::size_t i : tables_.groups[static_cast<std::size_t>(piece.group)].swapped)
      if (piece.mine.cells() > 0 && piece.moves[i].image && !piece.moves[i].their_image) copy_one(piece, i, Side::mine, true);
}

/// Halos that a reverse swap has cleared are images so far.
void DevicePieces::end() {
  if (tables_.reverse) {
    for (const BlockLink &link : tables_.links) copy_list(link.in, Side::mine, true);
    copy_list(tables_.own.in, Side::mine, true);
  }
  queue_.end();
}

DeviceFields DevicePieces::describe() const {
  DeviceFields fields{
      queue_.device(), device::name_of_device(queue_.device()), {}, queue_.bytes(), 0, static_cast<int>(tables_.links.size()), ""};
  for (std::size_t f = 0; f < tables_.fields.size(); ++f)
    for (std::size_t b = 0; b * tables_.fields.size() < tables_.arrays.size(); ++b)
      if (tables_.array(static_cast<int>(b), f).device >= 0) {
        fields.names.push_back(tables_.fields[f].name);
        break;
      }
  return fields;
}

}  // namespace halocline::core
