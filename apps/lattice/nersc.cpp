// SPDX-License-Identifier: BSD-3-Clause
#include "nersc.hpp"

#include <common/comm.hpp>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

namespace lattice {
namespace {

[[noreturn]] void refuse(const std::string &path, const std::string &why) { throw halocline::Error(HLC_ERR_ARGUMENT, path + ": " + why); }

std::string trimmed(const std::string &text) {
  const std::size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// A pipe may block, and a device never ends. A file that is not there yet is right.
bool is_other_than_file(const std::string &path) {
  std::error_code none;
  const std::filesystem::file_status there = std::filesystem::status(path, none);
  return std::filesystem::exists(there) && !std::filesystem::is_regular_file(there);
}

/// What a header has at most; a file of another kind may be one long line.
constexpr std::int64_t kMaxHeaderBytes = 1 << 20;

/// The KEY = VALUE lines of a header.
class Lines {
 public:
  Lines(const std::string &path, std::istream &file) : path_(path) {
    std::string line;
    if (!std::getline(file, line) || trimmed(line) != "BEGIN_HEADER") refuse(path, "it does not begin with BEGIN_HEADER");
    while (std::getline(file, line) && trimmed(line) != "END_HEADER") {
      const std::size_t equal = line.find('=');
      if (equal != std::string::npos) values_[trimmed(line.substr(0, equal))] = trimmed(line.substr(equal + 1));
    }
    if (!file) refuse(path, "its header has no END_HEADER");
  }

  const std::string &text(const std::string &key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) refuse(path_, "its header has no " + key);
    return found->second;
  }

  template <class T>
  T number(const std::string &key, bool hexadecimal = false) const {
    std::istringstream stream(text(key));
    T value{};
    if (hexadecimal) stream >> std::hex;
    if (!(stream >> value)) refuse(path_, key + " is not a number: " + text(key));
    return value;
  }

 private:
  std::string path_;
  std::map<std::string, std::string> values_;
};

int rows_of(const std::string &path, const std::string &type) {
  if (type == "4D_SU3_GAUGE") return 2;
  if (type == "4D_SU3_GAUGE_3x3") return 3;
  refuse(path, "DATATYPE is " + type + " but must be 4D_SU3_GAUGE or 4D_SU3_GAUGE_3x3");
}

/// Words of a file in the processor's order, or reversed.
template <class Word>
Word ordered(Word word, bool little) {
  constexpr std::uint16_t one = 1;
  const bool is_little = *reinterpret_cast<const unsigned char *>(&one) == 1;
  if (is_little == little) return word;
  if constexpr (sizeof(Word) == 4)
    return __builtin_bswap32(word);
  else
    return __builtin_bswap64(word);
}

std::uint32_t sum_of_halves(std::uint32_t word) { return word; }
std::uint32_t sum_of_halves(std::uint64_t word) { return static_cast<std::uint32_t>(word) + static_cast<std::uint32_t>(word >> 32); }

/// Numbers of one kind as a file has them.
template <class Real, class Word>
struct Numbers {
  static_assert(sizeof(Real) == sizeof(Word), "a number is a word");

