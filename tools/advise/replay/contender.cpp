// SPDX-License-Identifier: BSD-3-Clause
#include "contender.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace replay {

Side::Side(const Message &one)
    : message(one), memory(static_cast<std::size_t>(std::max(one.bytes / one.run * one.step, std::int64_t{1}))) {}

void Side::pack(void *buffer) const {
  auto *to = static_cast<unsigned char *>(buffer);
  const auto run = static_cast<std::size_t>(message.run);
  for (std::int64_t i = 0; i < message.bytes / message.run; ++i, to += run) std::memcpy(to, memory.data() + i * message.step, run);
}

void Side::unpack(const void *buffer) {
  const auto *from = static_cast<const unsigned char *>(buffer);
  const auto run = static_cast<std::size_t>(message.run);
  for (std::int64_t i = 0; i < message.bytes / message.run; ++i, from += run) std::memcpy(memory.data() + i * message.step, from, run);
}

namespace {

unsigned char byte_of(const Message &message, int turn, std::int64_t i) {
  return static_cast<unsigned char>(1 + (message.tag * 37 + turn * 11 + i * 7) % 251);
}

}  // namespace

void Side::fill(int turn) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(message.bytes));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_of(message, turn, static_cast<std::int64_t>(i));
  unpack(bytes.data());
}

bool Side::is_right(int turn) const {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(message.bytes));
  pack(bytes.data());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != byte_of(message, turn, static_cast<std::int64_t>(i))) return false;
  return true;
}

Sides sides_of(const std::vector<Message> &messages, int rank) {
  Sides sides;
  for (const Message &message : messages) {
    if (message.from == rank) sides.out.emplace_back(message);
    if (message.to == rank) sides.in.emplace_back(message);
  }
  return sides;
}

namespace {

/// A packed message has a buffer, a typed one a datatype.
struct Part {
  Side *side;
  MPI_Datatype type = MPI_BYTE;
  std::vector<unsigned char> buffer;

  void *data() { return side->message.is_typed ? side->memory.data() : buffer.data(); }
  int count() const { return side->message.is_typed ? 1 : static_cast<int>(side->message.bytes); }
};

std::vector<Part> parts_of(std::vector<Side> &sides) {
  std::vector<Part> parts;
  for (Side &side : sides) {
    Part part{&side, MPI_BYTE, {}};
    const Message &message = side.message;
    if (message.is_typed) {
      MPI_Type_create_hvector(static_cast<int>(message.bytes / message.run), static_cast<int>(message.run), message.step, MPI_BYTE,
                              &part.type);
      MPI_Type_commit(&part.type);
    } else {
      part.buffer.resize(static_cast<std::size_t>(message.bytes));
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

class AsRecorded : public Contender {
 public:
  explicit AsRecorded(Sides &sides) : in_(parts_of(sides.in)), out_(parts_of(sides.out)) {
    for (const std::vector<Part> *parts : {&in_, &out_})
      for (const Part &part : *parts) stages_ = std::max(stages_, part.side->message.stage + 1);
    requests_.reserve(in_.size() + out_.size());
  }
  ~AsRecorded() override {
    for (std::vector<Part> *parts : {&in_, &out_})
      for (Part &part : *parts)
        if (part.type != MPI_BYTE) MPI_Type_free(&part.type);
  }
  void exchange() override {
    for (int stage = 0; stage < stages_; ++stage) exchange_stage(stage);
  }

 private:
  void exchange_stage(int stage) {
    requests_.clear();
    for (Part &part : in_)
      if (part.side->message.stage == stage)
        MPI_Irecv(part.data(), part.count(), part.type, part.side->message.from, part.side->message.tag, MPI_COMM_WORLD,
                  &requests_.emplace_back());
    for (Part &part : out_) {
      const Message &message = part.side->message;
      if (message.stage != stage) continue;
      if (!message.is_typed) part.side->pack(part.data());
      MPI_Isend(part.data(), part.count(), part.type, message.to, message.tag, MPI_COMM_WORLD, &requests_.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (Part &part : in_)
      if (part.side->message.stage == stage && !part.side->message.is_typed) part.side->unpack(part.data());
  }

  std::vector<Part> in_, out_;
  std::vector<MPI_Request> requests_;
  int stages_ = 1;
};

class InMode : public Contender {
 public:
  explicit InMode(Sides &sides) : sides_(sides) {
    for (std::size_t i = 0; i < sides.out.size(); ++i) add(sides.out[i].message.to, sides.out[i].message, true, static_cast<int>(i));
    for (std::size_t i = 0; i < sides.in.size(); ++i) add(sides.in[i].message.from, sides.in[i].message, false, static_cast<int>(i));
  }
  ~InMode() override {
    if (hlc_exchange_destroy(&exchange_) != HLC_OK) std::fprintf(stderr, "halocline-replay: %s\n", hlc_error_message());
  }

  hlc_status create(hlc_context *context, hlc_mode mode) {
    hlc_exchange_spec spec{};
    spec.nneighbours = static_cast<int>(neighbours_.size());
    spec.neighbours = neighbours_.data();
    spec.pack = [](int i, void *buffer, void *user) {
      auto &self = *static_cast<InMode *>(user);
      self.sides_.out[static_cast<std::size_t>(self.index_[static_cast<std::size_t>(i)])].pack(buffer);
    };
    spec.unpack = [](int i, const void *buffer, void *user) {
      auto &self = *static_cast<InMode *>(user);
      self.sides_.in[static_cast<std::size_t>(self.index_[static_cast<std::size_t>(i)])].unpack(buffer);
    };
    spec.user = this;
    spec.mode = mode;
    spec.name = "replayed exchange";
    return hlc_exchange_create(context, &spec, &exchange_);
  }
  void exchange() override {
    if (hlc_exchange_start(exchange_) != HLC_OK || hlc_exchange_finish(exchange_) != HLC_OK) throw Bad(hlc_error_message());
  }

 private:
  /// An entry for each message: each has tags of its own, and one of the two directions empty.
  void add(int rank, const Message &message, bool is_out, int index) {
    hlc_neighbour one{};
    one.rank = rank;
    one.tag_out = 2 * message.tag + (is_out ? 0 : 1);
    one.tag_in = 2 * message.tag + (is_out ? 1 : 0);
    (is_out ? one.bytes_out : one.bytes_in) = message.bytes;
    neighbours_.push_back(one);
    index_.push_back(index);
  }

  Sides &sides_;
  std::vector<hlc_neighbour> neighbours_;
  std::vector<int> index_;
  hlc_exchange *exchange_ = nullptr;
};

}  // namespace

std::unique_ptr<Contender> as_recorded(Sides &sides) { return std::make_unique<AsRecorded>(sides); }

std::unique_ptr<Contender> in_mode(hlc_context *context, Sides &sides, hlc_mode mode, std::string &reason) {
  auto made = std::make_unique<InMode>(sides);
  if (made->create(context, mode) == HLC_OK) return made;
  reason = hlc_error_message();
  return nullptr;
}

}  // namespace replay
