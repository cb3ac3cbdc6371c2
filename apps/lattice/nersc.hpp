// Gauge fields in files of the NERSC archive's format: a header of KEY = VALUE lines, then all links. Of their indices the column is the
// fastest, then the row, the direction, x, y, z and t. A file has two rows of each matrix or three, 32 or 64 bits, in either byte order.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gauge.hpp"

#include <string>

namespace lattice {

struct NerscHeader {
  Site extents{};
  int rows = 3;  ///< 2: DATATYPE 4D_SU3_GAUGE, 3: 4D_SU3_GAUGE_3x3
  std::string floating_point = "IEEE64BIG";
  std::uint32_t checksum = 0;  ///< sum of the data's 32-bit words
  double plaquette = 0, link_trace = 0;
  std::int64_t bytes = 0;  ///< of the header in the file

  int bits() const { return floating_point.rfind("IEEE64", 0) == 0 ? 64 : 32; }
  bool little() const { return floating_point.find("LITTLE") != std::string::npos; }
  /// How far values of the file are from the right ones, at most.
  double precision() const { return bits() == 64 ? 1e-9 : 1e-5; }
};

/// Throws halocline::Error on all ranks, with the file's name, if it is not such a file, or another one on some rank. Collective.
NerscHeader read_header(const std::string &path);

/// The links of a box of the lattice, x fastest, with all three rows, and the checksum of what was read for them.
struct NerscPart {
  std::vector<Links4> links;
  std::uint32_t checksum;
};
/// Collective.
NerscPart read_part(const std::string &path, const NerscHeader &header, const Block &block);

/// The links of a box. The checksum must be the header's, and the links in SU(3); those of 32 bits are reunitarised. The boxes of all ranks
/// are the lattice, or each of them is. Throws on all ranks. Collective.
std::vector<Links4> read_links(const std::string &path, const Block &block);

/// A field from a file; plaquette and link trace are compared with the header's, too. Throws on all ranks, with what differs. Collective.
void read_field(const std::string &path, GaugeField &field);
/// Writes a field; of the header only rows and floating_point count. Collective.
void write_field(const std::string &path, const GaugeField &field, NerscHeader header);

}  // namespace lattice
