// Passive messages that this rank sends, and how it receives them. Each rank has one box; who wants to send takes it, writes the message
// and says so, and the receiver gives the box free again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "faces/gaspi/requests.hpp"

namespace halocline::gaspi {

class Job;

/// A message as its sender has named it: the same call of the same thread goes on with it.
struct Parcel {
  int rank, segment;
  std::uint64_t offset, bytes;
  std::uint64_t thread = thread_number();

  auto parts() const { return std::tie(rank, segment, offset, bytes, thread); }
  bool operator<(const Parcel &other) const { return parts() < other.parts(); }
  bool operator==(const Parcel &other) const { return parts() == other.parts(); }
};

/// Any thread may call.
class Passive {
 public:
  /// Takes the receiver's box, writes, and is done when the data may be changed again; `again` until then.
  Status send(Job &job, PeerPart &control, const Parcel &parcel, const char *data);
  /// Gives back boxes that were taken for messages that nobody sends any more, and forgets what is on its way.
  Status give_back(Job &job);
  /// Receives a message; `again` if there is none. What does not fit stays.
  Status receive(Job &job, char *into, std::uint64_t room, int *sender, bool *fits);

 private:
  /// What this process has of another rank's box: any of its threads may use it.
  struct Box {
    Question question;
    bool mine = false, returns = false;
    Announcing announcing;
    std::optional<Parcel> parcel;  // whose data have begun to go there
  };
  static Status await_written(Job &job, int rank, Box &box);
  static Status begin(Job &job, Box &box, const Parcel &parcel);
  Status take_box(Job &job, PeerPart &control, Box &box);
  Status give_back(Job &job, int rank, Box &box);
  Status deliver(Job &job, PeerPart &control, const Parcel &parcel, const char *data);
  static void free_lost_box(Job &job);

  std::mutex sending_mutex_, receiving_mutex_;
  std::map<int, Box> boxes_;  // by rank
  std::map<Parcel, Drain> leaving_;  // written, and not locally complete yet
};

}  // namespace halocline::gaspi
