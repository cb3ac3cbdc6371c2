// SPDX-License-Identifier: BSD-3-Clause
#include "simulation.hpp"

#include "cores.hpp"
#include "network.hpp"
#include "random.hpp"

#include <algorithm>
#include <queue>

namespace simulate {

std::atomic<int> simulations_done{0};

namespace {

/// An event of an operation, of a port or of a rank.
enum class Phase : std::uint8_t { leave, arrive, deliver, reply_leaves, reply_arrives, acknowledge, port_out, port_in, release };

struct Event {
  double at;
  std::uint64_t number;   ///< events at the same time are in the order in which they were scheduled
  std::int32_t subject;   ///< an operation; of a port its node; of Phase::release a rank
  std::uint32_t waits;    ///< of Phase::release: the rank's, counted
  Phase phase;

  bool operator<(const Event &other) const { return at > other.at || (!(at < other.at) && number > other.number); }
};

/// A send that has not arrived yet, or the returning data of a get.
struct Operation {
  int origin = 0;
  int round = 0;  ///< of the origin when it began
  const Send *what = nullptr;
  int halves = 0;  ///< ports that it has still to pass
  bool reply = false;
  double there = 0;  ///< when its last byte is
};

/// A word that is reached, with the work of the rank that takes it.
struct Arrival {
  int round = 0;
  Flag flag = kNone;
  double cost_us = 0;
};

struct Rank {
  double clock = 0, begun = 0, spent = 0, first_begin = -1, last_end = 0;
  std::uint32_t step = 0, waits = 0;
  int round = 0, taken = 0;
  bool blocked = false, ended = false;
  std::size_t front = 0;           ///< of the arrivals
  std::vector<double> arrivals;    ///< costs of what has arrived in the queue
  std::vector<Arrival> early;      ///< of later rounds than the rank's own
};

class Simulation {
 public:
  Simulation(const Job &job, const Machine &machine, const Rounds &rounds)
      : job_(job),
        machine_(machine),
        rounds_(rounds),
        ports_(static_cast<std::size_t>(machine.node_of(job.ranks() - 1)) + 1),
        cores_(machine, job.ranks()),
        ranks_(static_cast<std::size_t>(job.ranks())),
        counts_(static_cast<std::size_t>(job.ranks()) * kFlags, 0) {}

  Outcome run() {
    for (int rank = 0; rank < job_.ranks(); ++rank) resume(rank, 0);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      handle(event);
    }
    return outcome();
  }

 private:
  Rank &of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const Script &script_of(int rank) const { return job_.scripts[static_cast<std::size_t>(rank)]; }
  int &count(int rank, Flag flag) { return counts_[static_cast<std::size_t>(rank) * kFlags + static_cast<std::size_t>(flag)]; }

  void schedule(double at, int subject, Phase phase, std::uint32_t waits = 0) { events_.push({at, scheduled_++, subject, waits, phase}); }

  // What a rank does.

  /// The rank can continue. Where ranks share cores, it waits for one.
  void resume(int rank, double now) {
    for (const auto &[next, at] : cores_.want(rank, now)) execute(next, at);
  }

  /// Runs the rank's script from where it is until it waits or ends. Its clock may run ahead of the simulation's time. What it starts is scheduled for
  /// its own time. What arrives in the meantime is found when it waits.
  void execute(int rank, double now) {
    Rank &me = of(rank);
    me.blocked = false;
    me.clock = std::max(me.clock, now);
    const std::vector<Step> &steps = script_of(rank).steps();
    while (me.round < rounds_.warmups + rounds_.counted) {
      for (; me.step < steps.size(); ++me.step)
        if (!perform(rank, steps[me.step])) return block(rank);
      next_round(rank);
    }
    me.ended = true;
    block(rank);
  }

  /// Words that nobody has waited for in their round are forgotten. Those of the new round may have been reached before.
  void next_round(int rank) {
    Rank &me = of(rank);
    me.step = 0, me.round += 1;
    std::fill_n(&count(rank, Flag{0}), kFlags, 0);
    me.arrivals.clear();
    std::vector<Arrival> later;
    for (const Arrival &one : me.early) one.round == me.round ? note(rank, one) : later.push_back(one);
    me.early.swap(later);
  }

  void block(int rank) {
    Rank &me = of(rank);
    me.blocked = true;
    me.waits += 1;
    if (cores_.shared()) schedule(me.clock, rank, Phase::release, me.waits);
  }

