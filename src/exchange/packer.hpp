// The interface through which an exchange has data packed and unpacked.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/channel.hpp"

namespace halocline::core {

struct RoundDescriptor;

/// With HALOCLINE_CHECK=1: what the owner of the data checks around a finish.
class Looks {
 public:
  virtual ~Looks() = default;
  /// When finish is called: was something written that must not be?
  virtual void before_finish() = 0;
  /// When the neighbours' descriptors have been received and nothing has been delivered.
  virtual void before_delivery() = 0;
  /// After all has been delivered: is it what the neighbours had at start?
  virtual void after_finish() = 0;
};

/// The owner of the data: packs and unpacks, or copies straight from the neighbour where the edge is read directly.
class Packer {
 public:
  virtual ~Packer() = default;
  /// past_caches: another core reads the buffer next, so it should not stay in this core's caches.
  virtual void pack(int edge, void *buffer, bool past_caches) = 0;
  virtual void unpack(int edge, const void *buffer) = 0;
  /// Called before an edge is read directly, where fields may move between rounds: where the neighbour's are in this one.
  virtual Status found(int, std::span<const FieldPlace>) { return Status::ok; }
  /// Copies the data of edges from the neighbours' memory.
  virtual void pull(Edges edges) = 0;
  /// Instead of both: the data of an edge are here (NULL: they are read directly), until the exchange releases them.
  virtual void show(int, const void *) {}
  /// First of all in finish: what the owner copies inside its own data.
  virtual void copy_to_self() {}
  /// Last of all in finish: everything has been received, and no rank reads this rank's data any more. Not called where views were asked
  /// for.
  virtual void end_round() {}
  /// With HALOCLINE_CHECK=1, before a round: what it moves, for the neighbours. The owner checks its data first.
  virtual void describe_round(RoundDescriptor &) {}
  /// NULL: the descriptors and the stamps are all that check mode compares.
  virtual Looks *looks() { return nullptr; }
  /// True if pack heeds past_caches.
  virtual bool copies_cells() const { return false; }
  /// Called once at creation, when edges have been joined and nothing follows from them yet: an owner may find that the two ends of one cannot
  /// read each other.
  virtual Status met(Plan &) { return Status::ok; }
  /// Called once at creation, after the edges have been joined: which can be read directly is known, so addresses can be exchanged.
  virtual Status joined(const Plan &) { return Status::ok; }
};

}  // namespace halocline::core
