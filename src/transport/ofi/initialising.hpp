// The variables that libfabric reads once, while it is initialised: its cache of memory registrations (registration_cache.hpp), and for how many
// peers it makes room. And one that it reads with each endpoint.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/temporary_variable.hpp"

namespace halocline::core::transport::ofi {

inline constexpr char kSharedReceives[] = "FI_OFI_RXM_USE_SRX";

/// True if the user has chosen a cache that is safe, or none. userfaultfd is the kernel's own watch.
bool is_cache_safe_as_set();

/// While it lives, libfabric finds the cache switched off in its environment, and FI_UNIVERSE_SIZE, which the provider rxm makes its queues
/// for. `ranks`: of the job, 0 if that is not known.
class InitialisingVariables {
 public:
  explicit InitialisingVariables(int ranks);

 private:
  TemporaryVariable most_cached_, peers_;
};

/// What FI_OFI_RXM_USE_SRX has to be while an endpoint of this provider is made; empty: as it is. libfabric to version 2.5 reports immediate
/// data as a message where connections of verbs share their receive buffers (fi_srx_context), and they are lost.
std::string shared_receives_for(const std::string &provider);

/// The most peers of a job of `ranks` ranks: a power of two, at least 16. 0 if libfabric's own number is small enough.
int peers_of(int ranks);

}  // namespace halocline::core::transport::ofi