  /// False if the rank has to wait.
  bool perform(int rank, const Step &step) {
    Rank &me = of(rank);
    switch (step.kind) {
      case Kind::work: me.clock += step.us; return true;
      case Kind::noise: me.clock += step.us * delay(rank, me.round); return true;
      case Kind::send: launch(rank, step.send); return true;
      case Kind::wait: return pass(rank, step);
      case Kind::take: return take(rank, step);
      case Kind::begin: begin(me); return true;
      case Kind::end: end(me); return true;
    }
    return true;
  }

  /// Random, with mean 1.
  double delay(int rank, int round) const {
    return rounds_.noise == Noise::even ? 2 * uniform(rounds_.seed, rank, round) : exponential(rounds_.seed, rank, round);
  }

  bool pass(int rank, const Step &step) {
    int &reached = count(rank, step.flag);
    if (reached < step.count) return false;
    reached -= step.count;
    return true;
  }

  bool take(int rank, const Step &step) {
    Rank &me = of(rank);
    for (; me.taken < step.count; ++me.taken) {
      if (me.front == me.arrivals.size()) return false;
      me.clock += me.arrivals[me.front++];
    }
    me.taken = 0;
    me.arrivals.erase(me.arrivals.begin(), me.arrivals.begin() + static_cast<std::ptrdiff_t>(me.front));
    me.front = 0;
    return true;
  }

  void begin(Rank &me) const {
    me.begun = me.clock;
    if (me.round == rounds_.warmups && me.first_begin < 0) me.first_begin = me.clock;
  }

  void end(Rank &me) const {
    if (me.round >= rounds_.warmups) me.spent += me.clock - me.begun;
    me.last_end = me.clock;
  }

  void launch(int rank, const Send &what) {
    Rank &me = of(rank);
    const Network &network = machine_.network;
    double at = me.clock;
    const int operation = enter({rank, me.round, &what});
    if (machine_.same_node(rank, what.target)) return schedule(at + machine_.node.handover_us + what.delay_us, operation, Phase::deliver);
    // The other rank answers at once that its buffer is free.
    if (what.way == Way::rendezvous) at += 2 * (network.latency_us + machine_.node.message_us);
    schedule(at, operation, Phase::leave);
  }

  // What happens to what ranks have started.

  int enter(const Operation &operation) {
    if (unused_.empty()) {
      operations_.push_back(operation);
      return static_cast<int>(operations_.size()) - 1;
    }
    const int number = unused_.back();
    unused_.pop_back();
    operations_[static_cast<std::size_t>(number)] = operation;
    return number;
  }

  void handle(const Event &event) {
    switch (event.phase) {
      case Phase::leave: return leave(event.subject, event.at);
      case Phase::arrive: return pass_port(event.subject, event.at, true);
      case Phase::deliver: return deliver(event.subject, event.at);
      case Phase::reply_leaves: return leave(event.subject, event.at);
      case Phase::reply_arrives:
      case Phase::acknowledge: return acknowledge(event.subject, event.at);
      case Phase::port_out: return end_in_port(event, false);
      case Phase::port_in: return end_in_port(event, true);
      case Phase::release: return release(event);
    }
  }

  Operation &operation(int number) { return operations_[static_cast<std::size_t>(number)]; }
  double bytes_of(const Operation &one) const { return one.what->way == Way::get && !one.reply ? 0 : one.what->bytes; }
  Direction &direction(int node, bool in) {
    Port &port = ports_[static_cast<std::size_t>(node)];
    return in ? port.in : port.out;
  }
  int node_of(const Operation &one, bool in) const { return machine_.node_of(in != one.reply ? one.what->target : one.origin); }

  /// Data flow through both ports at the same time, those of the target later by the latency.
  void leave(int number, double now) {
    operation(number).halves = 2;
    pass_port(number, now, false);
    schedule(now + machine_.network.latency_us, number, Phase::arrive);
  }

  void pass_port(int number, double now, bool in) {
    const Operation &one = operation(number);
    const int node = node_of(one, in);
    const double bytes = bytes_of(one), alone_us = duration_us(machine_.network, bytes);
    if (bytes <= machine_.network.packet_bytes) return passed(number, direction(node, in).pass(now, alone_us), in);
    direction(node, in).begin(now, alone_us, number);
    look_at_port(node, in);
  }

  void look_at_port(int node, bool in) {
    if (const auto at = direction(node, in).look_again()) schedule(*at, node, in ? Phase::port_in : Phase::port_out);
  }

