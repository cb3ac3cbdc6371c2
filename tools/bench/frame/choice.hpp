// An option that takes one of a few words.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <common/parse.hpp>

#include <map>

namespace bench {

template <class T>
void add_choice(CLI::App &command, const std::string &name, T &value, const std::map<std::string, T> &choices,
                const std::string &description) {
  std::vector<std::string> words;
  std::string present;
  for (const auto &[word, choice] : choices) {
    words.push_back(word);
    if (choice == value) present = word;
  }
  command.add_option_function<std::string>(
             name, [&value, choices](const std::string &word) { value = choices.at(word); }, description)
      ->check(CLI::IsMember(words))
      ->default_str(present);
}

}  // namespace bench
