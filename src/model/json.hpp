// A small reader of JSON, for machine cards: it refuses what is not JSON and says where. Numbers are doubles.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace halocline::core {

struct JsonMember;

/// A value. Of an object `members` holds the values in order, of an array they have no names.
struct JsonValue {
  enum class Kind { null, boolean, number, text, array, object };

  Kind kind = Kind::null;
  double number = 0;  ///< of a boolean 0 or 1
  std::string text;
  std::vector<JsonMember> members;

  /// The member of that name; NULL if there is none, or if this is not an object.
  const JsonValue *find(const std::string &name) const;
  /// A member's number or text; the other one where there is no such member of that kind.
  double number_at(const std::string &name, double otherwise) const;
  std::string text_at(const std::string &name, const std::string &otherwise) const;
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

/// The content of a file; nothing if it cannot be read, as a folder.
std::optional<std::string> text_of(const std::string &path);

/// Reads a whole text. Where it is not JSON: nothing, and `fault` says what is wrong at which line.
std::optional<JsonValue> read_json(const std::string &text, std::string &fault);

}  // namespace halocline::core
