// Descriptors, their comparison, and the meeting before finish.
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/check.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "engine/communicator/check_mailbox.hpp"
#include "engine/communicator/collective.hpp"
#include "exchange/swap_times.hpp"

namespace halocline::core {
namespace {

/// How a descriptor begins; the numbers, the words and the cells follow.
struct DescriptorHead {
  std::int64_t out, in, numbers, characters;
};

/// Reports a rule that the ranks broke together: the round cannot continue.
Status refuse(const char *kind, const std::string &text) {
  report_rule(kind, text);
  return fail(Status::rule, "%s", text.c_str());
}

void append(std::vector<char> &text, const void *bytes, std::size_t count) {
  const std::size_t before = text.size();
  text.resize(before + count);
  if (count > 0) std::memcpy(text.data() + before, bytes, count);
}

/// The descriptor for the neighbour of an edge.
std::vector<char> text_for(std::size_t e, const Part &part, const RoundDescriptor &descriptor) {
  const DescriptorHead head{part.out, part.in, static_cast<std::int64_t>(descriptor.what.size()),
                            static_cast<std::int64_t>(descriptor.words.size())};
  std::vector<char> text;
  append(text, &head, sizeof head);
  append(text, descriptor.what.data(), descriptor.what.size() * sizeof(std::int64_t));
  append(text, descriptor.words.data(), descriptor.words.size());
  if (e < descriptor.values.size()) append(text, descriptor.values[e].data(), descriptor.values[e].size());
  return text;
}

int stages_of(int ranks) {
  int stages = 0;
  while ((1LL << stages) < ranks) ++stages;
  return stages;
}

}  // namespace

Check::Check(Plan &plan, Packer &packer, std::string label)
    : plan_(plan),
      check_mailbox_(*plan.check_mailbox),
      findings_(plan.topology->rank(), std::move(label)),
      stamped_(plan, packer, findings_) {}

Check::~Check() { check_mailbox_.strike(findings_.serial()); }

Status Check::create() {
  std::int64_t serial = check_mailbox_.next_serial();
  HLC_TRY(reduce(*plan_.communicator, plan_.comm, MPI_MAX, &serial, 1));
  return prepare(*plan_.communicator, plan_.comm, [this, serial] {
    findings_.number(serial, plan_.times->plan().serial);
    check_mailbox_.enroll(serial, findings_.label());
    make_tables();
    return Status::ok;
  });
}

void Check::make_tables() {
  descriptors_.resize(plan_.edges.size());
  barrier_.ready.resize(static_cast<std::size_t>(stages_of(plan_.topology->size())));
  for (const Edge &edge : plan_.edges) peers_.push_back(edge.rank);
  std::sort(peers_.begin(), peers_.end());
  peers_.erase(std::unique(peers_.begin(), peers_.end()), peers_.end());
  add_stamps(plan_.edges);
  add_stamps(plan_.parts);
}

CheckMessage Check::message(Word word, std::vector<char> text) const {
  CheckMessage made;
  made.plan = findings_.serial();
  made.round = findings_.round();
  made.word = word;
  made.text = std::move(text);
  return made;
}

Check::TheirDescriptor Check::TheirDescriptor::read(const std::vector<char> &text) {
  DescriptorHead head;
  std::memcpy(&head, text.data(), sizeof head);
  TheirDescriptor descriptor;
  descriptor.out = head.out;
  descriptor.in = head.in;
  descriptor.what.resize(static_cast<std::size_t>(head.numbers));
  const char *at = text.data() + sizeof head;
  if (!descriptor.what.empty()) std::memcpy(descriptor.what.data(), at, descriptor.what.size() * sizeof(std::int64_t));
  at += descriptor.what.size() * sizeof(std::int64_t);
  descriptor.words.assign(at, static_cast<std::size_t>(head.characters));
  descriptor.values.assign(at + head.characters, text.data() + text.size());
  return descriptor;
}

Status Check::start(const RoundDescriptor &descriptor) {
  findings_.begin_round();
  check_mailbox_.note_start(findings_.serial());
  barrier_.stage = 0;
  barrier_.notified = false;
  mine_ = static_cast<const RoundContent &>(descriptor);
  for (std::size_t e = 0; e < plan_.edges.size(); ++e) {
    CheckMessage said = message(Word::started, text_for(e, plan_.parts[e], descriptor));
    said.edge = plan_.edges[e].peer_edge;
    HLC_TRY(check_mailbox_.send(plan_.edges[e].rank, said));
  }
  return Status::ok;
}

Status Check::announce_finish(bool waits) {
  std::vector<char> later = check_mailbox_.note_finishing(findings_.serial());
  if (!waits) later.clear();
  const CheckMessage said = message(Word::finishing, std::move(later));
  for (const int rank : peers_) HLC_TRY(check_mailbox_.send(rank, said));
  return Status::ok;
}

/// Messages for which there is no memory now are sorted in the next call.
Status Check::sort_messages() {
  HLC_TRY(check_mailbox_.receive());
  do {
    for (; !received_.empty(); received_.erase(received_.begin())) sort(received_.front());
    received_ = check_mailbox_.take(findings_.serial());
  } while (!received_.empty());
  return Status::ok;
}

void Check::sort(const CheckMessage &received) {
  if (received.word == Word::started) descriptors_[static_cast<std::size_t>(received.edge)].push_back(TheirDescriptor::read(received.text));
  if (received.word == Word::ready) barrier_.ready[static_cast<std::size_t>(received.edge)] = received.round;
  if (received.word == Word::abandoned) abandoned_.note(received);
}

void Check::Abandonment::note(const CheckMessage &received) {
  if (concerns(received.round)) return;
  reason.assign(received.text.begin(), received.text.end());
  rank = received.source;
  round = received.round;
}

Status Check::Abandonment::look(const Findings &findings) const {
  if (!concerns(findings.round())) return Status::ok;
  return fail(Status::rule, "%s: rank %d aborted: %s", findings.where().c_str(), rank, reason.c_str());
}

Status Check::disagree(int e, const TheirDescriptor &theirs) const {
  const int me = plan_.topology->rank(), them = plan_.edges[static_cast<std::size_t>(e)].rank;
  const Part &part = plan_.parts[static_cast<std::size_t>(e)];
  std::string text = "rank " + std::to_string(me) + " and rank " + std::to_string(them) + " disagree on swap " +
                     std::to_string(findings_.round()) + " of " + findings_.label() + ": rank " + std::to_string(me) + " swaps " +
                     mine_.words + ", rank " + std::to_string(them) + " swaps " + theirs.words;
  if (theirs.what == mine_.what)
    text += "; rank " + std::to_string(them) + " sends " + std::to_string(payload_bytes(theirs.out)) + " bytes where " +
            std::to_string(payload_bytes(part.in)) + " are expected";
  return refuse("ranks disagree on a swap", text);
}

Status Check::compare_descriptors() {
  for (std::size_t e = 0; e < descriptors_.size(); ++e) {
    if (descriptors_[e].empty() || descriptors_[e].front().agreed) continue;
    TheirDescriptor &descriptor = descriptors_[e].front();
    const Part &part = plan_.parts[e];
    if (descriptor.what != mine_.what || descriptor.out != part.in || descriptor.in != part.out)
      return disagree(static_cast<int>(e), descriptor);
    descriptor.agreed = true;
  }
  return Status::ok;
}

Status Check::still_wanted() {
  const Status looked = alone(*plan_.topology, [this] {
    HLC_TRY(sort_messages());
    return abandoned_.look(findings_);
  });
  return looked == Status::memory ? Status::ok : looked;
}

Status Check::all_started() {
  HLC_TRY(sort_messages());
  // A descriptor that arrives after this is compared in the next call: below, only those that agree count.
  HLC_TRY(compare_descriptors());
  HLC_TRY(abandoned_.look(findings_));
  for (std::size_t e = 0; e < descriptors_.size(); ++e)
    if (descriptors_[e].empty() || !descriptors_[e].front().agreed) return attempt_.again(plan_.edges[e].rank, "start");
  return Status::ok;
}

/// A neighbour that is in the finish of another plan, which this rank would finish after this one, never calls this finish.
Status Check::look_for_finishes(bool waits) {
  Status status = Status::ok;
  for (const int rank : peers_) {
    if (check_mailbox_.finishes(findings_.serial(), rank, findings_.round())) continue;
    status = attempt_.again(rank, "finish");
    if (!waits) continue;
    std::string swap;
    if (const std::int64_t other = check_mailbox_.crosses(findings_.serial(), rank, &swap); other != 0)
      return refuse_order(rank, other, swap);
  }
  return status;
}

Status Check::refuse_order(int rank, std::int64_t other, const std::string &swap) {
  crossing_ = {rank, other};
  return refuse("ranks finish in different orders", "rank " + std::to_string(plan_.topology->rank()) + " finishes swap " +
                                                        std::to_string(findings_.round()) + " of " + findings_.label() + " while rank " +
                                                        std::to_string(rank) + " finishes " + swap +
                                                        ": all ranks must finish several swaps in one order");
}

/// A rank that has passed the barrier may wait inside MPI: no rank abandons the round any more.
Status Check::pass_barrier() {
  const int me = plan_.topology->rank(), size = plan_.topology->size();
  for (; barrier_.stage < barrier_.stages(); ++barrier_.stage) {
    const int stage = barrier_.stage, distance = static_cast<int>((1LL << stage) % size);
    CheckMessage said = message(Word::ready);
    said.edge = stage;
    if (!barrier_.notified) HLC_TRY(check_mailbox_.send((me + distance) % size, said));
    barrier_.notified = true;
    if (barrier_.ready[static_cast<std::size_t>(stage)] < findings_.round()) return attempt_.again((me - distance + size) % size, "finish");
    barrier_.notified = false;
  }
  return Status::ok;
}

/// A rank that has announced its finish must finish, for others may wait inside MPI: an attempt that runs out of memory is repeated.
Status Check::meet(bool waits) {
  const Status met = alone(*plan_.topology, [&] { return look_for_all(waits); });
  attempt_.starved = met == Status::memory;
  return attempt_.starved ? Status::again : met;
}

Status Check::look_for_all(bool waits) {
  const Status started = all_started();
  HLC_TRY(started);
  const Status finishing = look_for_finishes(waits);
  HLC_TRY(finishing);
  if (started == Status::again || finishing == Status::again) return Status::again;
  const Status passed = pass_barrier();
  if (passed != Status::ok) return passed;
  return check_mailbox_.all_sent(findings_.serial()) ? Status::ok
                                                     : attempt_.again(peers_.empty() ? 0 : peers_.front(), "receive the descriptor of");
}

Status Check::late() const {
  if (attempt_.starved) return no_memory();
  return fail(Status::timeout, "%s: timed out after %lld s waiting for %s to %s this swap (HALOCLINE_TIMEOUT)", findings_.where().c_str(),
              static_cast<long long>(plan_.topology->timeout_ns() / 1'000'000'000), plan_.name_of(attempt_.rank).c_str(), attempt_.what);
}

Status Check::no_memory() const {
  return fail(Status::memory, "rank %d, %s, swap %llu: out of memory for the records of HALOCLINE_CHECK", plan_.topology->rank(),
              findings_.label().c_str(), static_cast<unsigned long long>(findings_.round()));
}

void Check::give_up(Status why) {
  char message[1024];
  std::snprintf(message, sizeof message, "%s", error_message());
  static_cast<void>(alone(*plan_.topology, [&] {
    notify_all(abandoned_.concerns(findings_.round()) ? abandoned_.reason : message);
    return Status::ok;
  }));
  static_cast<void>(fail(why, "%s", message));  // the round's error, not that of a message that could not be sent
  check_mailbox_.note_finished(findings_.serial());
}

/// The message is passed on unchanged, so that neighbours of neighbours learn the first cause.
void Check::notify_all(const std::string &reason) {
  CheckMessage said = message(Word::abandoned, {reason.begin(), reason.end()});
  std::vector<int> ranks = peers_;
  const int me = plan_.topology->rank(), size = plan_.topology->size();
  for (int stage = 0; stage < barrier_.stages(); ++stage) ranks.push_back(static_cast<int>((me + (1LL << stage)) % size));
  for (const int rank : ranks) static_cast<void>(check_mailbox_.send(rank, said));
  if (crossing_.rank < 0) return;
  // Two ranks that cross each other abandon both plans, so that the result does not depend on which saw it first.
  said.plan = crossing_.plan;
  said.round = 0;  // that plan's running round, or its next
  said.source = me;
  static_cast<void>(check_mailbox_.send(crossing_.rank, said));
  check_mailbox_.keep(said);
}

Status Check::result() {
  for (auto &descriptors : descriptors_) descriptors.pop_front();
  check_mailbox_.note_finished(findings_.serial());
  return findings_.result();
}

Status Check::wrong_call(const char *call, const char *why) const {
  const std::string text = std::string(call) + ": " + findings_.where() + ": " + why;
  report_rule("calls at the wrong time", text);
  return fail(Status::state, "%s", text.c_str());
}

}  // namespace halocline::core
