// Messages of a process to itself. MPI may hold a blocking send until the message is received, which the same process does only then; programs
// of Global Arrays send such messages all the same.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <list>
#include <mutex>
#include <optional>
#include <vector>

namespace halocline::core::armci {

class OwnMessages {
 public:
  void send(int tag, const void *buffer, int bytes) {
    const auto *const first = static_cast<const char *>(buffer);
    const std::lock_guard lock(mutex_);
    messages_.push_back({tag, {first, first + bytes}});
  }
  bool has(int tag) {
    const std::lock_guard lock(mutex_);
    return find(tag) != messages_.end();
  }
  /// The first one with the tag; nothing if there is none.
  std::optional<std::vector<char>> take(int tag) {
    const std::lock_guard lock(mutex_);
    const auto found = find(tag);
    if (found == messages_.end()) return std::nullopt;
    std::vector<char> bytes = std::move(found->bytes);
    messages_.erase(found);
    return bytes;
  }

 private:
  struct Message {
    int tag;
    std::vector<char> bytes;
  };

  std::list<Message>::iterator find(int tag) {
    return std::find_if(messages_.begin(), messages_.end(), [tag](const Message &message) { return message.tag == tag; });
  }

  std::mutex mutex_;
  std::list<Message> messages_;
};

}  // namespace halocline::core::armci
