// SPDX-License-Identifier: BSD-3-Clause
#include "elf.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <string_view>

namespace runner {
namespace {

namespace fs = std::filesystem;

/// The bytes of a file, which is mapped: programs may be large. A part that goes beyond the end is empty.
class Bytes {
 public:
  explicit Bytes(const std::string &path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0) map(file, static_cast<std::size_t>(status.st_size));
    if (file >= 0) close(file);
  }
  ~Bytes() {
    if (!all_.empty()) munmap(const_cast<char *>(all_.data()), all_.size());
  }
  Bytes(const Bytes &) = delete;
  Bytes &operator=(const Bytes &) = delete;
  bool begins_with(std::string_view text) const { return all_.substr(0, text.size()) == text; }

  /// `count` objects from an offset on.
  template <class T>
  std::vector<T> read(std::uint64_t offset, std::uint64_t count) const {
    if (offset > all_.size() || count > (all_.size() - offset) / sizeof(T)) return {};
    std::vector<T> objects(count);
    if (count > 0) std::memcpy(objects.data(), all_.data() + offset, count * sizeof(T));
    return objects;
  }
  /// Up to a zero byte.
  std::string_view text(std::uint64_t offset) const {
    const std::string_view rest = offset < all_.size() ? all_.substr(offset) : std::string_view();
    return rest.substr(0, rest.find('\0'));
  }

 private:
  void map(int file, std::size_t bytes) {
    void *const base = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (base != MAP_FAILED) all_ = {static_cast<const char *>(base), bytes};
  }

  std::string_view all_;
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
      if (entry.d_tag == DT_NEEDED) needed.emplace_back(bytes.text(sections[section.sh_link].sh_offset + entry.d_un.d_val));
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

std::vector<Elf64_Shdr> read_sections(const Bytes &bytes, const Elf64_Ehdr &header) {
  return bytes.read<Elf64_Shdr>(header.e_shoff, header.e_shnum);
}

File read_elf(const Bytes &bytes) {
  File file{Kind::unknown, {}};
  const auto headers = bytes.read<Elf64_Ehdr>(0, 1);
  if (headers.empty() || !is_of_this_machine(headers[0])) return file;
  file.kind = Kind::standalone;
  file.needed = read_needed(bytes, read_sections(bytes, headers[0]));
  for (const Elf64_Phdr &segment : bytes.read<Elf64_Phdr>(headers[0].e_phoff, headers[0].e_phnum))
    if (segment.p_type == PT_INTERP) file.kind = Kind::dynamic;
  if (!file.needed.empty()) file.kind = Kind::dynamic;
  return file;
}

File read_file(const std::string &path, int access_needed) {
  if (!fs::exists(path)) return {Kind::missing, {}};
  if (fs::is_directory(path) || access(path.c_str(), access_needed) != 0) return {Kind::forbidden, {}};
  const Bytes bytes(path);
  if (bytes.begins_with("#!")) return {Kind::script, {}};
  return bytes.begins_with(ELFMAG) ? read_elf(bytes) : File{Kind::unknown, {}};
}

}  // namespace

File read_program(const std::string &path) { return read_file(path, R_OK | X_OK); }

File read_library(const std::string &path) { return read_file(path, R_OK); }

bool has_mpi_inside(const std::string &path) {
  const Bytes bytes(path);
  const auto headers = bytes.read<Elf64_Ehdr>(0, 1);
  return !headers.empty() && defines(bytes, read_sections(bytes, headers[0]), "MPI_Init");
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
