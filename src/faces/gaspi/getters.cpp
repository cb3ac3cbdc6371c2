// GASPI 17.1, sections 12 and 13: limits, versions, time, texts of errors.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>

#include "faces/gaspi/job.hpp"
#include "faces/gaspi/profiling.hpp"

using namespace halocline::core::gaspi;

namespace {

struct Text {
  gaspi_return_t code;
  const char *text;
};

constexpr Text kTexts[] = {
    {GASPI_ERROR, "GASPI_ERROR: general error"},
    {GASPI_SUCCESS, "GASPI_SUCCESS: success"},
    {GASPI_TIMEOUT, "GASPI_TIMEOUT: timed out"},
    {GASPI_ERR_EMFILE, "GASPI_ERR_EMFILE: too many open files"},
    {GASPI_ERR_ENV, "GASPI_ERR_ENV: an environment variable is wrong"},
    {GASPI_ERR_SN_PORT, "GASPI_ERR_SN_PORT: wrong port"},
    {GASPI_ERR_CONFIG, "GASPI_ERR_CONFIG: the configuration is not possible, or not that of the other ranks"},
    {GASPI_ERR_NOINIT, "GASPI_ERR_NOINIT: gaspi_proc_init has not been called"},
    {GASPI_ERR_INITED, "GASPI_ERR_INITED: gaspi_proc_init has been called already"},
    {GASPI_ERR_NULLPTR, "GASPI_ERR_NULLPTR: a pointer is NULL"},
    {GASPI_ERR_INV_SEGSIZE, "GASPI_ERR_INV_SEGSIZE: wrong size of a segment"},
    {GASPI_ERR_INV_SEG, "GASPI_ERR_INV_SEG: no such segment, or one that exists already"},
    {GASPI_ERR_INV_GROUP, "GASPI_ERR_INV_GROUP: no such group, or one in the wrong state"},
    {GASPI_ERR_INV_RANK, "GASPI_ERR_INV_RANK: wrong rank"},
    {GASPI_ERR_INV_QUEUE, "GASPI_ERR_INV_QUEUE: no such queue"},
    {GASPI_ERR_INV_LOC_OFF, "GASPI_ERR_INV_LOC_OFF: local bytes outside the segment"},
    {GASPI_ERR_INV_REM_OFF, "GASPI_ERR_INV_REM_OFF: remote bytes outside the segment"},
    {GASPI_ERR_INV_COMMSIZE, "GASPI_ERR_INV_COMMSIZE: more bytes than a transfer may have"},
    {GASPI_ERR_INV_NOTIF_VAL, "GASPI_ERR_INV_NOTIF_VAL: the value of a notification is 0"},
    {GASPI_ERR_INV_NOTIF_ID, "GASPI_ERR_INV_NOTIF_ID: wrong id of a notification"},
    {GASPI_ERR_INV_NUM, "GASPI_ERR_INV_NUM: wrong number of elements"},
    {GASPI_ERR_INV_SIZE, "GASPI_ERR_INV_SIZE: wrong size"},
    {GASPI_ERR_MANY_SEG, "GASPI_ERR_MANY_SEG: too many segments"},
    {GASPI_ERR_MANY_GRP, "GASPI_ERR_MANY_GRP: too many groups"},
    {GASPI_QUEUE_FULL, "GASPI_QUEUE_FULL: the queue is full"},
    {GASPI_ERR_UNALIGN_OFF, "GASPI_ERR_UNALIGN_OFF: the offset of an atomic is not a multiple of 8"},
    {GASPI_ERR_ACTIVE_COLL, "GASPI_ERR_ACTIVE_COLL: another collective call of the group is under way"},
    {GASPI_ERR_DEVICE, "GASPI_ERR_DEVICE: the network does not work"},
    {GASPI_ERR_SN, "GASPI_ERR_SN: connecting has failed"},
    {GASPI_ERR_MEMALLOC, "GASPI_ERR_MEMALLOC: out of memory"},
};

/// Null for an invalid code.
const Text *find_text(gaspi_return_t code) {
  const auto *found = std::find_if(std::begin(kTexts), std::end(kTexts), [code](const Text &text) { return text.code == code; });
  return found != std::end(kTexts) ? found : nullptr;
}

std::string text_of(gaspi_return_t code) {
  const Text *found = find_text(code);
  std::string text = found ? found->text : "not a GASPI return code";
  if (code == GASPI_ERROR && *halocline::core::error_message() != '\0')
    text = std::string("GASPI_ERROR: ") + halocline::core::error_message();
  return text;
}

const std::int64_t start_ns = halocline::core::now_ns();

/// Writes a value that needs no job.
template <class Value>
gaspi_return_t write(Value *place, Value value) {
  if (!place) return GASPI_ERR_NULLPTR;
  *place = value;
  return GASPI_SUCCESS;
}

}  // namespace

