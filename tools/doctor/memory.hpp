// Memory as it must be, and what is wrong with memory that is not so, in words.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layout.hpp"
#include "pattern.hpp"

namespace doctor {

/// The bytes that a piece of memory must hold: first all poison, then the streams that were written into it.
class Image {
 public:
  Image(std::size_t bytes, int owner, unsigned round) : bytes_(bytes) { write_stream(bytes_.data(), bytes, poison(owner, round)); }
  static Stream poison(int owner, unsigned round) { return {static_cast<unsigned>(owner), static_cast<unsigned>(owner), kPoison, round}; }
  /// A stream in the runs of a layout that starts at a byte.
  void write(std::size_t start, const Layout &layout, const Stream &stream);
  const std::vector<unsigned char> &bytes() const { return bytes_; }

  /// Where memory first differs from the image, and what stands there instead; nothing if it does not differ.
  struct Difference {
    std::size_t place;
    std::string text;
  };
  std::optional<Difference> difference(const unsigned char *found, int ranks) const;

 private:
  std::vector<unsigned char> bytes_;
};

/// Writes a stream into the runs of a layout.
void scatter(unsigned char *start, const Layout &layout, const Stream &stream);

/// What 8 bytes around a place of memory say about themselves.
std::string what_stands(const unsigned char *memory, std::size_t bytes, std::size_t place, int ranks);

}  // namespace doctor
