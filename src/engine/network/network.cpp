// Opening the network: rank 0 chooses provider and network, the others look for the same.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/network/network.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <tuple>
#include <utility>

#include "base/environment.hpp"
#include "engine/communicator/collective.hpp"
#include "engine/network/connection_table.hpp"
#include "engine/network/request_engine.hpp"
#include "engine/network/shared_endpoint.hpp"

namespace halocline::core {
namespace {

using transport::Choice;
using transport::Wish;

/// Reads HALOCLINE_FAKE_NETWORK, for tests; rank 0's value holds for all. transport/disturbance.cpp acts on crowded and unordered,
/// transport/ofi/traits.cpp on the others.
Status read_fake(int rank, transport::Fake &fake) {
  using transport::kFakeNames;
  const char *text = environment("FAKE_NETWORK");
  for (std::size_t i = 0; i < kFakeNames.size(); ++i)
    if (std::strcmp(text, kFakeNames[i]) == 0) {
      fake = static_cast<transport::Fake>(i);
      return Status::ok;
    }
  return fail(Status::argument, "rank %d: HALOCLINE_FAKE_NETWORK is '%s' but must be crowded, unordered, poor, cxi, efa or opx", rank,
              text);
}

/// Other contexts share the endpoint, so all ranks of the job count.
int ranks_of_job(const Communicator &communicator) {
  int has_world = 0, ranks = communicator.size();
  MPI_Initialized(&has_world);
  if (has_world) MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return std::max(ranks, communicator.size());
}

Wish wish_of(const Communicator &communicator) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  Wish wish;
  wish.network = environment("NETWORK");
  wish.provider = environment("PROVIDER");
  wish.interface = environment("INTERFACE");
  wish.only_library = environment("LIBFABRIC");
  wish.one_host = communicator.one_host();
  wish.sleeps = communicator.progress() == Progress::thread;
  wish.has_helper = communicator.progress() == Progress::helper;
  wish.ranks = ranks_of_job(communicator);
  wish.many_threads = has_progress_thread(communicator.progress()) || provided == MPI_THREAD_MULTIPLE;
  return wish;
}

/// A value of rank 0, being broadcast to the others.
template <class Word>
struct Spreading : Job {
  Spreading() { requests.resize(1, MPI_REQUEST_NULL); }
  Word word{};
};

/// What all ranks must ask for alike.
struct Names {
  char network[64] = "", provider[64] = "";
};

/// Calls part(&word) on rank 0 only, and broadcasts the resulting word to all ranks.
template <class Word, class Part>
Status spread(Communicator &communicator, Word *word, Part part) {
  std::unique_ptr<Spreading<Word>> spreading;
  HLC_TRY(prepare(communicator, communicator.comm(), [&] {
    spreading = std::make_unique<Spreading<Word>>();
    return communicator.rank() == 0 ? part(&spreading->word) : Status::ok;
  }));
  HLC_TRY(
      check_mpi(MPI_Ibcast(&spreading->word, sizeof(Word), MPI_BYTE, 0, communicator.comm(), spreading->requests.data()), "MPI_Ibcast"));
  HLC_TRY(await(communicator, spreading));
  *word = spreading->word;
  return Status::ok;
}

/// A launcher may set a variable for some ranks only. Interfaces may differ from host to host and are not compared.
Status compare_names(Communicator &communicator, const Wish &wish) {
  Names first, mine;
  std::snprintf(mine.network, sizeof mine.network, "%s", wish.network.c_str());
  std::snprintf(mine.provider, sizeof mine.provider, "%s", wish.provider.c_str());
  HLC_TRY(spread(communicator, &first, [&](Names *names) {
    *names = mine;
    return Status::ok;
  }));
  Status status = Status::ok;
  for (const auto &[variable, theirs, own] :
       {std::tuple{"NETWORK", first.network, mine.network}, {"PROVIDER", first.provider, mine.provider}})
    if (status == Status::ok && std::strcmp(theirs, own) != 0)
      status = fail(Status::mismatch, "ranks disagree on HALOCLINE_%s: rank 0 has '%s', rank %d has '%s'", variable, theirs,
                    communicator.rank(), own);
  return agree(communicator, communicator.comm(), status);
}

/// What drives progress, for the description.
const char *by(Progress progress) {
  if (progress == Progress::helper) return "a helper process of each node for segments, the calling thread for plans";
  if (progress == Progress::spare) return "the calling thread, or a background thread while no call is active";
  return progress == Progress::thread ? "a thread" : "the calling thread";
}

/// Adds the rank to a reason not to use the network.
Status name_rank(const Communicator &communicator, Status status) {
  return failed(status) ? fail(status, "rank %d: %s", communicator.rank(), error_message()) : status;
}

Status choose(Communicator &communicator, const Wish &wish, Choice *choice) {
  return spread(communicator, choice, [&](Choice *chosen) {
    if (wish.provider == "none") return fail(Status::unsupported, "HALOCLINE_PROVIDER is 'none'");
    return name_rank(communicator, NetworkEndpoint::choose(wish, chosen));
  });
}

}  // namespace