  /// Takes a number from a file and adds its words to the checksum.
  static double get(const char *from, bool little, std::uint32_t &checksum) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    word = ordered(word, little);
    checksum += sum_of_halves(word);
    Real value;
    std::memcpy(&value, &word, sizeof value);
    return static_cast<double>(value);
  }
  static void put(char *to, bool little, double number, std::uint32_t &checksum) {
    const Real value = static_cast<Real>(number);
    Word word;
    std::memcpy(&word, &value, sizeof word);
    checksum += sum_of_halves(word);
    word = ordered(word, little);
    std::memcpy(to, &word, sizeof word);
  }
};
using Numbers32 = Numbers<float, std::uint32_t>;
using Numbers64 = Numbers<double, std::uint64_t>;

/// Bytes of the four links of a site.
std::int64_t site_bytes(const NerscHeader &header) { return std::int64_t{kDims} * header.rows * 3 * 2 * header.bits() / 8; }

/// Visits the numbers of a site: f(place in the file, number).
template <class Matrix4, class F>
void for_numbers(const NerscHeader &header, char *bytes, Matrix4 &links, F f) {
  for (auto &link : links)
    for (int row = 0; row < header.rows; ++row)
      for (auto &value : link.e[row])
        for (auto *number : {&value.re, &value.im}) {
          f(bytes, *number);
          bytes += header.bits() / 8;
        }
}

Links4 unpack(const NerscHeader &header, char *bytes, std::uint32_t &checksum) {
  const auto get = header.bits() == 64 ? Numbers64::get : Numbers32::get;
  Links4 links{};
  for_numbers(header, bytes, links, [&](const char *from, double &number) { number = get(from, header.little(), checksum); });
  if (header.rows == 2)
    for (Matrix<double> &link : links) complete(link);
  return links;
}

void pack(const NerscHeader &header, const Links4 &links, char *bytes, std::uint32_t &checksum) {
  const auto put = header.bits() == 64 ? Numbers64::put : Numbers32::put;
  for_numbers(header, bytes, links, [&](char *to, const double &number) { put(to, header.little(), number, checksum); });
}

/// Calls f(first site in the block, place in the file) for each row of sites along x.
template <class F>
void for_rows(const NerscHeader &header, const Block &block, F f) {
  for_sites({}, {1, block.local[1], block.local[2], block.local[3]},
            [&](const Site &first) { f(first, header.bytes + block.global_number(first) * site_bytes(header)); });
}

std::string in_words(double is, double header) {
  std::ostringstream text;
  text.precision(12);
  text << is << ", its header says " << header;
  return text.str();
}

std::uint32_t summed(std::uint32_t checksum) {
  MPI_Allreduce(MPI_IN_PLACE, &checksum, 1, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
  return checksum;
}

/// IEEE32 and IEEE64 do not say the byte order: big where it gives the right checksum, else little.
std::vector<Links4> read_in_its_order(const std::string &path, const NerscHeader &header, const Block &block) {
  const bool is_named = header.floating_point.size() > 6;
  std::uint32_t found = 0;
  for (const char *order : {"BIG", "LITTLE"}) {
    NerscHeader tried = header;
    if (!is_named) tried.floating_point += order;
    NerscPart part = read_part(path, tried, block);
    found = block.local == block.global ? part.checksum : summed(part.checksum);
    if (found == header.checksum) return std::move(part.links);
  }
  std::ostringstream text;
  text << std::hex << "the checksum of its data is " << found << ", its header says " << header.checksum;
  refuse(path, text.str());
}

std::string header_text(const NerscHeader &header) {
  std::ostringstream text;
  text.precision(15);
  text << "BEGIN_HEADER\nHDR_VERSION = 1.0\nDATATYPE = " << (header.rows == 2 ? "4D_SU3_GAUGE" : "4D_SU3_GAUGE_3x3")
       << "\nSTORAGE_FORMAT = 1.0\n";
  for (int d = 0; d < kDims; ++d) text << "DIMENSION_" << d + 1 << " = " << header.extents[d] << "\n";
  text << "LINK_TRACE = " << header.link_trace << "\nPLAQUETTE = " << header.plaquette << "\n";
  for (int d = 0; d < kDims; ++d) text << "BOUNDARY_" << d + 1 << " = PERIODIC\n";
  text << "CHECKSUM = " << std::hex << header.checksum << std::dec << "\nENSEMBLE_ID = halocline\nENSEMBLE_LABEL = apps/lattice\n"
       << "SEQUENCE_NUMBER = 1\nCREATOR = halocline\nFLOATING_POINT = " << header.floating_point << "\nEND_HEADER\n";
  return text.str();
}

/// The block's links as the file has them, row by row, and their checksum.
std::vector<char> packed(const NerscHeader &header, const GaugeField &field, std::uint32_t &checksum) {
  const Block &block = field.geometry().block();
  std::vector<char> bytes(static_cast<std::size_t>(volume(block.local) * site_bytes(header)));
  char *next = bytes.data();
  for_sites({}, block.local, [&](const Site &site) {
    pack(header, field.at(site), next, checksum);
    next += site_bytes(header);
  });
  return bytes;
}

/// The header of the file as this rank sees it.
NerscHeader header_of(const std::string &path) {
  if (is_other_than_file(path)) refuse(path, "it is not a regular file");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, "it cannot be read");
  std::string begin(kMaxHeaderBytes, '\0');
  file.read(begin.data(), kMaxHeaderBytes);
  begin.resize(static_cast<std::size_t>(file.gcount()));
  std::istringstream text(std::move(begin));
  const Lines lines(path, text);
  NerscHeader header;
  header.bytes = static_cast<std::int64_t>(text.tellg());
  for (int d = 0; d < kDims; ++d) header.extents[d] = lines.number<std::int64_t>("DIMENSION_" + std::to_string(d + 1));
  header.rows = rows_of(path, lines.text("DATATYPE"));
  header.floating_point = lines.text("FLOATING_POINT");
  if (header.floating_point.rfind("IEEE32", 0) != 0 && header.floating_point.rfind("IEEE64", 0) != 0)
    refuse(path, "FLOATING_POINT is " + header.floating_point);
  header.checksum = lines.number<std::uint32_t>("CHECKSUM", true);
  header.plaquette = lines.number<double>("PLAQUETTE");
  header.link_trace = lines.number<double>("LINK_TRACE");
  return header;
}

}  // namespace

