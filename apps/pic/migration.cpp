// SPDX-License-Identifier: BSD-3-Clause
#include "migration.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>

namespace pic {
namespace {

struct Parcel {
  std::uint64_t species;
  Particle particle;
};

void append(std::vector<std::byte> &to, const Parcel &parcel) {
  const std::size_t size = to.size();
  to.resize(size + sizeof parcel);
  std::memcpy(to.data() + size, &parcel, sizeof parcel);
}

class Sparse : public Migration {
 public:
  explicit Sparse(const halocline::Context &context)
      : exchange_(
            context,
            [this](int, const void *data, std::int64_t bytes) {
              const auto *begin = static_cast<const std::byte *>(data);
              arrived_.emplace_back(begin, begin + bytes);
            },
            0, "particles") {}

 private:
  std::vector<Bytes> exchange(const std::vector<Bytes> &to) override {
    std::vector<halocline::SparseMessage> messages;
    for (std::size_t rank = 0; rank < to.size(); ++rank)
      if (!to[rank].empty()) messages.push_back({static_cast<int>(rank), to[rank].data(), static_cast<std::int64_t>(to[rank].size())});
    arrived_.clear();
    exchange_.exchange(messages);
    return std::move(arrived_);
  }

  std::vector<Bytes> arrived_;
  halocline::SparseExchange<std::function<void(int, const void *, std::int64_t)>> exchange_;
};

/// Each rank puts what it has for another one into that one's segment, with a notification that says how much it is. Two halves take turns:
/// a rank that writes to one again has been notified by all in between, which had read this half then.
class Notified : public Migration {
 public:
  explicit Notified(const halocline::Context &context)
      : ranks_(context.size()), rank_(context.rank()), segment_(context, 2 * ranks_ * kBytes, 2 * ranks_) {}

 private:
  /// Of a half, for each rank that sends.
  static constexpr std::int64_t kBytes = 1820 * sizeof(Parcel);

  std::vector<Bytes> exchange(const std::vector<Bytes> &to) override {
    std::size_t most = 0;
    for (const Bytes &bytes : to) most = std::max(most, bytes.size());
    std::vector<Bytes> arrived(to.size());
    for (std::size_t sent = 0, more = 1; more != 0; sent += kBytes) {
      more = most > sent + kBytes ? 1 : 0;
      half_ = 1 - half_;
      for (int step = 1; step < ranks_; ++step) send(to, (rank_ + step) % ranks_, sent, more);
      for (int step = 1; step < ranks_; ++step) more |= receive((rank_ + ranks_ - step) % ranks_, arrived);
      segment_.flush_local();
    }
    return arrived;
  }
  /// The notification's value: 2, and 2 for each particle, and 1 if this rank has more for anyone.
  void send(const std::vector<Bytes> &all, int target, std::size_t sent, std::size_t more) {
    const Bytes &bytes = all[static_cast<std::size_t>(target)];
    const std::size_t count = bytes.size() > sent ? std::min<std::size_t>(bytes.size() - sent, kBytes) : 0;
    const int place = half_ * ranks_ + rank_;
    const auto value = static_cast<std::uint32_t>(2 + 2 * (count / sizeof(Parcel)) + more);
    segment_.put_notify({target, place * kBytes}, count > 0 ? bytes.data() + sent : nullptr, static_cast<std::int64_t>(count),
                        {place, value});
  }
  /// Returns whether the rank that sends has more.
  std::size_t receive(int origin, std::vector<Bytes> &arrived) {
    const int place = half_ * ranks_ + origin;
    segment_.wait({place, 1});
    const std::size_t value = segment_.reset(place);
    const auto *begin = segment_.data() + place * kBytes;
    Bytes &to = arrived[static_cast<std::size_t>(origin)];
    to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>((value / 2 - 1) * sizeof(Parcel)));
    return value % 2;
  }

  int ranks_, rank_, half_ = 0;
  halocline::Segment segment_;
};

/// A personalised exchange: all sizes, then the messages that exist.
class Messages : public Migration {
 public:
  explicit Messages(const halocline::Context &context) : sizes_(static_cast<std::size_t>(context.size())) {}

 private:
  static constexpr int kTag = 7;

  std::vector<Bytes> exchange(const std::vector<Bytes> &to) override {
    std::vector<int> mine;
    for (const Bytes &bytes : to) mine.push_back(static_cast<int>(bytes.size()));
    MPI_Alltoall(mine.data(), 1, MPI_INT, sizes_.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::vector<Bytes> arrived(to.size());
    std::vector<MPI_Request> requests;
    for (std::size_t rank = 0; rank < to.size(); ++rank) {
      arrived[rank].resize(static_cast<std::size_t>(sizes_[rank]));
      if (sizes_[rank] > 0)
        MPI_Irecv(arrived[rank].data(), sizes_[rank], MPI_BYTE, static_cast<int>(rank), kTag, MPI_COMM_WORLD, &requests.emplace_back());
    }
    for (std::size_t rank = 0; rank < to.size(); ++rank)
      if (mine[rank] > 0)
        MPI_Isend(to[rank].data(), mine[rank], MPI_BYTE, static_cast<int>(rank), kTag, MPI_COMM_WORLD, &requests.emplace_back());
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return arrived;
  }

  std::vector<int> sizes_;
};

}  // namespace

std::int64_t Migration::run(const Block &block, std::vector<Species> &species, Clock &clock) {
  const Shape shape(block, 0);
  const int here = block.grid().rank_at({block.grid().coord(0), block.grid().coord(1), block.grid().coord(2), 0});
  std::vector<Bytes> to(static_cast<std::size_t>(block.grid().ranks(0) * block.grid().ranks(1) * block.grid().ranks(2)));
  for (std::size_t s = 0; s < species.size(); ++s) {
    std::vector<Particle> &some = species[s].particles;
    for (std::size_t i = 0; i < some.size();) {
      const int owner = block.owner(shape.cell_of(some[i].x));
      if (owner == here) {
        ++i;
        continue;
      }
      append(to[static_cast<std::size_t>(owner)], {s, some[i]});
      some[i] = some.back();
      some.pop_back();
    }
  }
  const Timed timed(clock, Site::particles);
  std::int64_t count = 0;
  for (const Bytes &bytes : exchange(to))
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(Parcel), ++count) {
      Parcel parcel;
      std::memcpy(&parcel, bytes.data() + at, sizeof parcel);
      species[parcel.species].particles.push_back(parcel.particle);
    }
  return count;
}

std::unique_ptr<Migration> make_migration(const std::string &kind, const halocline::Context &context) {
  if (kind == "sparse") return std::make_unique<Sparse>(context);
  if (kind == "notified") return std::make_unique<Notified>(context);
  if (kind == "messages") return std::make_unique<Messages>(context);
  throw std::runtime_error("particles travel by sparse, notified or messages, not " + kind);
}

}  // namespace pic
