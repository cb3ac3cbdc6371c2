// The serial table is a std::unordered_map. Of several ranks that insert a key at the same time any may be the first. The serial
// table follows the one that was told so, and there must be only one.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"

#include <common/comm.hpp>

#include <sstream>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace hashtable {
namespace {

using What = Request::What;
using Serial = std::unordered_map<Word, Word>;

/// Which keys all ranks erase, and which of these are inserted once more.
bool is_erased(Word key) { return mixed(key) % 2 == 0; }
bool is_inserted_again(Word key) { return mixed(key) % 4 == 0; }
bool is_any(Word) { return true; }

std::string named(Word key) {
  std::ostringstream text;
  text << "key " << std::hex << key;
  return text.str();
}

std::vector<Request> requests_for(const std::vector<Word> &keys, What what, int rank, bool (*wanted)(Word)) {
  std::vector<Request> requests;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (wanted(keys[i])) requests.push_back({what, keys[i], what == What::insert ? value_of(rank, i) : 0, false});
  return requests;
}

/// Whether each request of a rank was done, of all ranks.
std::vector<std::vector<char>> all_done(const std::vector<Request> &mine, int ranks) {
  std::vector<char> done;
  for (const Request &request : mine) done.push_back(request.done ? 1 : 0);
  std::vector<std::vector<char>> all(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<char> &theirs = all[static_cast<std::size_t>(rank)];
    if (rank == common::rank_of(MPI_COMM_WORLD)) theirs = done;
    auto count = static_cast<int>(theirs.size());
    MPI_Bcast(&count, 1, MPI_INT, rank, MPI_COMM_WORLD);
    theirs.resize(static_cast<std::size_t>(count));
    MPI_Bcast(theirs.data(), count, MPI_CHAR, rank, MPI_COMM_WORLD);
  }
  return all;
}

class Check {
 public:
  Check(Variant &variant, const CheckSetup &setup)
      : variant_(variant), begins_(setup.begins), content_(*setup.content), shape_(setup.shape), rank_(setup.rank) {
    for (int r = 0; r < shape_.ranks; ++r) keys_.push_back(setup.keys.of(r, 0));
  }

  std::string run() {
    struct Step {
      const char *name;
      void (Check::*take)();
    };
    for (const Step &step :
         {Step{"insert", &Check::insert}, Step{"find", &Check::find}, Step{"erase", &Check::erase}, Step{"find the rest", &Check::find},
          Step{"insert again", &Check::insert_again}, Step{"find all", &Check::find}, Step{"insert and erase the same", &Check::quarrel}}) {
      begins_(step.name);
      (this->*step.take)();
      if (wrong_.empty()) wrong_ = scan();
      if (const auto said = common::first_said(wrong_.empty() ? std::nullopt : std::optional(wrong_), MPI_COMM_WORLD)) return *said;
    }
    return "";
  }

 private:
  const std::vector<Word> &keys_of(int rank) const { return keys_[static_cast<std::size_t>(rank)]; }
  void note(const std::string &wrong) {
    if (wrong_.empty()) wrong_ = wrong;
  }

  void insert() {
    insert_those(is_any);
    content_ = digest_of_all(variant_.part(), shape_);
    Digest right;
    for (const auto &[key, value] : serial_) right.add(key, value);
    if (content_ != right) note("the table holds " + content_.text() + ", the serial one " + right.text());
  }
  void insert_again() { insert_those(is_inserted_again); }
  void insert_those(bool (*wanted)(Word)) {
    std::vector<Request> mine = requests_for(keys_of(rank_), What::insert, rank_, wanted);
    variant_.run(mine);
    const auto done = all_done(mine, shape_.ranks);
    for (int r = 0; r < shape_.ranks; ++r) {
      const std::vector<Request> theirs = requests_for(keys_of(r), What::insert, r, wanted);
      for (std::size_t i = 0; i < theirs.size(); ++i)
        if (done[static_cast<std::size_t>(r)][i] && !serial_.emplace(theirs[i].key, theirs[i].value).second)
          note(named(theirs[i].key) + " was inserted twice, the second time by rank " + std::to_string(r));
    }
    for (const Request &request : mine)
      if (!serial_.count(request.key)) note(named(request.key) + " was inserted by no rank");
  }

