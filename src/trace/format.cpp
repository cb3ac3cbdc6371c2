// The fields of each line. Times are microseconds with three decimals.
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/format.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstddef>
#include <cstdio>

namespace halocline::core::trace {
namespace {

[[gnu::format(printf, 2, 3)]] void print(std::string &lines, const char *format, ...) {
  char text[256];
  va_list values;
  va_start(values, format);
  const int length = std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (length > 0) lines.append(text, std::min(static_cast<std::size_t>(length), sizeof text - 1));
}

void print_time(std::string &lines, const char *name, std::int64_t ns) {
  print(lines, ",\"%s\":%" PRId64 ".%03d", name, ns / 1000, static_cast<int>(ns % 1000));
}

const char *phase(Kind kind) {
  if (kind == Kind::opens) return "b";
  return kind == Kind::closes ? "e" : "X";
}

/// The arguments of an event, which end with the object. The first one has no comma before it.
class Arguments {
 public:
  explicit Arguments(std::string &lines) : lines_(lines) { lines_ += ",\"args\":{"; }
  ~Arguments() { lines_ += "}}"; }
  Arguments(const Arguments &) = delete;
  Arguments &operator=(const Arguments &) = delete;

  void number(const char *name, std::int64_t value) {
    begin(name);
    print(lines_, "%" PRId64, value);
  }
  void text(const char *name, const std::string &value) {
    begin(name);
    lines_.append("\"").append(value).append("\"");
  }

 private:
  void begin(const char *name) {
    lines_.append(first_ ? "\"" : ",\"").append(name).append("\":");
    first_ = false;
  }

  std::string &lines_;
  bool first_ = true;
};

}  // namespace

std::string escaped(const std::string &text) {
  std::string safe;
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\')
      safe.append("\\").append(1, letter);
    else if (code >= 0x20 && code < 0x7f)
      safe += letter;
    else
      print(safe, "\\u%04x", static_cast<unsigned>(code));
  }
  return safe;
}

void append_event(std::string &lines, const Event &event, int thread, const Texts &texts) {
  print(lines, R"({"name":"%s","cat":"%s","ph":"%s","pid":%d,"tid":%d)", event.name, event.category, phase(event.kind), event.rank, thread);
  print_time(lines, "ts", event.begin_ns);
  if (event.kind == Kind::span) print_time(lines, "dur", event.end_ns - event.begin_ns);
  if (event.kind != Kind::span)
    print(lines, R"(,"id":"%d.%)" PRId64 ".%" PRId64 ".%" PRId64 "\"", event.rank, event.context, event.plan, event.round);
  Arguments arguments(lines);
  if (event.context > 0) arguments.number("context", event.context);
  if (event.plan > 0) arguments.number("plan", event.plan);
  if (event.round >= 0) arguments.number("round", event.round);
  if (event.peer != kNoRank) arguments.number("peer", event.peer);
  if (event.bytes >= 0) arguments.number("bytes", event.bytes);
  if (event.call) arguments.text("in", event.call);
  if (event.label != 0) arguments.text("of", texts.label);
  if (event.detail != 0) arguments.text("what", texts.detail);
}

std::string about_rank(const Place &place, const std::string &host) {
  std::string lines;
  print(lines, R"({"name":"process_name","ph":"M","pid":%d,"tid":0,"args":{"name":"rank %d on )", place.rank, place.rank);
  lines += host;
  print(lines, "\"}},\n{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"args\":{\"sort_index\":%d}},\n", place.rank,
        place.rank);
  print(lines, R"({"name":"halocline_rank","ph":"M","pid":%d,"tid":0)", place.rank);
  {
    Arguments arguments(lines);
    arguments.number("format", 1);
    arguments.number("rank", place.rank);
    arguments.number("ranks", place.ranks);
    arguments.text("clock", std::to_string(place.clock));
    arguments.text("host", host);
  }
  return lines;
}

std::string about_clock(int rank, const ClockSample &sample) {
  std::string lines;
  print(lines, R"({"name":"halocline_clock","ph":"M","pid":%d,"tid":0)", rank);
  {
    Arguments arguments(lines);
    arguments.number("reference", sample.reference);
    arguments.text("reference_clock", std::to_string(sample.reference_clock));
    arguments.number("at_ns", sample.at_ns);
    arguments.number("offset_ns", sample.offset_ns);
    arguments.number("round_trip_ns", sample.round_trip_ns);
  }
  return lines;
}

}  // namespace halocline::core::trace