Network::Network(Communicator &communicator) : communicator_(communicator) {}

Network::~Network() { leave(); }

Helper *Network::helper() const { return requests_ ? requests_->helper() : nullptr; }

bool Network::keeps_order() const { return endpoint_->keeps_order(); }

bool Network::poll() { return requests_ && requests_->poll(); }

std::uint64_t Network::events() const { return endpoint_ ? endpoint_->events() : 0; }

int Network::find_lost() { return liveness_->find_lost(); }

std::string Network::name_of(int rank) { return liveness_->name_of(rank); }

Status Network::find_room(int rank, const char *call) const { return requests_->find_room(rank, call); }

Status Network::open() {
  if (endpoint_) return Status::ok;
  if (asked_) return fail(Status::unsupported, "%s", description_);
  const Status opened = try_to_open();
  asked_ = opened == Status::ok || opened == Status::unsupported;
  if (asked_ && endpoint_)
    std::snprintf(description_, sizeof description_, "%s, progress by %s", endpoint_->description().c_str(), by(communicator_.progress()));
  else if (asked_)
    std::snprintf(description_, sizeof description_, "%s", error_message());
  return opened;
}

Status Network::try_to_open() {
  EndpointSpec spec;
  HLC_TRY(prepare(communicator_, communicator_.comm(), [&] {
    spec.wish = wish_of(communicator_);
    spec.progress = communicator_.progress();
    return read_fake(communicator_.rank(), spec.wish.fake);
  }));
  HLC_TRY(compare_names(communicator_, spec.wish));
  HLC_TRY(choose(communicator_, spec.wish, &spec.choice));
  Status entered = enter_together(spec);
  // UCX was chosen by what rank 0's host has. Another host may have no device for it.
  if (entered == Status::unsupported && spec.choice.for_device) {
    leave();
    spec.wish.network = "ofi";
    HLC_TRY(choose(communicator_, spec.wish, &spec.choice));
    entered = enter_together(spec);
  }
  if (failed(entered)) {
    leave();
    return entered;
  }
  endpoint_ = &shared_endpoint_->endpoint();
  rings_ = communicator_.progress() == Progress::thread;
  // No rank sends a message before all have arrived here: RequestEngine::open shares the addresses first.
  shared_endpoint_->join(as_user_);
  communicator_.set_remote(this);
  return Status::ok;
}

/// Collective, the same status on all ranks.
Status Network::enter_together(const EndpointSpec &spec) {
  return prepare(communicator_, communicator_.comm(), [&] { return name_rank(communicator_, enter(spec)); });
}

/// Makes all that this rank needs; other ranks may fail in this step.
Status Network::enter(const EndpointSpec &spec) {
  HLC_TRY(SharedEndpoint::share(spec, &shared_endpoint_));
  failures_ = &shared_endpoint_->count_failures();
  liveness_ = std::make_unique<Liveness>(shared_endpoint_->endpoint(), shared_endpoint_->probe_words(), *failures_);
  requests_ = std::make_unique<RequestEngine>(RequestNeeds{communicator_, leaders_, *shared_endpoint_, *liveness_}, spec.choice, failures_);
  EndpointUser user;
  user.client = requests_.get();
  as_user_.push_back(std::move(user));
  return Status::ok;
}

/// The endpoint keeps the requests of this context that the provider still holds.
void Network::leave() {
  communicator_.set_remote(nullptr);
  if (shared_endpoint_ && requests_) shared_endpoint_->leave(*requests_, liveness_);
  endpoint_ = nullptr;
  failures_ = nullptr;
  rings_ = false;
  as_user_.clear();
  requests_.reset();
  liveness_.reset();
  release_endpoint(&shared_endpoint_);
}

void Network::close() {
  leave();
  leaders_.give_up();
}

}  // namespace halocline::core
