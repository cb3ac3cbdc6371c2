// The 15 fields of CloverLeaf, of four centrings. One plan with shapes is compared with a plan per centring, and with messages that are packed
// by hand. CloverLeaf packs them so, with all fields in one message per neighbour: here from the same memory, and from memory of malloc, as a
// program has it that does not use Halocline. All of them verify what they deliver, and are measured in turn in one run. Rank 0 prints the
// medians, the ratios and their spread. The limit beside them is a loop that touches the cache lines of the swapped cells, and no more.
//
//     mpiexec -n 2 halocline_staggered_bench [--cells 480,960] [--mode direct] [--repetitions 25] [--sample-ms 20]
//
// Source of the fields: UK-MAC, CloverLeaf_ref, update_halo and clover.f90 (clover_pack_message_left and its like).
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <halocline/halocline.h>
#include <mpi.h>

namespace {

constexpr int kDeepest = 2;

void check(hlc_status status) {
  if (status == HLC_OK) return;
  std::fprintf(stderr, "%s\n", hlc_error_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

struct Options {
  std::int64_t cells[2] = {480, 960};
  int repetitions = 25;
  double sample_s = 0.02;
  hlc_mode mode = HLC_MODE_DEFAULT;
};

Options read(int argc, char **argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--cells" && std::sscanf(value.c_str(), "%ld,%ld", &options.cells[0], &options.cells[1]) == 2) continue;
    if (name == "--mode" && hlc_mode_from_name(value.c_str(), &options.mode) == HLC_OK) continue;
    if (name == "--repetitions" && (options.repetitions = std::atoi(value.c_str())) > 0) continue;
    if (name == "--sample-ms" && (options.sample_s = std::atof(value.c_str()) / 1000) > 0) continue;
    std::fprintf(stderr, "halocline_staggered_bench: %s %s is no option\n", argv[i], argv[i + 1]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return options;
}

struct Kind {
  const char *name;
  int centring;  // 0 cells, 1 nodes along both dimensions, 2 along x, 3 along y
};
constexpr int kCentrings = 4;
constexpr bool kOnNodes[kCentrings][2] = {{false, false}, {true, true}, {true, false}, {false, true}};
constexpr Kind kKinds[] = {{"density0", 0},  {"density1", 0},   {"energy0", 0},     {"energy1", 0},    {"pressure", 0},
                           {"viscosity", 0}, {"soundspeed", 0}, {"xvel0", 1},       {"xvel1", 1},      {"yvel0", 1},
                           {"yvel1", 1},     {"vol_flux_x", 2}, {"mass_flux_x", 2}, {"vol_flux_y", 3}, {"mass_flux_y", 3}};
constexpr int kFields = static_cast<int>(std::size(kKinds));

/// A field with a halo of kDeepest values; x is contiguous.
struct Array {
  double *data = nullptr;
  std::int64_t nodes[2] = {}, block[2] = {}, first[2] = {};  // block: values without halo
  std::int64_t extent(int d) const { return block[d] + 2 * kDeepest; }
  double &at(std::int64_t i, std::int64_t j) const { return data[(i + kDeepest) + extent(0) * (j + kDeepest)]; }
};

enum class Memory { of_halocline, of_malloc };

class Fields {
 public:
  Fields(hlc_context *context, const hlc_grid &grid, Memory kind) : context_(context), grid_(grid), kind_(kind) {
    for (int f = 0; f < kFields; ++f) {
      Array &array = arrays_[static_cast<std::size_t>(f)];
      for (int d = 0; d < 2; ++d) {
        array.nodes[d] = kOnNodes[kKinds[f].centring][d] ? 1 : 0;
        array.block[d] = grid.local[d] + array.nodes[d];
        array.first[d] = grid.start[d];
      }
      array.data = static_cast<double *>(allocate(static_cast<std::size_t>(array.extent(0) * array.extent(1)) * sizeof(double)));
    }
  }
  ~Fields() {
    for (Array &array : arrays_) {
      void *memory = array.data;
      kind_ == Memory::of_malloc ? std::free(memory) : check(hlc_field_free(context_, &memory));
    }
  }
  Fields(const Fields &) = delete;
  Fields &operator=(const Fields &) = delete;

  const Array &operator[](int f) const { return arrays_[static_cast<std::size_t>(f)]; }

  /// Writes the block, and poison around it.
  void fill(double step) {
    for (int f = 0; f < kFields; ++f)
      for_each(f, kDeepest, [&](std::int64_t i, std::int64_t j, double &value) { value = in_block(f, i, j) ? number(f, i, j, step) : -1; });
  }
  /// Whether the halo is right as deep as it was swapped, and poison behind that and beyond the grid.
  bool is_right(double step, int depth) const {
    bool right = true;
    for (int f = 0; f < kFields; ++f)
      for_each(f, kDeepest, [&](std::int64_t i, std::int64_t j, double &value) {
        const bool near = i >= -depth && i < (*this)[f].block[0] + depth && j >= -depth && j < (*this)[f].block[1] + depth;
        right = right && value == (near && in_grid(f, i, j) ? number(f, i, j, step) : -1);
      });
    return right;
  }
  /// What a step of the model does to the cells that neighbours need: they are in this core's cache, and no other's.
  void touch() {
    for (int f = 0; f < kFields; ++f) {
      const Array &a = (*this)[f];
      for (std::int64_t j = 0; j < a.block[1]; ++j) {
        const bool whole = j <= kDeepest || j >= a.block[1] - kDeepest - 1;
        for (std::int64_t i = 0; i < a.block[0]; ++i) {
          if (!whole && i == kDeepest + 1) i = std::max(i, a.block[0] - kDeepest - 1);
          a.at(i, j) += 1;
        }
      }
    }
  }

 private:
  void *allocate(std::size_t bytes) {
    void *memory = nullptr;
    if (kind_ == Memory::of_halocline)
      check(hlc_field_alloc(context_, bytes, &memory));
    else if (!(memory = std::malloc(bytes)))
      MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
  }
  template <class Visit>
  void for_each(int f, std::int64_t depth, Visit visit) const {
    const Array &a = (*this)[f];
    for (std::int64_t j = -depth; j < a.block[1] + depth; ++j)
      for (std::int64_t i = -depth; i < a.block[0] + depth; ++i) visit(i, j, a.at(i, j));
  }
  bool in_block(int f, std::int64_t i, std::int64_t j) const {
    const Array &a = (*this)[f];
    return i >= 0 && j >= 0 && i < a.block[0] && j < a.block[1];
  }
  bool in_grid(int f, std::int64_t i, std::int64_t j) const {
    const Array &a = (*this)[f];
    const std::int64_t x = a.first[0] + i, y = a.first[1] + j;
    return x >= 0 && y >= 0 && x < grid_.global[0] + a.nodes[0] && y < grid_.global[1] + a.nodes[1];
  }
  double number(int f, std::int64_t i, std::int64_t j, double step) const {
    const Array &a = (*this)[f];
    return ((step * kFields + f) * 10000 + static_cast<double>(a.first[0] + i)) * 10000 + static_cast<double>(a.first[1] + j);
  }

  hlc_context *context_;
  hlc_grid grid_;
  Memory kind_;
  std::array<Array, kFields> arrays_;
};

hlc_halo *make_plan(hlc_context *context, const hlc_grid &grid, const Fields &fields, const std::vector<int> &members, hlc_mode mode) {
  std::vector<hlc_field> listed;
  std::vector<hlc_field_shape> shapes;
  for (const int f : members) {
    listed.push_back({fields[f].data, HLC_FLOAT64, 0, {}, kKinds[f].name});
    hlc_field_shape shape{};
    for (int d = 0; d < 2; ++d) shape.stagger[d] = fields[f].nodes[d] ? HLC_NODES_SHARED : HLC_CENTRED;
    shapes.push_back(shape);
  }
  hlc_halo_spec spec{};
  spec.grid = &grid;
  for (int d = 0; d < 2; ++d) spec.depth_low[d] = spec.depth_high[d] = kDeepest;
  spec.layout = HLC_COLUMN_MAJOR;
  spec.nfields = static_cast<int>(listed.size());
  spec.fields = listed.data();
  spec.shapes = shapes.data();
  spec.mode = mode;
  hlc_halo *halo = nullptr;
  check(hlc_halo_init(context, &spec, &halo));
  return halo;
}

/// Several plans that are swapped together.
class Plans {
 public:
  Plans(hlc_context *context, const hlc_grid &grid, const Fields &fields, bool one, hlc_mode mode) {
    for (int centring = 0; centring < (one ? 1 : kCentrings); ++centring) {
      std::vector<int> members;
      for (int f = 0; f < kFields; ++f)
        if (one || kKinds[f].centring == centring) members.push_back(f);
      plans_.push_back(make_plan(context, grid, fields, members, mode));
    }
  }
  ~Plans() {
    for (hlc_halo *&plan : plans_) check(hlc_halo_finalise(&plan));
  }
  Plans(const Plans &) = delete;
  Plans &operator=(const Plans &) = delete;

  void swap(int depth) {
    hlc_swap what{};
    what.depth = depth;
    for (hlc_halo *plan : plans_) check(hlc_halo_start(plan, &what));
    for (hlc_halo *plan : plans_) check(hlc_halo_finish(plan));
  }
  const char *mode() const {
    hlc_plan_info info{};
    check(hlc_halo_info(plans_.front(), &info));
    return hlc_mode_name(info.mode);
  }

 private:
  std::vector<hlc_halo *> plans_;
};

/// What a swap touches of the fields.
struct Touched {
  std::int64_t lines = 0, pages = 0;
};

/// As CloverLeaf: along x first, then along y with the halo that has arrived, so that corners travel with the faces. One message per side has
/// all fields.
class ByHand {
 public:
  ByHand(const hlc_grid &grid, const Fields &fields) : fields_(fields) {
    for (int d = 0; d < 2; ++d)
      for (const int side : {0, 1}) {
        int coords[HLC_MAX_DIMS] = {grid.coords[0], grid.coords[1]};
        coords[d] += side ? 1 : -1;
        Side &made = sides_[static_cast<std::size_t>(2 * d + side)];
        made.rank = hlc_grid_rank(&grid, coords);
        std::int64_t most = 0;
        for (int f = 0; f < kFields; ++f) most += kDeepest * fields[f].extent(1 - d);
        made.out.resize(static_cast<std::size_t>(most));
        made.in.resize(static_cast<std::size_t>(most));
      }
  }

  void swap(int depth) {
    for (int d = 0; d < 2; ++d) {
      MPI_Request requests[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
      for (const int side : {0, 1}) {
        Side &now = at(d, side);
        if (now.rank == HLC_NO_NEIGHBOUR) continue;
        const int count = walk(d, side, depth, now.out, Way::pack);
        MPI_Irecv(now.in.data(), count, MPI_DOUBLE, now.rank, 10 * d + 1 - side, MPI_COMM_WORLD, &requests[side]);
        MPI_Isend(now.out.data(), count, MPI_DOUBLE, now.rank, 10 * d + side, MPI_COMM_WORLD, &requests[2 + side]);
      }
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
      for (const int side : {0, 1})
        if (at(d, side).rank != HLC_NO_NEIGHBOUR) walk(d, side, depth, at(d, side).in, Way::unpack);
    }
  }

  /// The lines and pages of the cells that a swap reads or writes, each counted once. Messages are not among them.
  Touched count(int depth) {
    std::set<std::uintptr_t> lines, pages;
    for_each_line(depth, [&](Way, double *value) {
      lines.insert(reinterpret_cast<std::uintptr_t>(value) / kLine);
      pages.insert(reinterpret_cast<std::uintptr_t>(value) / kPage);
    });
    return {static_cast<std::int64_t>(lines.size()), static_cast<std::int64_t>(pages.size())};
  }
  /// Reads a value in each line that is packed, and writes one in each that is filled.
  void touch_lines(int depth) {
    double sum = 0;
    for_each_line(depth, [&](Way way, double *value) { way == Way::pack ? sum += *value : *value = 1; });
    static_cast<volatile double &>(sum_) = sum;
  }

 private:
  static constexpr std::uintptr_t kLine = 64, kPage = 4096;
  struct Side {
    int rank = HLC_NO_NEIGHBOUR;
    std::vector<double> out, in;
  };
  enum class Way { pack, unpack };
  Side &at(int d, int side) { return sides_[static_cast<std::size_t>(2 * d + side)]; }

  /// Calls visit for one value in each line of each row.
  template <class Visit>
  void for_each_line(int depth, Visit visit) {
    for (int s = 0; s < 4; ++s)
      for (const Way way : {Way::pack, Way::unpack})
        if (sides_[static_cast<std::size_t>(s)].rank != HLC_NO_NEIGHBOUR)
          for_each_row(s / 2, s % 2, depth, way, [&](double *cells, std::size_t run) {
            for (std::size_t i = 0; i < run; i += kLine / sizeof(double)) visit(way, cells + i);
            if (reinterpret_cast<std::uintptr_t>(cells + run - 1) / kLine != line_of_last(cells, run)) visit(way, cells + run - 1);
          });
  }
  /// The line of the last value whose distance from the first is whole lines.
  static std::uintptr_t line_of_last(const double *cells, std::size_t run) {
    constexpr std::size_t kValues = kLine / sizeof(double);
    return reinterpret_cast<std::uintptr_t>(cells + (run - 1) / kValues * kValues) / kLine;
  }

  /// Calls visit(first value, values) for each row of one side, of all arrays: of cells that are packed, or of those that are filled.
  template <class Visit>
  void for_each_row(int d, int side, int depth, Way way, Visit visit) {
    for (int f = 0; f < kFields; ++f) {
      const Array &a = fields_[f];
      const std::int64_t n = a.block[d];
      // Of shared nodes the first that is sent is behind the one between the two ranks.
      const std::int64_t packed = side ? n - a.nodes[d] - depth : a.nodes[d], filled = side ? n : -depth;
      const std::int64_t first = way == Way::pack ? packed : filled, beside = d == 0 ? 0 : depth;
      std::int64_t from[2] = {-beside, -beside}, to[2] = {a.block[0] + beside, a.block[1] + beside};
      from[d] = first, to[d] = first + depth;
      if (d == 1) from[0] = std::max(from[0], -static_cast<std::int64_t>(at(0, 0).rank == HLC_NO_NEIGHBOUR ? 0 : depth));
      if (d == 1) to[0] = a.block[0] + (at(0, 1).rank == HLC_NO_NEIGHBOUR ? 0 : depth);
      for (std::int64_t j = from[1]; j < to[1]; ++j) visit(&a.at(from[0], j), static_cast<std::size_t>(to[0] - from[0]));
    }
  }

  /// Values of one side, between a message and all arrays. Returns their number.
  int walk(int d, int side, int depth, std::vector<double> &message, Way way) {
    double *next = message.data();
    for_each_row(d, side, depth, way, [&](double *cells, std::size_t run) {
      // CloverLeaf's loops move value by value; so do short copies here.
      if (run <= 4)
        for (std::size_t i = 0; i < run; ++i) (way == Way::pack ? next[i] : cells[i]) = way == Way::pack ? cells[i] : next[i];
      else
        std::memcpy(way == Way::pack ? next : cells, way == Way::pack ? cells : next, run * sizeof(double));
      next += run;
    });
    return static_cast<int>(next - message.data());
  }

  const Fields &fields_;
  std::array<Side, 4> sides_;
  double sum_ = 0;
};

struct Contender {
  const char *name;
  Fields *fields;
  std::function<void(int)> swap;
  bool chooses, delivers;  // whether it may be in mode auto; whether it swaps, else it is a limit
  std::vector<double> times;  // seconds per swap, one per repetition: the slowest rank's
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double least(const std::vector<double> &values) { return *std::min_element(values.begin(), values.end()); }

/// Seconds of a swap, the mean of as many as fill a sample. Only the swaps are timed.
double time_swaps(const Contender &contender, int depth, int swaps) {
  double spent = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < swaps; ++i) {
    contender.fields->touch();
    const double begin = MPI_Wtime();
    contender.swap(depth);
    spent += MPI_Wtime() - begin;
  }
  MPI_Allreduce(MPI_IN_PLACE, &spent, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return spent / swaps;
}

bool verify(const Contender &contender, int depth) {
  if (!contender.delivers) return true;
  Fields &fields = *contender.fields;
  int right = 1;
  for (int step = 1; step <= 3; ++step) {
    fields.fill(step);
    MPI_Barrier(MPI_COMM_WORLD);
    contender.swap(depth);
    right = right && fields.is_right(step, depth);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return right;
}

/// Medians and least times, and of the ratios to the first contender the median, the least and the most. Where other programs use the cores,
/// the least times say more.
void print(const std::vector<Contender> &contenders, int depth) {
  for (const Contender &one : contenders) {
    std::vector<double> ratios;
    for (std::size_t r = 0; r < one.times.size(); ++r) ratios.push_back(one.times[r] / contenders.front().times[r]);
    std::sort(ratios.begin(), ratios.end());
    const std::size_t quarter = ratios.size() / 4;
    std::printf(
        "depth %d  %-22s %9.2f us, at least %9.2f  %5.2f times the first (half of the samples %.2f to %.2f, all %.2f to %.2f), the least "
        "%.2f "
        "times\n",
        depth, one.name, 1e6 * median(one.times), 1e6 * least(one.times), median(ratios), ratios[quarter],
        ratios[ratios.size() - 1 - quarter], ratios.front(), ratios.back(), least(one.times) / least(contenders.front().times));
  }
}

int run(hlc_context *context, const Options &options) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  hlc_grid grid{};
  // Along x first, as CloverLeaf splits a square domain over two ranks.
  const int along_x = size % 2 ? size : 2, along_y = size / along_x;
  const std::int64_t global[] = {along_x * options.cells[0], along_y * options.cells[1]};
  const int dims[] = {along_x, along_y};
  check(hlc_grid_create(context, 2, global, dims, nullptr, &grid));
  Fields fields(context, grid, Memory::of_halocline), others(context, grid, Memory::of_malloc);
  Plans one(context, grid, fields, true, options.mode), four(context, grid, fields, false, options.mode);
  ByHand by_hand(grid, fields), from_malloc(grid, others);
  std::vector<Contender> contenders = {
      {"one plan", &fields, [&](int depth) { one.swap(depth); }, true, true, {}},
      {"four plans", &fields, [&](int depth) { four.swap(depth); }, true, true, {}},
      {"packed and sent by hand", &fields, [&](int depth) { by_hand.swap(depth); }, false, true, {}},
      {"by hand, from malloc", &others, [&](int depth) { from_malloc.swap(depth); }, false, true, {}},
      {"the lines alone", &fields, [&](int depth) { by_hand.touch_lines(depth); }, false, false, {}},
      {"lines, from malloc", &others, [&](int depth) { from_malloc.touch_lines(depth); }, false, false, {}}};
  for (const int depth : {2, 1}) {
    for (Contender &contender : contenders) {
      contender.times.clear();
      if (verify(contender, depth)) continue;
      if (rank == 0) std::printf("WRONG HALO: %s, depth %d\n", contender.name, depth);
      return EXIT_FAILURE;
    }
    // Mode auto has to have chosen: 60 swaps and more of each depth. The others have nothing to choose.
    std::vector<int> swaps;
    for (const Contender &contender : contenders) {
      const double warm = time_swaps(contender, depth, contender.chooses ? 150 : 20);
      swaps.push_back(std::max(1, static_cast<int>(options.sample_s / warm)));
    }
    for (int r = 0; r < options.repetitions; ++r)
      for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
        // Each contender is the first of its turn equally often.
        const std::size_t c = (turn + static_cast<std::size_t>(r)) % contenders.size();
        contenders[c].times.push_back(time_swaps(contenders[c], depth, swaps[c]));
      }
    if (rank != 0) continue;
    if (depth == 2)
      std::printf("%d fields of 4 centrings, %ld x %ld cells per rank, %d ranks, mode %s and, with four plans, %s\n", kFields,
                  static_cast<long>(options.cells[0]), static_cast<long>(options.cells[1]), size, one.mode(), four.mode());
    const Touched touched = by_hand.count(depth);
    std::printf("depth %d  rank 0 touches %lld lines of 64 bytes in %lld stretches of 4 KiB of its fields\n", depth,
                static_cast<long long>(touched.lines), static_cast<long long>(touched.pages));
    print(contenders, depth);
  }
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const Options options = read(argc, argv);
  hlc_context *context = nullptr;
  check(hlc_init(MPI_COMM_WORLD, &context));
  const int status = run(context, options);
  check(hlc_finalise(&context));
  MPI_Finalize();
  return status;
}
