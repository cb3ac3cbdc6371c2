// GASPI 17.1, section 14: statistics, and the call for tracers.
// SPDX-License-Identifier: BSD-3-Clause
#include "faces/gaspi/job.hpp"
#include "faces/gaspi/profiling.hpp"

using namespace halocline::core::gaspi;

namespace {

struct Description {
  const char *name, *text;
};

constexpr Description kDescriptions[] = {
    {"writes", "requests posted that write, with or without a notification"},
    {"bytes_written", "bytes of these"},
    {"reads", "requests posted that read, with or without a notification"},
    {"bytes_read", "bytes of these"},
    {"notifications", "notifications posted, with or without data"},
    {"waits", "calls of gaspi_wait"},
    {"full_queues", "requests that a full queue has refused"},
};
constexpr auto kCounters = static_cast<gaspi_number_t>(Counter::count_);
static_assert(std::size(kDescriptions) == kCounters);

/// Calls work(counter) if there is such a counter.
template <class Work>
gaspi_return_t with_counter(gaspi_statistic_counter_t counter, Work work) {
  return enter([&](Job &job) {
    if (counter >= kCounters) return GASPI_ERR_INV_NUM;
    return work(job.counters.at(static_cast<Counter>(counter)));
  });
}

/// The specification's strings are not const; programs must not write to these.
gaspi_string_t handed_out(const char *text) { return const_cast<gaspi_string_t>(text); }

}  // namespace

extern "C" {

gaspi_return_t pgaspi_statistic_counter_max(gaspi_number_t *counter_max) {
  return get(counter_max, [](const Job &) { return kCounters; });
}

gaspi_return_t pgaspi_statistic_counter_info(gaspi_statistic_counter_t counter, gaspi_statistic_argument_t *counter_argument,
                                             gaspi_string_t *counter_name, gaspi_string_t *counter_description,
                                             gaspi_number_t *verbosity_level) {
  return with_counter(counter, [&](const auto &) {
    if (!counter_argument || !counter_name || !counter_description || !verbosity_level) return GASPI_ERR_NULLPTR;
    *counter_argument = GASPI_STATISTIC_ARGUMENT_NONE;
    *counter_name = handed_out(kDescriptions[counter].name);
    *counter_description = handed_out(kDescriptions[counter].text);
    *verbosity_level = 1;
    return GASPI_SUCCESS;
  });
}

gaspi_return_t pgaspi_statistic_verbosity_level(gaspi_number_t verbosity_level) {
  return enter([&](Job &job) {
    job.counters.verbosity = verbosity_level;
    return GASPI_SUCCESS;
  });
}

gaspi_return_t pgaspi_statistic_counter_get(gaspi_statistic_counter_t counter, gaspi_number_t, unsigned long *value) {
  return with_counter(counter, [&](const auto &found) {
    if (!value) return GASPI_ERR_NULLPTR;
    *value = found.load();
    return GASPI_SUCCESS;
  });
}

gaspi_return_t pgaspi_statistic_counter_reset(gaspi_statistic_counter_t counter) {
  return with_counter(counter, [](auto &found) {
    found = 0;
    return GASPI_SUCCESS;
  });
}

gaspi_return_t pgaspi_pcontrol(gaspi_pointer_t) { return GASPI_SUCCESS; }

HLC_WEAK_ALIAS(statistic_counter_max);
HLC_WEAK_ALIAS(statistic_counter_info);
HLC_WEAK_ALIAS(statistic_verbosity_level);
HLC_WEAK_ALIAS(statistic_counter_get);
HLC_WEAK_ALIAS(statistic_counter_reset);
HLC_WEAK_ALIAS(pcontrol);

}  // extern "C"
