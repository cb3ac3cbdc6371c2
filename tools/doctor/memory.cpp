// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include <cstdio>

namespace doctor {
namespace {

std::string in_hex(const unsigned char *memory, std::size_t bytes) {
  std::string text = "bytes";
  char digits[4];
  for (std::size_t i = 0; i < bytes && i < 8; ++i) {
    std::snprintf(digits, sizeof digits, " %02x", memory[i]);
    text += digits;
  }
  return text;
}

}  // namespace

void scatter(unsigned char *start, const Layout &layout, const Stream &stream) {
  std::size_t place = 0;
  for (const Run &run : layout.runs) {
    write_stream(start + run.offset, run.bytes, stream, place);
    place += run.bytes;
  }
}

void Image::write(std::size_t start, const Layout &layout, const Stream &stream) { scatter(bytes_.data() + start, layout, stream); }

std::string what_stands(const unsigned char *memory, std::size_t bytes, std::size_t place, int ranks) {
  const std::size_t first = place < 7 ? 0 : place - 7;
  for (std::size_t start = place + 1; start-- > first;) {
    if (start + 8 > bytes) continue;
    if (const auto word = decode(memory + start, static_cast<unsigned>(ranks)))
      return describe(word->stream) + ", its byte " + std::to_string(8 * word->index + (place - start));
  }
  return in_hex(memory + place, bytes - place) + ", not a value that any rank wrote as a whole";
}

std::optional<Image::Difference> Image::difference(const unsigned char *found, int ranks) const {
  std::size_t first = 0, count = 0;
  for (std::size_t i = bytes_.size(); i-- > 0;) {
    if (found[i] == bytes_[i]) continue;
    first = i;
    count += 1;
  }
  if (count == 0) return std::nullopt;
  return Difference{first, std::to_string(count) + " of " + std::to_string(bytes_.size()) + " bytes wrong; first at byte " +
                               std::to_string(first) + ": there is " + what_stands(found, bytes_.size(), first, ranks) + "; expected " +
                               what_stands(bytes_.data(), bytes_.size(), first, ranks)};
}

}  // namespace doctor
