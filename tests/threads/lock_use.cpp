// Whether the compiler checks src/base/mutex.hpp: compiled with USE_LOCKED it is right, and with USE_UNLOCKED it is not.
// SPDX-License-Identifier: BSD-3-Clause
#include "base/mutex.hpp"

namespace halocline::core {

class Counted {
 public:
  int next() {
#ifdef USE_LOCKED
    const Lock lock(mutex_);
#endif
    return ++count_;
  }

 private:
  Mutex mutex_;
  int count_ HLC_GUARDED_BY(mutex_) = 0;
};

int use(Counted &counted) { return counted.next(); }

}  // namespace halocline::core
