// Listing copies, and making them.
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/copies.hpp"

namespace halocline::core {

void Copies::reserve(std::size_t packed) {
  const std::size_t n = tables_.fields.size(), all = tables_.paths.size(), own = tables_.self_paths.size();
  pulls_.reserve(all + own, (all - packed + own) * n);
  packs_.reserve(all, packed * n);
  unpacks_.reserve(all, packed * n);
}

void Copies::forget() {
  for (CopyTable *table : {&pulls_, &packs_, &unpacks_}) table->clear();
}

void Copies::begin_groups() {
  for (CopyTable *table : {&pulls_, &packs_, &unpacks_}) table->begin_group();
}

void Copies::list_own() {
  for (const HaloPath &path : tables_.self_paths) {
    pulls_.begin_group();
    list_pulls(path);
  }
}

void Copies::list_pulls(const HaloPath &path) {
  if (!path.active || tables_.reverse) return;
  for (const int f : tables_.swapped) {
    const HaloMove &move = path.moves[static_cast<std::size_t>(f)];
    if (move.halo_bytes > 0 && !is_on_device(tables_.fields[static_cast<std::size_t>(f)]))
      pulls_.add(bind_copy(move.halo, move.peer_edge, move.pull_halo));
  }
}

/// Into the message to the neighbour, and out of the one from it.
void Copies::list_messages(const HaloPath &path) {
  if (tables_.reverse) return;
  std::int64_t out = 0, in = 0;
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const HaloMove &move = path.moves[f];
    out = tables_.aligned(out, f);
    in = tables_.aligned(in, f);
    if (move.edge_bytes > 0) packs_.add(bind_to_message(out, move.edge, move.pack_edge));
    if (move.halo_bytes > 0) unpacks_.add(bind_from_message(move.halo, in, move.unpack_halo));
    out += move.edge_bytes;
    in += move.halo_bytes;
  }
}

/// The table of copies has an entry for each field that arrives over an edge. Fields on a device are not read where they may move.
void Copies::aim(std::size_t e) {
  std::size_t i = 0;
  const std::span<BoundCopy> copies = pulls_.groups(e, e + 1);
  for (const int f : tables_.swapped) {
    const HaloMove &move = tables_.paths[e].moves[static_cast<std::size_t>(f)];
    if (tables_.paths[e].active && move.halo_bytes > 0) copies[i++].from = move.peer_edge;
  }
}

void Copies::pack(int edge, void *buffer, bool past_caches) {
  const auto e = static_cast<std::size_t>(edge);
  auto *message = static_cast<char *>(buffer);
  if (tables_.reverse) return pack_halos(tables_.paths[e], message, past_caches);
  pack_copies(packs_.groups(e, e + 1), message, past_caches);
}

void Copies::unpack(int edge, const void *buffer) {
  const auto e = static_cast<std::size_t>(edge);
  const auto *message = static_cast<const char *>(buffer);
  if (tables_.reverse) return add_message(tables_.paths[e], message);
  unpack_copies(unpacks_.groups(e, e + 1), message);
}

void Copies::pack_halos(const HaloPath &path, char *message, bool past_caches) const {
  const auto copy_cells = past_caches ? copy_past_caches : copy;
  std::int64_t offset = 0;
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const HaloMove &move = path.moves[f];
    offset = tables_.aligned(offset, f);
    copy_cells(message + offset, move.halo, move.pack_halo);
    offset += move.halo_bytes;
  }
}

/// Adds what the neighbour's halo held to my edge.
void Copies::add_message(const HaloPath &path, const char *message) const {
  std::int64_t offset = 0;
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const HaloMove &move = path.moves[f];
    offset = tables_.aligned(offset, f);
    add(move.edge, message + offset, move.add_edge, tables_.fields[f].type);
    offset += move.edge_bytes;
  }
}

/// For a path to myself, peer_edge is my own edge on the other side. The halo takes its values, or in reverse adds its own to them. For a
/// repeat, peer_edge is in another halo of mine.
void Copies::copy_inside(std::span<const HaloPath> paths) {
  for (const HaloPath &path : paths) {
    if (!path.active) continue;
    for (const int f : tables_.swapped) {
      const HaloMove &move = path.moves[static_cast<std::size_t>(f)];
      if (!tables_.reverse && is_on_device(tables_.fields[static_cast<std::size_t>(f)])) continue;
      if (tables_.reverse)
        add(const_cast<char *>(move.peer_edge), move.halo, move.pull_edge, tables_.fields[static_cast<std::size_t>(f)].type);
      else
        copy(move.halo, move.peer_edge, move.pull_halo);
    }
  }
}

/// Adds what the neighbours' halos hold to my edges.
void Copies::add_halos(Edges edges) {
  for (const int e : edges)
    for (const int number : tables_.swapped) {
      const auto f = static_cast<std::size_t>(number);
      if (is_on_device(tables_.fields[f])) continue;
      const HaloMove &move = tables_.paths[static_cast<std::size_t>(e)].moves[f];
      add(move.edge, move.peer_halo, move.pull_edge, tables_.fields[f].type);
    }
}

void Copies::add_images(const HaloPath &path) {
  for (const int number : tables_.swapped) {
    const auto f = static_cast<std::size_t>(number);
    const HaloMove &move = path.moves[f];
    if (is_on_device(tables_.fields[f])) add(move.edge, move.halo_image, move.add_edge, tables_.fields[f].type);
  }
}

void Copies::clear_halo() {
  for (const auto *paths : {&tables_.paths, &tables_.self_paths, &tables_.repeats})
    for (const HaloPath &path : *paths)
      if (path.active)
        for (const int f : tables_.swapped)
          clear(path.moves[static_cast<std::size_t>(f)].halo, path.moves[static_cast<std::size_t>(f)].unpack_halo);
}

}  // namespace halocline::core
