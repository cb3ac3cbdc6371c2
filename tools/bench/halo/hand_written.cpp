// SPDX-License-Identifier: BSD-3-Clause
#include "bench/halo/hand_written.hpp"

#include <climits>
#include <cstring>
#include <stdexcept>

namespace bench {

/// A number for each direction, the same on both ends.
static int tag_of(const Index &v) { return static_cast<int>((v[0] + 1) * 9 + (v[1] + 1) * 3 + v[2] + 1); }

HandWrittenSwap::HandWrittenSwap(MPI_Comm comm, const Block &block, bool box, const std::vector<int> &neighbours,
                                 const std::vector<char *> &fields)
    : comm_(comm), block_(block), fields_(fields) {
  int me = 0;
  MPI_Comm_rank(comm, &me);
  const std::vector<Index> all = directions(block, box);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Index &v = all[i];
    if (neighbours[i] == me) {
      self_.push_back({block.edge(opposite(v)), block.halo(v)});
      continue;
    }
    const std::size_t bytes = static_cast<std::size_t>(block.edge(v).cells()) * block.element_bytes * fields.size();
    if (bytes > INT_MAX) throw std::length_error("the hand-written swap holds at most 2 GiB in one message");
    messages_.push_back(
        {neighbours[i], tag_of(v), tag_of(opposite(v)), block.edge(v), block.halo(v), std::vector<char>(bytes), std::vector<char>(bytes)});
  }
  receives_.resize(messages_.size());
  sends_.resize(messages_.size());
}

void HandWrittenSwap::run() {
  post_receives();
  pack_and_send();
  copy_self(block_, self_, fields_);
  unpack_arrivals();
  MPI_Waitall(messages(), sends_.data(), MPI_STATUSES_IGNORE);
}

void HandWrittenSwap::post_receives() {
  for (int i = 0; i < messages(); ++i) {
    Message &m = messages_[i];
    MPI_Irecv(m.in.data(), static_cast<int>(m.in.size()), MPI_BYTE, m.rank, m.receive_tag, comm_, &receives_[i]);
  }
}

void HandWrittenSwap::pack_and_send() {
  for (int i = 0; i < messages(); ++i) {
    Message &m = messages_[i];
    pack(m);
    MPI_Isend(m.out.data(), static_cast<int>(m.out.size()), MPI_BYTE, m.rank, m.send_tag, comm_, &sends_[i]);
  }
}

void HandWrittenSwap::unpack_arrivals() {
  for (int left = messages(); left > 0; --left) {
    int arrived = 0;
    MPI_Waitany(messages(), receives_.data(), &arrived, MPI_STATUS_IGNORE);
    unpack(messages_[arrived]);
  }
}

void HandWrittenSwap::pack(Message &message) const {
  const std::size_t run = static_cast<std::size_t>(message.edge.count[2]) * block_.element_bytes;
  char *to = message.out.data();
  for (const char *field : fields_)
    for_each_column(message.edge, [&](std::int64_t x, std::int64_t y) {
      std::memcpy(to, field + block_.offset(x, y, message.edge.first[2]), run);
      to += run;
    });
}

void HandWrittenSwap::unpack(const Message &message) const {
  const std::size_t run = static_cast<std::size_t>(message.halo.count[2]) * block_.element_bytes;
  const char *from = message.in.data();
  for (char *field : fields_)
    for_each_column(message.halo, [&](std::int64_t x, std::int64_t y) {
      std::memcpy(field + block_.offset(x, y, message.halo.first[2]), from, run);
      from += run;
    });
}

}  // namespace bench
