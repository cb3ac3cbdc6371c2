// Functions of GASPI_Ext.h that programs written for GPI-2 use: the state of the job, the ranks of the node, printing, properties of the
// machine.
// SPDX-License-Identifier: BSD-3-Clause
#include <GASPI_Ext.h>
#include <sched.h>
#include <sys/utsname.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "faces/gaspi/job.hpp"
#include "faces/gaspi/profiling.hpp"

using namespace halocline::core::gaspi;
using halocline::core::Status;

namespace {

/// "rank 3: " while the job is open.
std::string message_prefix() {
  const halocline::core::Visit visit;
  const Job *job = the_job();
  return job ? "rank " + std::to_string(job->rank()) + ": " : std::string();
}

/// One call of fwrite, so that lines of several ranks do not mix.
[[gnu::format(printf, 2, 0)]] void print(const std::string &prefix, const char *format, std::va_list arguments) {
  std::va_list again;
  va_copy(again, arguments);
  const int bytes = std::vsnprintf(nullptr, 0, format, arguments);
  std::string text(static_cast<std::size_t>(bytes < 0 ? 0 : bytes) + 1, '\0');
  if (bytes > 0) std::vsnprintf(text.data(), text.size(), format, again);
  va_end(again);
  text.pop_back();
  text.insert(0, prefix);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::string file_of_node(unsigned node) { return "/sys/devices/system/node/node" + std::to_string(node) + "/cpulist"; }

/// The first number of the first line of /proc/cpuinfo with a frequency; 0 if there is none.
float frequency() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("cpu MHz", 0) == 0 || line.rfind("clock", 0) == 0) return std::strtof(line.c_str() + line.find(':') + 1, nullptr);
  return 0;
}

/// The cores of a list as "0-3,8,10-11".
bool read_cores(const std::string &list, cpu_set_t *cores) {
  CPU_ZERO(cores);
  for (const char *at = list.c_str(); *at != '\0';) {
    char *end = nullptr;
    const long first = std::strtol(at, &end, 10);
    if (end == at) return false;
    const long last = *end == '-' ? std::strtol(end + 1, &end, 10) : first;
    for (long core = first; core <= last && core < CPU_SETSIZE; ++core) CPU_SET(static_cast<std::size_t>(core), cores);
    at = *end == ',' ? end + 1 : end;
    if (*end != ',' && *end != '\0') return false;
  }
  return CPU_COUNT(cores) > 0;
}

gaspi_return_t cannot(const char *what) {
  static_cast<void>(halocline::core::fail(Status::unsupported, "%s", what));
  return GASPI_ERROR;
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_initialized(gaspi_number_t *initialized) {
  if (!initialized) return GASPI_ERR_NULLPTR;
  *initialized = the_job() ? 1 : 0;
  return GASPI_SUCCESS;
}

gaspi_return_t pgaspi_proc_local_rank(gaspi_rank_t *local_rank) {
  return get(local_rank, [](const Job &job) { return job.context.member(); });
}

gaspi_return_t pgaspi_proc_local_num(gaspi_rank_t *local_num) {
  return get(local_num, [](const Job &job) { return job.context.members(); });
}

gaspi_return_t pgaspi_segment_avail_local(gaspi_segment_id_t *avail_seg_id) {
  return enter([&](Job &job) {
    if (!avail_seg_id) return GASPI_ERR_NULLPTR;
    unsigned free = 0;
    job.parts.for_each([&](int id) { free += static_cast<unsigned>(id) == free ? 1 : 0; });
    if (free >= job.config.segment_max) return GASPI_ERR_MANY_SEG;
    *avail_seg_id = static_cast<gaspi_segment_id_t>(free);
    return GASPI_SUCCESS;
  });
}

[[gnu::format(printf, 1, 2)]] void pgaspi_printf(const char *format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  print(message_prefix(), format, arguments);
  va_end(arguments);
}

[[gnu::format(printf, 2, 3)]] void pgaspi_printf_to(gaspi_rank_t rank, const char *format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  print(message_prefix() + "to rank " + std::to_string(rank) + ": ", format, arguments);
  va_end(arguments);
}

void pgaspi_print_affinity_mask() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof cores, &cores);
  std::string text;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &cores)) text += ' ' + std::to_string(core);
  pgaspi_printf("cores%s\n", text.c_str());
}

gaspi_return_t pgaspi_machine_type(char machine_type[16]) {
  if (!machine_type) return GASPI_ERR_NULLPTR;
  utsname names;
  if (uname(&names) != 0) return cannot("gaspi_machine_type: uname fails");
  std::snprintf(machine_type, 16, "%.15s", names.machine);
  return GASPI_SUCCESS;
}

gaspi_return_t pgaspi_cpu_frequency(gaspi_float *cpu_mhz) {
  if (!cpu_mhz) return GASPI_ERR_NULLPTR;
  *cpu_mhz = frequency();
  return *cpu_mhz > 0 ? GASPI_SUCCESS : cannot("gaspi_cpu_frequency: /proc/cpuinfo has no frequency");
}

gaspi_return_t pgaspi_numa_socket(gaspi_uchar *socket) {
  if (!socket) return GASPI_ERR_NULLPTR;
  unsigned core = 0, node = 0;
  if (getcpu(&core, &node) != 0) return cannot("gaspi_numa_socket: getcpu fails");
  *socket = static_cast<gaspi_uchar>(node);
  return GASPI_SUCCESS;
}

gaspi_return_t pgaspi_set_socket_affinity(gaspi_uchar socket) {
  std::ifstream file(file_of_node(socket));
  std::string list;
  cpu_set_t cores;
  if (!std::getline(file, list) || !read_cores(list, &cores)) return cannot("gaspi_set_socket_affinity: no such NUMA node");
  return sched_setaffinity(0, sizeof cores, &cores) == 0 ? GASPI_SUCCESS : cannot("gaspi_set_socket_affinity: not allowed");
}

HLC_WEAK_ALIAS(initialized);
HLC_WEAK_ALIAS(proc_local_rank);
HLC_WEAK_ALIAS(proc_local_num);
HLC_WEAK_ALIAS(segment_avail_local);
HLC_WEAK_ALIAS(printf);
HLC_WEAK_ALIAS(printf_to);
HLC_WEAK_ALIAS(print_affinity_mask);
HLC_WEAK_ALIAS(machine_type);
HLC_WEAK_ALIAS(cpu_frequency);
HLC_WEAK_ALIAS(numa_socket);
HLC_WEAK_ALIAS(set_socket_affinity);

}  // extern "C"
