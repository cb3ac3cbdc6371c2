// Reads program headers and dynamic sections of what is loaded. Each file's pages are found by its headers; /proc/self/maps would also show
// anonymous mappings beside them that are none of it.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/shmem/loaded_files.hpp"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "base/atomics.hpp"
#include "faces/shmem/near.hpp"

namespace halocline::core::shmem {
namespace {

/// A loaded file.
struct Loaded {
  std::string path;  // "" for the program
  std::uintptr_t base = 0;
  std::span<const ElfW(Phdr)> headers;
  std::string name;  // by which others need it
  std::vector<std::string> needs;
};

std::string base_name(const std::string &path) { return path.substr(path.rfind('/') + 1); }

/// Calls use(entry) for each entry of the dynamic section.
template <class Use>
void for_dynamic(const Loaded &file, Use use) {
  for (const ElfW(Phdr) & header : file.headers) {
    if (header.p_type != PT_DYNAMIC) continue;
    for (auto entry = reinterpret_cast<const ElfW(Dyn) *>(file.base + header.p_vaddr); entry->d_tag != DT_NULL; ++entry) use(*entry);
  }
}

/// Reads the names in the dynamic section. The loader replaces the address of the strings by that in memory, but not of the kernel's vdso, and
/// not on all processors.
void read_names(Loaded &file) {
  std::uintptr_t strings = 0;
  for_dynamic(file, [&](const ElfW(Dyn) & entry) {
    if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
  });
  if (strings == 0) return;
  if (strings < file.base) strings += file.base;
  for_dynamic(file, [&](const ElfW(Dyn) & entry) {
    if (entry.d_tag == DT_NEEDED) file.needs.emplace_back(reinterpret_cast<const char *>(strings + entry.d_un.d_val));
    if (entry.d_tag == DT_SONAME) file.name = reinterpret_cast<const char *>(strings + entry.d_un.d_val);
  });
}

int add_loaded(dl_phdr_info *info, std::size_t, void *into) {
  Loaded file{info->dlpi_name ? info->dlpi_name : "", info->dlpi_addr, {info->dlpi_phdr, info->dlpi_phnum}, {}, {}};
  file.name = base_name(file.path);
  read_names(file);
  static_cast<std::vector<Loaded> *>(into)->push_back(std::move(file));
  return 0;
}

/// The loaded files, the program first.
std::vector<Loaded> list_loaded() {
  std::vector<Loaded> files;
  dl_iterate_phdr(add_loaded, &files);
  return files;
}

bool contains(const Loaded &file, std::uintptr_t address) {
  return std::any_of(file.headers.begin(), file.headers.end(), [&](const ElfW(Phdr) & header) {
    return header.p_type == PT_LOAD && address - (file.base + header.p_vaddr) < header.p_memsz;
  });
}

/// Marks a file and all that it needs.
void mark(const std::vector<Loaded> &files, std::size_t first, std::vector<bool> &marked) {
  std::vector<std::size_t> next{first};
  while (!next.empty()) {
    const std::size_t one = next.back();
    next.pop_back();
    if (marked[one]) continue;
    marked[one] = true;
    for (const std::string &needed : files[one].needs)
      for (std::size_t i = 0; i < files.size(); ++i)
        if (files[i].name == needed) next.push_back(i);
  }
}

std::string folder_of(const std::string &path) { return path.substr(0, path.rfind('/') + 1); }

/// Whether two files are in one folder, perhaps by different paths.
bool are_together(const std::string &one, const std::string &other) {
  struct stat a, b;
  if (stat(folder_of(one).c_str(), &a) != 0 || stat(folder_of(other).c_str(), &b) != 0) return false;
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Libraries beside the C library are the system's; those of MPI and of this project hold no data of the program either.
bool is_of_system(const Loaded &file, const std::string &c_library) {
  const auto begins = [&](std::string_view text) { return file.name.compare(0, text.size(), text) == 0; };
  if (begins("libmpi") || begins("libhalocline") || begins("ld-linux")) return true;
  return !c_library.empty() && are_together(file.path, c_library);
}

void hash_bytes(std::uint64_t &hash, const void *data, std::size_t bytes) {
  const auto *next = static_cast<const unsigned char *>(data);
  for (std::size_t i = 0; i < bytes; ++i) hash = (hash ^ next[i]) * 0x100000001b3;
}

/// A hash of what decides where a file's variables are: its segments, and the build id, if it has one.
std::uint64_t layout_of(const Loaded &file) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const ElfW(Phdr) & header : file.headers) {
    hash_bytes(hash, &header, sizeof header);
    if (header.p_type == PT_NOTE) hash_bytes(hash, reinterpret_cast<const void *>(file.base + header.p_vaddr), header.p_memsz);
  }
  return hash;
}

/// The end of the pages that the loader has made read-only again after relocation; 0 if there are none.
std::uintptr_t end_of_relocated(const Loaded &file, std::uintptr_t page) {
  for (const ElfW(Phdr) & header : file.headers)
    if (header.p_type == PT_GNU_RELRO) return (file.base + header.p_vaddr + header.p_memsz) / page * page;
  return 0;
}

/// Adds the writable pages of a file.
void add_pages(const Loaded &file, const std::string &name, std::vector<StaticPages> &all) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t fixed = end_of_relocated(file, page);
  for (const ElfW(Phdr) & header : file.headers) {
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
    const std::uintptr_t first = file.base + header.p_vaddr, data_end = first + header.p_filesz, memory_end = first + header.p_memsz;
    const std::uintptr_t begin = fixed > first && fixed <= memory_end ? fixed : first / page * page;
    const std::uintptr_t end = (memory_end + page - 1) / page * page;
    if (begin >= end) continue;
    const std::uintptr_t file_end = std::clamp((data_end + page - 1) / page * page, begin, end);
    all.push_back({name, begin, static_cast<std::int64_t>(end - begin), static_cast<std::int64_t>(file_end - begin), layout_of(file), 0});
  }
}

}  // namespace

std::vector<StaticPages> find_static_pages() {
  const std::vector<Loaded> files = list_loaded();
  std::vector<bool> of_program(files.size()), of_library(files.size());
  if (files.empty()) return {};
  mark(files, 0, of_program);
  for (std::size_t i = 0; i < files.size(); ++i)
    if (contains(files[i], reinterpret_cast<std::uintptr_t>(&near))) mark(files, i, of_library);
  std::string c_library;
  for (const Loaded &file : files)
    if (file.name == "libc.so.6") c_library = file.path;
  std::vector<StaticPages> all;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (of_program[i] && !of_library[i] && (i == 0 || !is_of_system(files[i], c_library)))
      add_pages(files[i], i == 0 ? "the program" : base_name(files[i].path), all);
  return all;
}

}  // namespace halocline::core::shmem