  void end_in_port(const Event &event, bool in) {
    if (!direction(event.subject, in).has_ended(event.at)) return look_at_port(event.subject, in);
    const int number = direction(event.subject, in).end();
    look_at_port(event.subject, in);
    passed(number, event.at, in);
  }

  /// The last byte has passed a port at that time. It arrives when it has passed both.
  void passed(int number, double at, bool in) {
    Operation &one = operation(number);
    one.halves -= 1;
    one.there = std::max(one.there, at + (in ? 0 : machine_.network.latency_us));
    if (one.halves > 0) return;
    if (one.reply) return schedule(one.there, number, Phase::reply_arrives);
    schedule(one.there + late_us(*one.what), number, Phase::deliver);
  }

  double late_us(const Send &what) const {
    const Network &network = machine_.network;
    return what.delay_us + (what.way == Way::atomic ? network.atomic_us : what.way == Way::get ? network.read_us : 0);
  }

  void deliver(int number, double at) {
    Operation &one = operation(number);
    const Send &what = *one.what;
    const bool near = machine_.same_node(one.origin, what.target);
    if (what.flag != kNone) reach_all(what, one.round, at);
    if (what.way == Way::get && !near) {
      operation(number).reply = true, operation(number).there = 0;
      return schedule(at, number, Phase::reply_leaves);
    }
    if (what.ack == kNone || near) return acknowledge(number, at);
    schedule(at + machine_.network.latency_us, number, Phase::acknowledge);
  }

  void acknowledge(int number, double at) {
    const Operation one = operation(number);
    unused_.push_back(number);
    if (one.what->ack != kNone) reach(one.origin, {one.round, one.what->ack, 0}, at);
  }

  void reach_all(const Send &what, int round, double at) {
    const Arrival one{round, what.flag, what.cost_us};
    if (what.group < 0) return reach(what.target, one, at);
    for (const int rank : job_.groups[static_cast<std::size_t>(what.group)]) reach(rank, one, at);
  }

  /// A flag of a rank is set, now or when the rank comes to that round. The rank continues if it waits for that.
  void reach(int rank, const Arrival &one, double at) {
    Rank &me = of(rank);
    if (one.round > me.round) return me.early.push_back(one);
    if (one.round < me.round) return;
    note(rank, one);
    if (!me.blocked || me.ended) return;
    const Step &step = script_of(rank).steps()[me.step];
    if (step.flag != one.flag || (step.kind == Kind::wait && count(rank, one.flag) < step.count)) return;
    me.blocked = false;
    if (cores_.holds(rank)) return execute(rank, at);
    resume(rank, at);
  }

  void note(int rank, const Arrival &one) {
    if (one.flag < kQueues) {
      of(rank).arrivals.push_back(one.cost_us);
    } else {
      count(rank, one.flag) += 1;
    }
  }

  /// The rank has waited since then: others may have its core.
  void release(const Event &event) {
    const Rank &me = of(event.subject);
    if (!me.blocked || me.waits != event.waits) return;
    for (const auto &[next, at] : cores_.give_back(event.subject, event.at)) execute(next, at);
  }

  Outcome outcome() {
    Outcome all;
    all.events = scheduled_;
    double begin = 0, end = 0;
    for (int rank = 0; rank < job_.ranks(); ++rank) {
      const Rank &me = of(rank);
      if (!me.ended) throw Refusal("rank " + std::to_string(rank) + " waits forever");
      all.mean_us += me.spent / rounds_.counted / job_.ranks();
      all.worst_us = std::max(all.worst_us, me.spent / rounds_.counted);
      begin = std::max(begin, me.first_begin), end = std::max(end, me.last_end);
    }
    all.round_us = (end - begin) / rounds_.counted;
    return all;
  }

  const Job &job_;
  const Machine &machine_;
  const Rounds rounds_;
  std::vector<Port> ports_;  ///< by node
  Cores cores_;
  std::vector<Rank> ranks_;
  std::vector<int> counts_;  ///< by rank and flag, of the rank's round
  std::vector<Operation> operations_;
  std::vector<int> unused_;  ///< of them
  std::priority_queue<Event> events_;
  std::uint64_t scheduled_ = 0;
};

}  // namespace

Outcome run(const Job &job, const Machine &machine, const Rounds &rounds) {
  const Outcome outcome = Simulation(job, machine, rounds).run();
  simulations_done.fetch_add(1, std::memory_order_relaxed);
  return outcome;
}

}  // namespace simulate