NerscHeader read_header(const std::string &path) {
  NerscHeader header;
  std::optional<std::string> wrong;
  try {
    header = header_of(path);
  } catch (const halocline::Error &error) {
    wrong = std::string(error.what()) + ", on rank " + std::to_string(common::rank_of(MPI_COMM_WORLD));
  }
  if (const auto why = common::first_said(wrong, MPI_COMM_WORLD)) throw halocline::Error(HLC_ERR_ARGUMENT, *why);
  const std::string mine = header_text(header);
  if (mine != common::broadcast(mine, 0, MPI_COMM_WORLD))
    wrong = "it has another header on rank " + std::to_string(common::rank_of(MPI_COMM_WORLD)) + " than on rank 0";
  if (const auto why = common::first_said(wrong, MPI_COMM_WORLD)) refuse(path, *why);
  return header;
}

NerscPart read_part(const std::string &path, const NerscHeader &header, const Block &block) {
  std::ifstream file(path, std::ios::binary);
  NerscPart part{{}, 0};
  const std::int64_t bytes = site_bytes(header);
  std::vector<char> row(static_cast<std::size_t>(block.local[0] * bytes));
  for_rows(header, block, [&](const Site &, std::int64_t place) {
    file.seekg(place);
    if (!file.read(row.data(), static_cast<std::streamsize>(row.size()))) return;
    for (std::int64_t x = 0; x < block.local[0]; ++x) part.links.push_back(unpack(header, row.data() + x * bytes, part.checksum));
  });
  const auto missing =
      part.links.size() < static_cast<std::size_t>(volume(block.local)) ? std::optional<std::string>("it ends too early") : std::nullopt;
  if (const auto why = common::first_said(missing, MPI_COMM_WORLD)) refuse(path, *why);
  return part;
}

std::vector<Links4> read_links(const std::string &path, const Block &block) {
  const NerscHeader header = read_header(path);
  if (header.extents != block.global) refuse(path, "its lattice is another one");
  std::vector<Links4> all = read_in_its_order(path, header, block);
  double most = 0;
  for (Links4 &links : all)
    for (Matrix<double> &link : links) {
      most = std::max(most, deviation(link));
      if (header.bits() == 32) link = reunitarised(link);
    }
  if (most = common::slowest(most, MPI_COMM_WORLD); !(most <= header.precision()))
    refuse(path, "a link is not a matrix of SU(3), by " + std::to_string(most));
  return all;
}

void read_field(const std::string &path, GaugeField &field) {
  const Block &block = field.geometry().block();
  const NerscHeader header = read_header(path);
  const std::vector<Links4> links = read_links(path, block);
  field.set([&](const Site &site) { return links[number_of(site, block.local)]; });
  if (const double is = plaquette(field); !(std::abs(is - header.plaquette) <= header.precision()))
    refuse(path, "its plaquette is " + in_words(is, header.plaquette));
  if (const double is = link_trace(field); !(std::abs(is - header.link_trace) <= header.precision()))
    refuse(path, "its link trace is " + in_words(is, header.link_trace));
}

void write_field(const std::string &path, const GaugeField &field, NerscHeader header) {
  const Block &block = field.geometry().block();
  header.extents = block.global;
  header.plaquette = plaquette(field);
  header.link_trace = link_trace(field);
  const std::vector<char> bytes = packed(header, field, header.checksum = 0);
  header.checksum = summed(header.checksum);
  const std::string head = header_text(header);
  header.bytes = static_cast<std::int64_t>(head.size());
  if (const auto why = common::first_said(is_other_than_file(path) ? std::optional<std::string>("it is not a regular file") : std::nullopt,
                                          MPI_COMM_WORLD))
    refuse(path, *why);
  if (common::rank_of(MPI_COMM_WORLD) == 0) std::ofstream(path, std::ios::binary) << head;
  MPI_Barrier(MPI_COMM_WORLD);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const auto row = static_cast<std::streamsize>(block.local[0] * site_bytes(header));
  const char *next = bytes.data();
  for_rows(header, block, [&](const Site &, std::int64_t place) {
    file.seekp(place);
    file.write(next, row);
    next += row;
  });
  file.close();
  const auto wrong = file ? std::nullopt : std::optional<std::string>("it cannot be written");
  if (const auto why = common::first_said(wrong, MPI_COMM_WORLD)) refuse(path, *why);
}

}  // namespace lattice