extern "C" {

gaspi_return_t pgaspi_group_max(gaspi_number_t *group_max) {
  return get(group_max, [](const Job &job) { return job.config.group_max; });
}
gaspi_return_t pgaspi_segment_max(gaspi_number_t *segment_max) {
  return get(segment_max, [](const Job &job) { return job.config.segment_max; });
}
gaspi_return_t pgaspi_queue_num(gaspi_number_t *queue_num) {
  return get(queue_num, [](const Job &job) {
    return std::count_if(job.queues.begin(), job.queues.end(), [](const Queue &queue) { return queue.exists.load(); });
  });
}
gaspi_return_t pgaspi_queue_size_max(gaspi_number_t *queue_size_max) {
  return get(queue_size_max, [](const Job &job) { return job.config.queue_size_max; });
}
gaspi_return_t pgaspi_queue_max(gaspi_number_t *queue_max) {
  return get(queue_max, [](const Job &) { return kMaxQueues; });
}
gaspi_return_t pgaspi_transfer_size_min(gaspi_size_t *transfer_size_min) {
  return get(transfer_size_min, [](const Job &) { return 0; });
}
gaspi_return_t pgaspi_transfer_size_max(gaspi_size_t *transfer_size_max) {
  return get(transfer_size_max, [](const Job &job) { return job.config.transfer_size_max; });
}
gaspi_return_t pgaspi_notification_num(gaspi_number_t *notification_num) {
  return get(notification_num, [](const Job &job) { return job.config.notification_num; });
}
gaspi_return_t pgaspi_atomic_max(gaspi_atomic_value_t *max_value) {
  return get(max_value, [](const Job &) { return std::numeric_limits<gaspi_atomic_value_t>::max(); });
}
gaspi_return_t pgaspi_network_type(gaspi_network_t *network_type) {
  return get(network_type, [](const Job &) { return GASPI_ETHERNET; });
}
gaspi_return_t pgaspi_build_infrastructure(gaspi_number_t *build_infrastructure) {
  return get(build_infrastructure, [](const Job &job) { return job.config.build_infrastructure; });
}

gaspi_return_t pgaspi_version(float *version) { return write(version, 17.1F); }
gaspi_return_t pgaspi_time_get(gaspi_time_t *wtime) {
  return write(wtime, static_cast<float>(halocline::core::now_ns() - start_ns) / 1e6F);
}
gaspi_return_t pgaspi_time_ticks(gaspi_cycles_t *ticks) {
  return write(ticks, static_cast<gaspi_cycles_t>(halocline::core::now_ns() - start_ns));
}

gaspi_string_t pgaspi_error_str(gaspi_return_t error_code) {
  const Text *found = find_text(error_code);
  return const_cast<gaspi_string_t>(found ? found->text : "not a GASPI return code");
}

gaspi_return_t pgaspi_print_error(gaspi_return_t error_code, gaspi_string_t *error_message) {
  if (!error_message) return GASPI_ERR_NULLPTR;
  try {
    *error_message = strdup(text_of(error_code).c_str());
  } catch (const std::bad_alloc &) {
    *error_message = nullptr;
  }
  return *error_message ? GASPI_SUCCESS : GASPI_ERR_MEMALLOC;
}

HLC_WEAK_ALIAS(group_max);
HLC_WEAK_ALIAS(segment_max);
HLC_WEAK_ALIAS(queue_num);
HLC_WEAK_ALIAS(queue_size_max);
HLC_WEAK_ALIAS(queue_max);
HLC_WEAK_ALIAS(transfer_size_min);
HLC_WEAK_ALIAS(transfer_size_max);
HLC_WEAK_ALIAS(notification_num);
HLC_WEAK_ALIAS(atomic_max);
HLC_WEAK_ALIAS(network_type);
HLC_WEAK_ALIAS(build_infrastructure);
HLC_WEAK_ALIAS(version);
HLC_WEAK_ALIAS(time_get);
HLC_WEAK_ALIAS(time_ticks);
HLC_WEAK_ALIAS(error_str);
HLC_WEAK_ALIAS(print_error);

}  // extern "C"
