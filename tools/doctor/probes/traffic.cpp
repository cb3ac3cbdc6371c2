// SPDX-License-Identifier: BSD-3-Clause
#include "traffic.hpp"

#include <algorithm>

#include "../watchdog.hpp"

namespace doctor {
namespace {

std::string words_of(Kind kind, const Window &window) {
  std::string text =
      std::string(maker_of(kind)) + " of " + std::to_string(window.bytes()) + " bytes, unit " + std::to_string(window.unit());
  if (kind == Kind::create || kind == Kind::dynamic) text += ", base at 64 k + " + std::to_string(window.offset());
  return text;
}

std::string number(int value) { return std::to_string(value); }

void copy(const Image &image, unsigned char *memory) { std::copy(image.bytes().begin(), image.bytes().end(), memory); }

}  // namespace

Traffic::Traffic(Bench &bench, Kind kind, Window &window, Plan plan)
    : bench_(bench),
      window_(window),
      plan_(std::move(plan)),
      words_(words_of(kind, window)),
      buffer_(plan_.buffer_bytes() + 64),
      round_(bench.next_round()) {}

void Traffic::run(const Sync &sync) {
  sync_ = &sync;
  const bool one = plan_.regions().size() == 1;
  watch_phase(std::string(one ? name_of(plan_.regions().front().operation) : "put, get and accumulate") + " in " + words_);
  const Epoch epoch{bench_.comm(),         &window_,
                    plan_.targets(),       plan_.origins(),
                    [this] { prepare(); }, [this](int target, std::vector<MPI_Request> *requests) { move(target, requests); },
                    [this] { local(); },   [this] { look(); }};
  sync.run(epoch);
}

void Traffic::prepare() {
  fill_guards();
  copy(window_image(false), window_.base());
  copy(buffer_image(false), buffer_.data());
}

void Traffic::move(int target, std::vector<MPI_Request> *requests) {
  for (const Region &region : plan_.regions())
    if (plan_.target(region) == target)
      for (const Piece &piece : region.scheme->pieces) issue(region, piece, target, requests);
}

/// Now the buffers are mine again: what was read must be there, and what was sent may be overwritten.
void Traffic::local() {
  if (const auto wrong = buffer_image(true).difference(buffer_.data(), plan_.size())) {
    const Region *region = region_at(wrong->place, false);
    complain(region, piece_at(region, wrong->place, false) + "; the buffer of rank " + number(plan_.rank()) + ": " + wrong->text);
  }
  write_stream(buffer_.data(), buffer_.size(), Image::poison(plan_.rank(), round_ + 31));
}

void Traffic::look() {
  if (const auto wrong = window_image(true).difference(window_.base(), plan_.size())) {
    const Region *region = region_at(wrong->place, true);
    complain(region, piece_at(region, wrong->place, true) + "; the window of rank " + number(plan_.rank()) + ": " + wrong->text);
  }
  look_at_guards();
}

void Traffic::fill_guards() {
  if (window_.guard() == 0) return;
  write_stream(window_.base() - window_.guard(), window_.guard(), guard_stream());
  write_stream(window_.base() + window_.bytes(), window_.guard(), guard_stream());
}

void Traffic::look_at_guards() {
  if (window_.guard() == 0) return;
  const Image guard(window_.guard(), plan_.rank(), round_ + 17);
  for (const bool before : {true, false}) {
    const unsigned char *found = before ? window_.base() - window_.guard() : window_.base() + window_.bytes();
    if (const auto wrong = guard.difference(found, plan_.size()))
      complain(nullptr, "memory of rank " + number(plan_.rank()) + (before ? " before" : " behind") + " its window: " + wrong->text);
  }
}

Image Traffic::window_image(bool after) const {
  Image image(window_.bytes(), plan_.rank(), round_);
  for (const Region &region : plan_.regions()) {
    if (!after && !reads(region.operation)) continue;
    const auto &pieces = region.scheme->pieces;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      image.write(region.in_window + pieces[i].in_region, pieces[i].target,
                  plan_.stream(region, i, plan_.origin(region), plan_.rank(), round_));
  }
  return image;
}

Image Traffic::buffer_image(bool after) const {
  Image image(buffer_.size(), plan_.rank(), round_ + 31);
  for (const Region &region : plan_.regions()) {
    if (!after && reads(region.operation)) continue;
    const auto &pieces = region.scheme->pieces;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      image.write(region.in_buffer + pieces[i].in_buffer, pieces[i].origin,
                  plan_.stream(region, i, plan_.rank(), plan_.target(region), round_));
  }
  return image;
}

/// Of a region that is not known all operations of the plan are suspected.
void Traffic::complain(const Region *region, const std::string &what) {
  const Region *blamed = region ? region : plan_.regions().size() == 1 ? &plan_.regions().front() : nullptr;
  bench_.wrong(blamed ? name_of(blamed->operation) : "", words_ + "; " + sync_->calls + "; " + what);
}

const Region *Traffic::region_at(std::size_t place, bool in_window) const {
  for (const Region &region : plan_.regions()) {
    const std::size_t start = in_window ? region.in_window : region.in_buffer;
    const std::size_t bytes = in_window ? region.scheme->region_bytes : region.scheme->buffer_bytes;
    if (place >= start && place < start + bytes) return &region;
  }
  return nullptr;
}

std::string Traffic::piece_at(const Region *region, std::size_t place, bool in_window) const {
  if (!region) return "bytes that no transfer touches";
  for (const Piece &piece : region->scheme->pieces) {
    const std::size_t start = in_window ? region->in_window + piece.in_region : region->in_buffer + piece.in_buffer;
    const std::size_t span = in_window ? piece.target.span : piece.origin.span;
    if (place < start || place >= start + span) continue;
    const int origin = in_window ? plan_.origin(*region) : plan_.rank(), target = in_window ? plan_.rank() : plan_.target(*region);
    return piece.describe() + " between rank " + number(origin) + " and byte " + std::to_string(region->in_window + piece.in_region) +
           " of rank " + number(target);
  }
  return "bytes that no transfer touches";
}

void Traffic::issue(const Region &region, const Piece &piece, int target, std::vector<MPI_Request> *requests) {
  unsigned char *mine = buffer_.data() + region.in_buffer + piece.in_buffer;
  const MPI_Aint there = window_.displacement(target, region.in_window + piece.in_region);
  const Layout &from = piece.origin, &to = piece.target;
  MPI_Request request = MPI_REQUEST_NULL;
  switch (region.operation) {
    case Operation::put:
      if (requests)
        CALL(MPI_Rput, mine, from.count, from.type, target, there, to.count, to.type, window_, &request);
      else
        CALL(MPI_Put, mine, from.count, from.type, target, there, to.count, to.type, window_);
      break;
    case Operation::get:
      if (requests)
        CALL(MPI_Rget, mine, from.count, from.type, target, there, to.count, to.type, window_, &request);
      else
        CALL(MPI_Get, mine, from.count, from.type, target, there, to.count, to.type, window_);
      break;
    case Operation::accumulate:
      if (requests)
        CALL(MPI_Raccumulate, mine, from.count, from.type, target, there, to.count, to.type, MPI_REPLACE, window_, &request);
      else
        CALL(MPI_Accumulate, mine, from.count, from.type, target, there, to.count, to.type, MPI_REPLACE, window_);
      break;
    case Operation::get_accumulate:
      if (requests)
        CALL(MPI_Rget_accumulate, nullptr, 0, MPI_BYTE, mine, from.count, from.type, target, there, to.count, to.type, MPI_NO_OP, window_,
             &request);
      else
        CALL(MPI_Get_accumulate, nullptr, 0, MPI_BYTE, mine, from.count, from.type, target, there, to.count, to.type, MPI_NO_OP, window_);
      break;
  }
  if (requests) requests->push_back(request);
}

}  // namespace doctor
