// SPDX-License-Identifier: BSD-3-Clause
#include "pattern.hpp"

#include <fstream>
#include <sstream>

namespace replay {
namespace {

Message parse(const std::string &line, const std::string &where, int ranks) {
  Message message;
  std::istringstream words(line);
  std::string word;
  int typed = 0;
  if (!(words >> word >> message.from >> message.to >> message.stage >> message.bytes >> message.run >> message.step >> typed) ||
      word != "message")
    throw Bad(where + ": '" + line + "' is not: message FROM TO STAGE BYTES RUN STEP TYPED");
  message.is_typed = typed != 0;
  const auto is_rank = [ranks](int rank) { return rank >= 0 && rank < ranks; };
  if (!is_rank(message.from) || !is_rank(message.to))
    throw Bad(where + ": a message from rank " + std::to_string(message.from) + " to " + std::to_string(message.to) + " needs more than " +
              std::to_string(ranks) + " ranks; start it on as many as were recorded");
  if (message.bytes < 1 || message.run < 1 || message.bytes % message.run != 0 || message.step < message.run)
    throw Bad(where + ": " + std::to_string(message.bytes) + " bytes in runs of " + std::to_string(message.run) + " every " +
              std::to_string(message.step) + " can't be a message");
  return message;
}

}  // namespace

std::vector<Message> read_pattern(const std::string &path, int ranks) {
  std::ifstream file(path);
  if (!file) throw Bad(path + ": can't be read");
  std::vector<Message> messages;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    messages.push_back(parse(line, path + ":" + std::to_string(number), ranks));
    messages.back().tag = static_cast<int>(messages.size()) - 1;
  }
  if (messages.empty()) throw Bad(path + " has no messages");
  return messages;
}

}  // namespace replay
