// SPDX-License-Identifier: BSD-3-Clause
#include "sides.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <numeric>
#include <utility>

namespace replay {

namespace {

/// Runs from one place to another, each at the distance of its side.
struct Strides {
  std::int64_t to, from;
};

template <class Copy>
void copy_each(unsigned char *to, const unsigned char *from, Strides strides, std::int64_t count, Copy copy) {
  for (std::int64_t i = 0; i < count; ++i) copy(to + i * strides.to, from + i * strides.from);
}

/// Short runs as the loops of programs have them: of a size that the compiler knows.
void copy_runs(unsigned char *to, const unsigned char *from, Strides strides, const Message &message) {
  const std::int64_t count = message.bytes / message.run;
  switch (message.run) {
    case 4: return copy_each(to, from, strides, count, [](auto *t, auto *f) { std::memcpy(t, f, 4); });
    case 8: return copy_each(to, from, strides, count, [](auto *t, auto *f) { std::memcpy(t, f, 8); });
    case 16: return copy_each(to, from, strides, count, [](auto *t, auto *f) { std::memcpy(t, f, 16); });
    case 24: return copy_each(to, from, strides, count, [](auto *t, auto *f) { std::memcpy(t, f, 24); });
    case 32: return copy_each(to, from, strides, count, [](auto *t, auto *f) { std::memcpy(t, f, 32); });
    default:
      return copy_each(to, from, strides, count,
                       [run = static_cast<std::size_t>(message.run)](auto *t, auto *f) { std::memcpy(t, f, run); });
  }
}

}  // namespace

void Side::pack(void *buffer) const { copy_runs(static_cast<unsigned char *>(buffer), memory, {message.run, message.step}, message); }

void Side::unpack(const void *buffer) {
  copy_runs(memory, static_cast<const unsigned char *>(buffer), {message.step, message.run}, message);
}

namespace {

constexpr std::int64_t kLine = 64;

unsigned char byte_of(const Message &message, int turn, std::int64_t i) {
  return static_cast<unsigned char>(1 + (message.tag * 37 + turn * 11 + i * 7) % 251);
}

}  // namespace

void Side::fill(int turn) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(message.bytes));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_of(message, turn, static_cast<std::int64_t>(i));
  unpack(bytes.data());
}

bool Side::is_right(int turn) const {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(message.bytes));
  pack(bytes.data());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != byte_of(message, turn, static_cast<std::int64_t>(i))) return false;
  return true;
}

void Side::clear() { std::fill_n(memory, extent(), static_cast<unsigned char>(0)); }

void Side::touch() {
  for (std::int64_t at = 0; at < extent(); at += message.step)
    for (std::int64_t byte = 0; byte < message.run; byte += kLine) {
      volatile unsigned char &one = memory[at + byte];
      one = one;
    }
}

Sides::Sides(hlc_context *context, const std::vector<Message> &messages, int rank) : context_(context) {
  for (const Message &message : messages) {
    unit_ = std::gcd(std::gcd(unit_, message.run), message.step);
    if (message.from == rank) add(out, message);
    if (message.to == rank) add(in, message);
  }
  void *data = nullptr;
  if (hlc_field_alloc(context, static_cast<std::size_t>(bytes_), &data) != HLC_OK) throw Bad(hlc_error_message());
  data_ = static_cast<unsigned char *>(data);
  for (std::vector<Side> *sides : {&out, &in})
    for (Side &side : *sides) side.memory = data_ + side.place;
}

Sides::~Sides() {
  void *data = data_;
  if (hlc_field_free(context_, &data) != HLC_OK) std::fprintf(stderr, "halocline-replay: %s\n", hlc_error_message());
}

/// Each begins with a cache line.
void Sides::add(std::vector<Side> &sides, const Message &message) {
  sides.push_back({message, bytes_});
  bytes_ += (sides.back().extent() + kLine - 1) / kLine * kLine;
}

namespace {

/// Of each message the one of the other direction that has the same place among those between the two ranks; itself if there is none.
std::vector<std::size_t> partners_of(const std::vector<Message> &messages) {
  std::map<std::pair<int, int>, std::vector<std::size_t>> between;
  for (std::size_t i = 0; i < messages.size(); ++i) between[{messages[i].from, messages[i].to}].push_back(i);
  std::vector<std::size_t> partners(messages.size());
  for (const auto &[ranks, some] : between) {
    const auto back = between.find({ranks.second, ranks.first});
    const bool has_others = ranks.first != ranks.second && back != between.end();
    for (std::size_t i = 0; i < some.size(); ++i) partners[some[i]] = has_others && i < back->second.size() ? back->second[i] : some[i];
  }
  return partners;
}

}  // namespace

/// A message that goes out has twice its number as tag_out. One that comes in alone meets the sender's tag_in, which is one more.
std::vector<Entry> entries_of(const std::vector<Message> &messages, int rank) {
  const std::vector<std::size_t> partners = partners_of(messages);
  std::vector<Entry> entries;
  std::map<std::size_t, int> ins;
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (messages[i].to == rank) ins.emplace(i, static_cast<int>(ins.size()));
  int outs = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message &message = messages[i];
    const bool is_alone = partners[i] == i;
    const int tag = 2 * message.tag;
    if (message.from == rank)
      entries.push_back({message.to, tag, is_alone ? tag + 1 : 2 * messages[partners[i]].tag, outs++, is_alone ? -1 : ins.at(partners[i])});
    if (message.to == rank && is_alone) entries.push_back({message.from, tag + 1, tag, -1, ins.at(i)});
  }
  return entries;
}

}  // namespace replay