  /// My keys, those of the next rank, and as many that are not there.
  void find() {
    std::vector<Request> mine;
    for (const int r : {rank_, (rank_ + 1) % shape_.ranks})
      for (const Word key : keys_of(r)) mine.push_back({What::find, key, 0, false});
    for (std::size_t i = 0; i < keys_of(rank_).size(); ++i) mine.push_back({What::find, Keys::absent(i), 0, false});
    variant_.run(mine);
    for (const Request &request : mine) {
      const auto right = serial_.find(request.key);
      if (request.done != (right != serial_.end()))
        note(named(request.key) + (request.done ? " was found, and is not there" : " was not found"));
      else if (request.done && request.value != right->second)
        note(named(request.key) + " has value " + std::to_string(request.value) + ", not " + std::to_string(right->second));
    }
  }

  void erase() {
    std::vector<Request> mine = requests_for(keys_of(rank_), What::erase, rank_, is_erased);
    variant_.run(mine);
    const auto done = all_done(mine, shape_.ranks);
    for (int r = 0; r < shape_.ranks; ++r) {
      const std::vector<Request> theirs = requests_for(keys_of(r), What::erase, r, is_erased);
      for (std::size_t i = 0; i < theirs.size(); ++i)
        if (done[static_cast<std::size_t>(r)][i] && serial_.erase(theirs[i].key) == 0)
          note(named(theirs[i].key) + " was erased twice, the second time by rank " + std::to_string(r));
    }
    for (const Request &request : mine)
      if (serial_.count(request.key)) note(named(request.key) + " was erased by no rank");
  }

  /// All ranks insert and erase the same few keys. In the end a key is there if it was inserted once more than erased.
  void quarrel() {
    constexpr std::size_t kFew = 8, kRounds = 16;
    std::vector<Request> mine;
    for (std::size_t i = 0; i < kFew * kRounds; ++i) {
      const Word die = mixed((static_cast<Word>(rank_) << 32) + i + 1);
      mine.push_back({die % 2 == 0 ? What::insert : What::erase, Keys::absent((die >> 8) % kFew), value_of(rank_, i), false});
    }
    variant_.run(mine);
    std::vector<long long> there(kFew);
    for (const Request &request : mine)
      for (std::size_t i = 0; i < kFew; ++i)
        if (request.done && request.key == Keys::absent(i)) there[i] += request.what == What::insert ? 1 : -1;
    MPI_Allreduce(MPI_IN_PLACE, there.data(), kFew, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    std::vector<Request> looks;
    for (std::size_t i = 0; i < kFew; ++i) looks.push_back({What::find, Keys::absent(i), 0, false});
    variant_.run(looks);
    for (std::size_t i = 0; i < kFew; ++i)
      if (there[i] != (looks[i].done ? 1 : 0))
        note(named(looks[i].key) + " was inserted " + std::to_string(there[i]) + " times more than erased, and was " +
             (looks[i].done ? "" : "not ") + "found");
  }

  /// My own chains: each key once, in the chain where it belongs, and no chain without end.
  std::string scan() const {
    const std::span<const Word> part = variant_.part();
    std::unordered_set<Word> seen;
    for (std::int64_t bucket = 1; bucket <= shape_.buckets; ++bucket)
      for (std::int64_t cell = bucket; cell != 0; cell = static_cast<std::int64_t>(at(part, cell, kNext))) {
        const Word key = at(part, cell, kKey);
        if (key == 0) break;
        if (!seen.insert(key).second) return named(key) + " is twice in the memory of rank " + std::to_string(rank_);
        const Home home = home_of(key, shape_);
        if (home.rank != rank_ || home.cell != bucket) return named(key) + " is in a wrong chain of rank " + std::to_string(rank_);
      }
    return "";
  }
  static Word at(std::span<const Word> part, std::int64_t cell, Field field) {
    return part[static_cast<std::size_t>(word_of(cell, field))];
  }

  Variant &variant_;
  const std::function<void(const std::string &)> &begins_;
  Digest &content_;
  const Shape &shape_;
  int rank_;
  std::vector<std::vector<Word>> keys_;  // of all ranks
  Serial serial_;
  std::string wrong_;
};

}  // namespace

std::string check(Variant &variant, const CheckSetup &setup) {
  std::string wrong = Check(variant, setup).run();
  variant.clear();
  return wrong;
}

}  // namespace hashtable
