// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_facts.hpp"

#include "abi.hpp"

#include <common/identity.hpp>

#include <dlfcn.h>
#include <mpi.h>

#include <filesystem>
#include <string>
#include <utility>

namespace info {
namespace {

using common::Json;

/// The file that holds a function; empty if the loader does not know.
template <class Function>
std::string file_of(Function function) {
  Dl_info found{};
  if (dladdr(reinterpret_cast<void *>(function), &found) == 0 || !found.dli_fname) return "";
  std::error_code error;
  const std::filesystem::path path = std::filesystem::canonical(found.dli_fname, error);
  return error ? found.dli_fname : path.string();
}

/// The name that programs need has one number; the file may be a version of it ("libmpi.so.12.5.0").
Json abi_of(const std::string &file) {
  const std::string name = std::filesystem::path(file).filename();
  const runner::Abi *abi = runner::abi_of_library(name);
  const std::size_t number = name.find(".so.");
  if (!abi || number == std::string::npos) return {{"library", name}, {"of", "unknown"}};
  return {{"library", name.substr(0, name.find('.', number + 4))}, {"of", abi->owner}};
}

const char *thread_level() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  for (const auto &[known, name] : {std::pair{MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE"},
                                    {MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED"},
                                    {MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"},
                                    {MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"}})
    if (known == level) return name;
  return "unknown";
}

/// The memory model of a window, which is freed.
const char *model_of(MPI_Win window) {
  int *model = nullptr, found = 0;
  PMPI_Win_get_attr(window, MPI_WIN_MODEL, static_cast<void *>(&model), &found);
  const char *name = !found ? "unknown" : *model == MPI_WIN_UNIFIED ? "unified" : "separate";
  PMPI_Win_free(&window);
  return name;
}

Json window_models() {
  constexpr int bytes = 4096;
  alignas(64) static char memory[bytes];
  char *base = nullptr;
  MPI_Win allocated, created, dynamic;
  PMPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void *>(&base), &allocated);
  Json models = {{"allocate", model_of(allocated)}};
  PMPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &created);
  models["create"] = model_of(created);
  PMPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  models["dynamic"] = model_of(dynamic);
  return models;
}

/// The library before the MPI that carries its one-sided calls; null if there is none.
Json drop_in() {
  const std::string file = file_of(&MPI_Put);
  return file == file_of(&PMPI_Put) ? Json() : Json(file);
}

}  // namespace

Json mpi_facts() {
  int version = 0, subversion = 0;
  MPI_Get_version(&version, &subversion);
  const std::string file = file_of(&PMPI_Init);
  return {{"version", common::mpi_library()},
          {"standard", std::to_string(version) + "." + std::to_string(subversion)},
          {"file", file},
          {"abi", abi_of(file)},
          {"thread_level", thread_level()},
          {"window_models", window_models()},
          {"drop_in", drop_in()}};
}

}  // namespace info
