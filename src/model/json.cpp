// SPDX-License-Identifier: BSD-3-Clause
#include "model/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

namespace halocline::core {
namespace {

constexpr int kDeepest = 32;  // of arrays and objects in each other

class Reader {
 public:
  explicit Reader(const std::string &text) : text_(text) {}

  bool whole(JsonValue &value) {
    if (!read(value, 0)) return false;
    skip_space();
    return at_ == text_.size() || wrong("unexpected text after the end");
  }
  std::string fault() const { return fault_; }

 private:
  bool wrong(const char *what) {
    if (fault_.empty()) {
      const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size()));
      fault_ = std::string(what) + " at line " + std::to_string(1 + std::count(text_.begin(), end, '\n'));
    }
    return false;
  }
  void skip_space() {
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_])) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take_word(const char *word) {
    if (text_.compare(at_, std::strlen(word), word) != 0) return false;
    at_ += std::strlen(word);
    return true;
  }

  bool read(JsonValue &value, int depth) {
    skip_space();
    if (depth > kDeepest) return wrong("too many levels");
    if (at_ >= text_.size()) return wrong("the text ends too early");
    switch (text_[at_]) {
      case '{': return read_members(value, depth, JsonValue::Kind::object, '}');
      case '[': return read_members(value, depth, JsonValue::Kind::array, ']');
      case '"': value.kind = JsonValue::Kind::text; return read_text(value.text);
      default: return read_plain(value);
    }
  }

  bool read_members(JsonValue &value, int depth, JsonValue::Kind kind, char end) {
    value.kind = kind;
    ++at_;
    if (take(end)) return true;
    do {
      value.members.emplace_back();
      JsonMember &member = value.members.back();
      if (kind == JsonValue::Kind::object && !read_name(member.name)) return false;
      if (!read(member.value, depth + 1)) return false;
    } while (take(','));
    return take(end) || wrong("a comma or the end of a list is missing");
  }

  bool read_name(std::string &name) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != '"') return wrong("a name is missing");
    return read_text(name) && (take(':') || wrong("a colon is missing"));
  }

  bool read_text(std::string &text) {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) text += text_[at_] == '\\' ? escaped() : text_[at_];
    if (at_ >= text_.size()) return wrong("a text has no end");
    ++at_;
    return true;
  }

  /// What an escape stands for; of a code point, which names of operations and curves do not have, a question mark.
  char escaped() {
    if (++at_ >= text_.size()) return '?';
    switch (text_[at_]) {
      case 'n': return '\n';
      case 't': return '\t';
      case 'r':
      case 'b':
      case 'f': return ' ';
      case 'u': at_ += 4; return '?';
      default: return text_[at_];
    }
  }

  bool read_plain(JsonValue &value) {
    if (take_word("null")) return true;
    value.kind = JsonValue::Kind::boolean;
    value.number = text_[at_] == 't' ? 1 : 0;
    if (take_word("true") || take_word("false")) return true;
    value.kind = JsonValue::Kind::number;
    const char *const begin = text_.data() + at_, *const end = text_.data() + text_.size();
    const auto [after, error] = std::from_chars(begin, end, value.number);
    if (error != std::errc() || !std::isfinite(value.number)) return wrong("no value");
    at_ += static_cast<std::size_t>(after - begin);
    return true;
  }

  const std::string &text_;
  std::size_t at_ = 0;
  std::string fault_;
};

}  // namespace

const JsonValue *JsonValue::find(const std::string &name) const {
  if (kind != Kind::object) return nullptr;
  const auto found = std::find_if(members.begin(), members.end(), [&](const JsonMember &member) { return member.name == name; });
  return found == members.end() ? nullptr : &found->value;
}

double JsonValue::number_at(const std::string &name, double otherwise) const {
  const JsonValue *value = find(name);
  return value && value->kind == Kind::number ? value->number : otherwise;
}

std::string JsonValue::text_at(const std::string &name, const std::string &otherwise) const {
  const JsonValue *value = find(name);
  return value && value->kind == Kind::text ? value->text : otherwise;
}

std::optional<JsonValue> read_json(const std::string &text, std::string &fault) {
  JsonValue value;
  Reader reader(text);
  if (reader.whole(value)) return value;
  fault = reader.fault();
  return std::nullopt;
}

std::optional<std::string> text_of(const std::string &path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 4096> some;
  while (const std::size_t got = std::fread(some.data(), 1, some.size(), file.get())) text.append(some.data(), got);
  return std::ferror(file.get()) ? std::nullopt : std::optional(std::move(text));
}

}  // namespace halocline::core
