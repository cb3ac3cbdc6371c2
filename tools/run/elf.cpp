// SPDX-License-Identifier: BSD-3-Clause
#include "elf.hpp"

#include <elf.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace runner {
namespace {

namespace fs = std::filesystem;

/// The bytes of a file, and its parts; a part that goes beyond the end is empty.
class Bytes {
 public:
  explicit Bytes(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    all_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  bool begins_with(const char *text) const { return all_.compare(0, std::strlen(text), text) == 0; }

  /// `count` objects from an offset on.
  template <class T>
  std::vector<T> read(std::uint64_t offset, std::uint64_t count) const {
    if (offset > all_.size() || count > (all_.size() - offset) / sizeof(T)) return {};
    std::vector<T> objects(count);
    if (count > 0) std::memcpy(objects.data(), all_.data() + offset, count * sizeof(T));
    return objects;
  }
  std::string text(std::uint64_t offset) const { return offset < all_.size() ? std::string(all_.c_str() + offset) : std::string(); }

 private:
  std::string all_;
};

bool is_of_this_machine(const Elf64_Ehdr &header) {
  constexpr Elf64_Half here =
#if defined(__x86_64__)
      EM_X86_64;
#elif defined(__aarch64__)
      EM_AARCH64;
#else
      EM_NONE;
#endif
  const bool runs = header.e_type == ET_EXEC || header.e_type == ET_DYN;
  return runs && header.e_ident[EI_CLASS] == ELFCLASS64 && (here == EM_NONE || header.e_machine == here);
}

/// The libraries of the dynamic section.
std::vector<std::string> read_needed(const Bytes &bytes, const std::vector<Elf64_Shdr> &sections) {
  std::vector<std::string> needed;
  for (const Elf64_Shdr &section : sections) {
    if (section.sh_type != SHT_DYNAMIC || section.sh_link >= sections.size()) continue;
    for (const Elf64_Dyn &entry : bytes.read<Elf64_Dyn>(section.sh_offset, section.sh_size / sizeof(Elf64_Dyn)))
      if (entry.d_tag == DT_NEEDED) needed.push_back(bytes.text(sections[section.sh_link].sh_offset + entry.d_un.d_val));
  }
  return needed;
}

/// Functions that the file defines; a stripped program tells only those that it exports.
bool defines(const Bytes &bytes, const std::vector<Elf64_Shdr> &sections, const char *name) {
  for (const Elf64_Shdr &section : sections) {
    if ((section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) || section.sh_link >= sections.size()) continue;
    for (const Elf64_Sym &symbol : bytes.read<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym)))
      if (symbol.st_shndx != SHN_UNDEF && bytes.text(sections[section.sh_link].sh_offset + symbol.st_name) == name) return true;
  }
  return false;
}

File read_elf(const Bytes &bytes) {
  File file{Kind::unknown, {}, false};
  const auto headers = bytes.read<Elf64_Ehdr>(0, 1);
  if (headers.empty() || !is_of_this_machine(headers[0])) return file;
  const auto segments = bytes.read<Elf64_Phdr>(headers[0].e_phoff, headers[0].e_phnum);
  const auto sections = bytes.read<Elf64_Shdr>(headers[0].e_shoff, headers[0].e_shnum);
  file.kind = Kind::standalone;
  file.needed = read_needed(bytes, sections);
  for (const Elf64_Phdr &segment : segments)
    if (segment.p_type == PT_INTERP) file.kind = Kind::dynamic;
  if (!file.needed.empty()) file.kind = Kind::dynamic;
  file.has_mpi = defines(bytes, sections, "MPI_Init");
  return file;
}

}  // namespace

File read_file(const std::string &path) {
  if (!fs::exists(path)) return {Kind::missing, {}, false};
  if (fs::is_directory(path) || access(path.c_str(), R_OK | X_OK) != 0) return {Kind::forbidden, {}, false};
  const Bytes bytes(path);
  if (bytes.begins_with("#!")) return {Kind::script, {}, false};
  return bytes.begins_with(ELFMAG) ? read_elf(bytes) : File{Kind::unknown, {}, false};
}

std::string find_program(const std::string &name) {
  const char *const path = std::getenv("PATH");
  if (name.find('/') != std::string::npos || !path) return name;
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
  }
  return name;
}

}  // namespace runner
