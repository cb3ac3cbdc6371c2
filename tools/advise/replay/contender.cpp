// SPDX-License-Identifier: BSD-3-Clause
#include "contender.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>

namespace replay {

namespace {

/// A packed message has a buffer, a typed one a datatype.
struct Part {
  Side *side;
  MPI_Datatype type = MPI_BYTE;
  std::vector<unsigned char> buffer;

  void *data() { return side->message.is_typed ? side->memory : buffer.data(); }
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
  InMode(Sides &sides, const std::vector<Entry> &entries) : sides_(sides), entries_(entries) {}
  ~InMode() override {
    if (hlc_exchange_destroy(&exchange_) != HLC_OK) std::fprintf(stderr, "halocline-replay: %s\n", hlc_error_message());
  }

  hlc_status create(hlc_context *context, hlc_mode mode) {
    std::vector<hlc_neighbour> neighbours;
    for (const Entry &entry : entries_)
      neighbours.push_back({entry.rank, entry.tag_out, entry.tag_in, entry.out < 0 ? 0 : out(entry).message.bytes,
                            entry.in < 0 ? 0 : in(entry).message.bytes});
    hlc_exchange_spec spec{};
    spec.nneighbours = static_cast<int>(neighbours.size());
    spec.neighbours = neighbours.data();
    spec.pack = [](int i, void *buffer, void *user) {
      auto &self = *static_cast<InMode *>(user);
      self.out(self.entries_[static_cast<std::size_t>(i)]).pack(buffer);
    };
    spec.unpack = [](int i, const void *buffer, void *user) {
      auto &self = *static_cast<InMode *>(user);
      self.in(self.entries_[static_cast<std::size_t>(i)]).unpack(buffer);
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
  Side &out(const Entry &entry) { return sides_.out[static_cast<std::size_t>(entry.out)]; }
  Side &in(const Entry &entry) { return sides_.in[static_cast<std::size_t>(entry.in)]; }

  Sides &sides_;
  const std::vector<Entry> &entries_;
  hlc_exchange *exchange_ = nullptr;
};

/// The array of all sides is the field, in units that all runs are made of.
class InPlace : public Contender {
 public:
  explicit InPlace(hlc_mode mode) : mode_(mode) {}
  ~InPlace() override {
    if (hlc_index_halo_finalise(&halo_) != HLC_OK) std::fprintf(stderr, "halocline-replay: %s\n", hlc_error_message());
  }

  hlc_status create(hlc_context *context, Sides &sides, const std::vector<Entry> &entries) {
    std::vector<std::vector<std::int64_t>> lists;
    std::vector<hlc_index_neighbour> neighbours;
    lists.reserve(2 * entries.size());
    for (const Entry &entry : entries) {
      hlc_index_neighbour one{entry.rank, entry.tag_out, entry.tag_in, 0, nullptr, 0, nullptr};
      if (entry.out >= 0) one.out = add(lists, sides.out[static_cast<std::size_t>(entry.out)], sides.unit(), one.nout);
      if (entry.in >= 0) one.in = add(lists, sides.in[static_cast<std::size_t>(entry.in)], sides.unit(), one.nin);
      neighbours.push_back(one);
    }
    hlc_index_field field{};
    field.data = sides.data();
    field.type = HLC_OPAQUE;
    field.element_bytes = static_cast<std::size_t>(sides.unit());
    field.name = "replayed exchange";
    hlc_index_halo_spec spec{};
    spec.nentries = sides.bytes() / sides.unit();
    spec.nneighbours = static_cast<int>(neighbours.size());
    spec.neighbours = neighbours.data();
    spec.nfields = 1;
    spec.fields = &field;
    spec.mode = mode_;
    return hlc_index_halo_init(context, &spec, &halo_);
  }
  void exchange() override {
    if (hlc_index_halo_start(halo_, nullptr) != HLC_OK || hlc_index_halo_finish(halo_) != HLC_OK) throw Bad(hlc_error_message());
  }
  std::string mode() const override {
    hlc_plan_info info{};
    if (mode_ != HLC_MODE_AUTO || hlc_index_halo_info(halo_, &info) != HLC_OK) return "";
    return hlc_mode_name(info.mode);
  }

 private:
  static const std::int64_t *add(std::vector<std::vector<std::int64_t>> &lists, const Side &side, std::int64_t unit, std::int64_t &count) {
    std::vector<std::int64_t> &list = lists.emplace_back();
    for (std::int64_t run = 0; run < side.message.bytes / side.message.run; ++run)
      for (std::int64_t byte = 0; byte < side.message.run; byte += unit)
        list.push_back((side.place + run * side.message.step + byte) / unit);
    count = static_cast<std::int64_t>(list.size());
    return list.data();
  }

  hlc_mode mode_;
  hlc_index_halo *halo_ = nullptr;
};

/// A message of odd length makes the unit a byte; a list has 8 bytes for each.
constexpr std::int64_t kMostListed = std::int64_t{1} << 22;

/// How many entries the lists of a rank would have, at most of all ranks. Collective.
std::int64_t most_listed(const Sides &sides) {
  std::int64_t mine = 0, most = 0;
  for (const std::vector<Side> *some : {&sides.in, &sides.out})
    for (const Side &side : *some) mine += side.message.bytes / sides.unit();
  MPI_Allreduce(&mine, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

}  // namespace

std::unique_ptr<Contender> as_recorded(Sides &sides) { return std::make_unique<AsRecorded>(sides); }

std::unique_ptr<Contender> in_mode(hlc_context *context, Sides &sides, const std::vector<Entry> &entries, hlc_mode mode,
                                   std::string &reason) {
  auto made = std::make_unique<InMode>(sides, entries);
  if (made->create(context, mode) == HLC_OK) return made;
  reason = hlc_error_message();
  return nullptr;
}

std::unique_ptr<Contender> in_place(hlc_context *context, Sides &sides, const std::vector<Entry> &entries, hlc_mode mode,
                                    std::string &reason) {
  if (const std::int64_t most = most_listed(sides); most > kMostListed) {
    reason = "a rank would list " + std::to_string(most) + " pieces of " + std::to_string(sides.unit()) + " B, more than " +
             std::to_string(kMostListed);
    return nullptr;
  }
  auto made = std::make_unique<InPlace>(mode);
  if (made->create(context, sides, entries) == HLC_OK) return made;
  reason = hlc_error_message();
  return nullptr;
}

}  // namespace replay
