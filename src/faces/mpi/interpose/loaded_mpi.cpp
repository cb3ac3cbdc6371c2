// Reads the dynamic sections of all loaded libraries: when this library is loaded, and again in MPI_Init, as a program may load its MPI late.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/mpi/interpose/loaded_mpi.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <fnmatch.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "faces/mpi/interpose/host_table.hpp"

namespace halocline::core::mpi {
namespace {

/// Exit status of a program that cannot run with this library.
constexpr int kOtherMpi = 2;

struct LoadedLibrary {
  std::string path, name;  // the file; the name by which others need it
  std::vector<std::string> needed;  // of other MPIs' libraries
};

/// Names of MPIs, as fnmatch has them, and whose binary interface they have. Debian's MPICH is libmpich; Cray has a library for each
/// compiler. tools/run/abi.cpp and _mpi_names.py have the same table. The last rows are unknown versions.
constexpr const char *kOwners[][2] = {
    {"libmpi.so.12", "MPICH and Intel MPI"},
    {"libmpich.so.12", "MPICH and Intel MPI"},
    {"libmpi_gnu*.so.12", "MPICH and Intel MPI"},
    {"libmpi_cray*.so.12", "MPICH and Intel MPI"},
    {"libmpi_intel*.so.12", "MPICH and Intel MPI"},
    {"libmpi_nvidia*.so.12", "MPICH and Intel MPI"},
    {"libmpi_amd*.so.12", "MPICH and Intel MPI"},
    {"libmpi_aocc*.so.12", "MPICH and Intel MPI"},
    {"libmpi.so.40", "Open MPI"},
    {"libmpi_abi.so.*", "the MPI-5 ABI"},
    {"libmpi.so.*", "another MPI"},
    {"libmpich.so.*", "another MPI"},
};

/// Whose binary interface that is; null for what is not an MPI.
const char *owner_of(const std::string &name) {
  for (const auto &[pattern, owner] : kOwners)
    if (fnmatch(pattern, name.c_str(), 0) == 0) return owner;
  return nullptr;
}

bool is_mpi(const std::string &name) { return owner_of(name) != nullptr; }

const ElfW(Dyn) * find_dynamic_section(const dl_phdr_info &object) {
  for (int i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader's addresses are numbers
      return reinterpret_cast<const ElfW(Dyn) *>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
  return nullptr;
}

/// Some loaders leave the address of the names as it is in the file.
const char *find_names(const ElfW(Dyn) * entry, ElfW(Addr) base) {
  while (entry->d_tag != DT_NULL && entry->d_tag != DT_STRTAB) ++entry;
  if (entry->d_tag == DT_NULL) return nullptr;
  const ElfW(Addr) address = entry->d_un.d_ptr < base ? entry->d_un.d_ptr + base : entry->d_un.d_ptr;
  return reinterpret_cast<const char *>(address);  // NOLINT(performance-no-int-to-ptr)
}

LoadedLibrary read_library(const dl_phdr_info &object) {
  LoadedLibrary library{object.dlpi_name, "", {}};
  const ElfW(Dyn) *entry = find_dynamic_section(object);
  const char *const names = entry ? find_names(entry, object.dlpi_addr) : nullptr;
  for (; names && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SONAME) library.name = names + entry->d_un.d_val;
    if (entry->d_tag == DT_NEEDED && is_mpi(names + entry->d_un.d_val)) library.needed.emplace_back(names + entry->d_un.d_val);
  }
  return library;
}

/// What is loaded: this library, and all MPIs.
struct LoadedMpis {
  const void *base = nullptr;
  LoadedLibrary mine;
  std::vector<LoadedLibrary> mpis;
};

int note_library(dl_phdr_info *object, std::size_t, void *into) {
  LoadedMpis &loaded = *static_cast<LoadedMpis *>(into);
  // The program itself has no name.
  if (!object->dlpi_name || !*object->dlpi_name) return 0;
  LoadedLibrary library = read_library(*object);
  if (is_mpi(library.name)) loaded.mpis.push_back(library);
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  if (reinterpret_cast<const void *>(object->dlpi_addr) == loaded.base) loaded.mine = std::move(library);
  return 0;
}

bool is_one_of(const std::vector<std::string> &names, const std::string &name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// An MPI that neither this library nor its MPI needs; null if there is none.
const LoadedLibrary *find_other(const LoadedMpis &loaded) {
  std::vector<std::string> known = loaded.mine.needed;
  for (const LoadedLibrary &mpi : loaded.mpis)
    if (is_one_of(loaded.mine.needed, mpi.name)) known.insert(known.end(), mpi.needed.begin(), mpi.needed.end());
  for (const LoadedLibrary &mpi : loaded.mpis)
    if (!is_one_of(known, mpi.name)) return &mpi;
  return nullptr;
}

// Programs that never call MPI may have this library, too: a shell, env.
[[gnu::constructor]] void refuse_at_load() { refuse_other_mpi(); }

}  // namespace

void refuse_other_mpi() {
  Dl_info info{};
  LoadedMpis loaded;
  if (!dladdr(reinterpret_cast<const void *>(&refuse_other_mpi), &info)) return;
  loaded.base = info.dli_fbase;
  dl_iterate_phdr(note_library, &loaded);
  const LoadedLibrary *other = find_other(loaded);
  if (!other || loaded.mine.needed.empty()) return;
  std::fprintf(
      stderr,
      "halocline: %s has the binary interface of %s (%s), and %s was built for that of %s (%s). Load the library for the program's "
      "MPI: halocline-run --mpi %s\n",
      program_invocation_name, owner_of(other->name), other->path.c_str(), loaded.mine.path.c_str(), owner_of(loaded.mine.needed.front()),
      loaded.mine.needed.front().c_str(), program_invocation_short_name);
  std::fflush(stderr);
  _exit(kOtherMpi);
}

}  // namespace halocline::core::mpi

using namespace halocline::core::mpi;

extern "C" {

int MPI_Init(int *argc, char ***argv) {
  refuse_other_mpi();
  return host::Init(argc, argv);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  refuse_other_mpi();
  return host::Init_thread(argc, argv, required, provided);
}

HLC_MPI_PROFILED(MPI_Init)
HLC_MPI_PROFILED(MPI_Init_thread)

}  // extern "C"
