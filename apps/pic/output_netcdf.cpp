// SPDX-License-Identifier: BSD-3-Clause
#include "output.hpp"

#include <common/replace_file.hpp>

#include <netcdf.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace pic {
namespace {

void need(int status, const std::string &path, const char *what) {
  if (status != NC_NOERR) throw std::runtime_error(path + ": " + what + ": " + nc_strerror(status) + common::if_full(path));
}

/// The bytes of all ranks, in the order of ranks, on rank 0.
template <class T>
std::vector<T> gathered(const std::vector<T> &mine) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<T> all;
  if (rank == 0) all = mine;
  for (int from = 1; from < size; ++from) {
    std::uint64_t count = mine.size();
    if (rank == from) {
      MPI_Send(&count, 1, MPI_UINT64_T, 0, 1, MPI_COMM_WORLD);
      MPI_Send(mine.data(), static_cast<int>(count * sizeof(T)), MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    } else if (rank == 0) {
      MPI_Recv(&count, 1, MPI_UINT64_T, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      all.resize(all.size() + count);
      MPI_Recv(all.data() + all.size() - count, static_cast<int>(count * sizeof(T)), MPI_BYTE, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  return all;
}

/// A number of each cell, with the cell of the whole grid.
struct CellValue {
  std::uint64_t cell;
  double value;
};

/// One number of an array on the whole grid, x, y, z, z fastest; on rank 0.
std::vector<double> whole_field(const Block &block, const Array &array, int number) {
  std::vector<CellValue> mine;
  for_own(block, [&](std::size_t cell, auto, std::int64_t i, std::int64_t j, std::int64_t k) {
    const std::int64_t place = ((block.start(0) + i) * block.global(1) + block.start(1) + j) * block.global(2) + block.start(2) + k;
    mine.push_back({static_cast<std::uint64_t>(place), array.at(cell)[number]});
  });
  std::vector<double> whole(static_cast<std::size_t>(block.global_cells()));
  for (const CellValue &one : gathered(mine)) whole[one.cell] = one.value;
  return whole;
}

bool is_first() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}

constexpr const char *kFields[6] = {"electric_x", "electric_y", "electric_z", "magnetic_x", "magnetic_y", "magnetic_z"};
constexpr const char *kCharge = "charge_density_of_species", *kRatio = "charge_to_mass_of_species";
/// What a state of particles depends on, and a run that goes on must have, too.
std::pair<std::vector<double>, std::vector<double>> of_species(const Model &model) {
  std::pair<std::vector<double>, std::vector<double>> numbers;
  for (const Species &species : model.state().species) {
    numbers.first.push_back(species.charge_density);
    numbers.second.push_back(species.charge_to_mass);
  }
  return numbers;
}

constexpr int kNumbers = 7;  ///< of a particle: x, v, charge

}  // namespace

/// Ids of the file, on rank 0.
struct Output::File {
  std::string path, part;  ///< part: the file that is written, until it is complete
  int id = -1;
  std::size_t record = 0;
  int time = -1, fields[6] = {}, state_step = -1;
  int state_fields[6] = {};
  std::vector<int> density, particles, ids;

  /// What could not be written is not left beside an old file. The error ends the program without destructors.
  void check(int status, const char *what) const {
    if (status == NC_NOERR) return;
    const std::string full = common::if_full(part);
    std::error_code ignored;
    if (part != path) std::filesystem::remove(part, ignored);
    throw std::runtime_error(path + ": " + what + ": " + nc_strerror(status) + full);
  }
  int variable(const char *name, nc_type type, const std::vector<int> &dims, const char *units, const char *long_name) const {
    int made = -1;
    check(nc_def_var(id, name, type, static_cast<int>(dims.size()), dims.data(), &made), name);
    check(nc_put_att_text(id, made, "units", std::strlen(units), units), name);
    check(nc_put_att_text(id, made, "long_name", std::strlen(long_name), long_name), name);
    return made;
  }
  void mark_axis(int coordinate, const char *letter) const { check(nc_put_att_text(id, coordinate, "axis", 1, letter), "axis"); }
  int dimension(const std::string &name, std::size_t size) const {
    int made = -1;
    check(nc_def_dim(id, name.c_str(), size, &made), name.c_str());
    return made;
  }
  void define(const Model &model, const std::vector<std::int64_t> &counts);
  void define_species(const Model &model, std::size_t s, const std::vector<int> &cells, std::int64_t count);
  void write_axes(const Block &block) const;
};

void Output::File::define(const Model &model, const std::vector<std::int64_t> &counts) {
  check(nc_create(part.c_str(), NC_CLOBBER | NC_NETCDF4, &id), "cannot be made");
  const auto text = [&](const char *name, const std::string &value) {
    check(nc_put_att_text(id, NC_GLOBAL, name, value.size(), value.c_str()), name);
  };
  text("Conventions", "CF-1.10");
  text("title", model.options().title);
  text("source", "pic, a mini-app of Halocline; case: " + model.options().source);
  const double step = model.options().time_step;
  check(nc_put_att_double(id, NC_GLOBAL, "time_step", NC_DOUBLE, 1, &step), "time_step");
  check(nc_put_att_double(id, NC_GLOBAL, "length", NC_DOUBLE, 3, model.options().length.data()), "length");
  const auto [charges, ratios] = of_species(model);
  if (!charges.empty()) check(nc_put_att_double(id, NC_GLOBAL, kCharge, NC_DOUBLE, charges.size(), charges.data()), kCharge);
  if (!charges.empty()) check(nc_put_att_double(id, NC_GLOBAL, kRatio, NC_DOUBLE, ratios.size(), ratios.data()), kRatio);
  const int records = dimension("time", NC_UNLIMITED);
  std::vector<int> cells;
  for (int d = 0; d < 3; ++d) cells.push_back(dimension(std::string(1, "xyz"[d]), static_cast<std::size_t>(model.block().global(d))));
  time = variable("time", NC_DOUBLE, {records}, "1", "time in units of the inverse plasma frequency");
  mark_axis(time, "T");
  for (int d = 0; d < 3; ++d)
    mark_axis(variable(std::string(1, "xyz"[d]).c_str(), NC_DOUBLE, {cells[static_cast<std::size_t>(d)]}, "1",
                       "cell centres in units of the inertial length"),
              std::string(1, "XYZ"[d]).c_str());
  const std::vector<int> in_time = {records, cells[0], cells[1], cells[2]};
  for (int f = 0; f < 6; ++f) {
    const char *place = f < 3 ? "electric field at the low corner of each cell" : "magnetic field in the middle of each cell";
    fields[f] = variable(kFields[f], NC_DOUBLE, in_time, "1", place);
    state_fields[f] = variable((std::string("state_") + kFields[f]).c_str(), NC_DOUBLE, cells, "1", "to go on from");
  }
  state_step = variable("state_step", NC_INT64, {}, "1", "steps that the state to go on from has made");
  for (std::size_t s = 0; s < counts.size(); ++s) define_species(model, s, cells, counts[s]);
  check(nc_enddef(id), "definitions");
  write_axes(model.block());
}

void Output::File::define_species(const Model &model, std::size_t s, const std::vector<int> &cells, std::int64_t count) {
  const std::string name = model.state().species[s].name;
  int records = -1;
  check(nc_inq_dimid(id, "time", &records), "time");
  density.push_back(variable(("charge_density_" + name).c_str(), NC_DOUBLE, {records, cells[0], cells[1], cells[2]}, "1",
                             "charge per volume, half a time step ahead"));
  const int all = dimension("particles_" + name, static_cast<std::size_t>(count)), numbers = dimension("numbers_" + name, kNumbers);
  particles.push_back(
      variable(("state_" + name).c_str(), NC_DOUBLE, {all, numbers}, "1", "x y z, half a time step ahead, vx vy vz, charge"));
  ids.push_back(variable(("state_id_" + name).c_str(), NC_UINT64, {all}, "1", "number of the particle"));
}

void Output::File::write_axes(const Block &block) const {
  for (int d = 0; d < 3; ++d) {
    int axis = -1;
    check(nc_inq_varid(id, std::string(1, "xyz"[d]).c_str(), &axis), "axis");
    std::vector<double> centres;
    for (std::int64_t i = 0; i < block.global(d); ++i) centres.push_back((static_cast<double>(i) + 0.5) * block.spacing(d));
    check(nc_put_var_double(id, axis, centres.data()), "axis");
  }
}

Output::Output(const std::string &path, const Model &model) : file_(std::make_unique<File>()) {
  file_->path = path;
  file_->part = std::filesystem::exists(path) ? common::first_written(path) : path;
  std::vector<std::int64_t> counts;
  for (const Species &species : model.state().species) counts.push_back(static_cast<std::int64_t>(species.particles.size()));
  MPI_Allreduce(MPI_IN_PLACE, counts.data(), static_cast<int>(counts.size()), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (is_first()) file_->define(model, counts);
}

Output::~Output() {
  if (file_->id >= 0) nc_close(file_->id);
}

void Output::close() {
  if (!is_first()) return;
  file_->check(nc_close(std::exchange(file_->id, -1)), "end of the file");
  if (file_->part == file_->path) return;
  common::store(file_->part);
  std::filesystem::rename(file_->part, file_->path);
  file_->part = file_->path;
}

void Output::write_record(const Model &model) {
  const Block &block = model.block();
  const std::size_t start[4] = {file_->record, 0, 0, 0};
  const std::size_t count[4] = {1, static_cast<std::size_t>(block.global(0)), static_cast<std::size_t>(block.global(1)),
                                static_cast<std::size_t>(block.global(2))};
  const double time = model.time();
  if (is_first()) file_->check(nc_put_var1_double(file_->id, file_->time, start, &time), "time");
  const auto put = [&](const std::vector<double> &whole, int variable) {
    if (is_first()) file_->check(nc_put_vara_double(file_->id, variable, start, count, whole.data()), "record");
  };
  for (int f = 0; f < 6; ++f) put(whole_field(block, f < 3 ? model.state().electric : model.state().magnetic, f % 3), file_->fields[f]);
  for (std::size_t s = 0; s < model.state().species.size(); ++s)
    put(whole_field(block, model.density(), static_cast<int>(s)), is_first() ? file_->density[s] : -1);
  if (is_first()) file_->check(nc_sync(file_->id), "record");
  ++file_->record;
}

void Output::write_state(const Model &model) {
  for (int f = 0; f < 6; ++f) {
    const std::vector<double> whole = whole_field(model.block(), f < 3 ? model.state().electric : model.state().magnetic, f % 3);
    if (is_first()) file_->check(nc_put_var_double(file_->id, file_->state_fields[f], whole.data()), "state");
  }
  for (std::size_t s = 0; s < model.state().species.size(); ++s) {
    std::vector<Particle> all = gathered(model.state().species[s].particles);
    if (!is_first()) continue;
    std::sort(all.begin(), all.end(), [](const Particle &a, const Particle &b) { return a.id < b.id; });
    std::vector<double> numbers;
    std::vector<unsigned long long> ids;
    for (const Particle &p : all) {
      numbers.insert(numbers.end(), {p.x[0], p.x[1], p.x[2], p.v[0], p.v[1], p.v[2], p.charge});
      ids.push_back(p.id);
    }
    file_->check(nc_put_var_double(file_->id, file_->particles[s], numbers.data()), "particles");
    file_->check(nc_put_var_ulonglong(file_->id, file_->ids[s], ids.data()), "particles");
  }
  const long long step = model.state().step;
  if (is_first()) file_->check(nc_put_var_longlong(file_->id, file_->state_step, &step), "step");
  if (is_first()) file_->check(nc_sync(file_->id), "state");
}

void write_checkpoint(const std::string &path, const Model &model) {
  const auto write = [&](const std::string &part) {
    Output file(part, model);
    file.write_state(model);
    file.close();
  };
  if (is_first())
    common::replace_file(path, write);
  else
    write(path);
}

namespace {

/// The file of --restart, read by every rank.
class Reader {
  static std::string listed(const std::vector<double> &numbers) {
    std::ostringstream text;
    for (const double number : numbers) text << (text.tellp() > 0 ? ", " : "") << number;
    return text.str();
  }

 public:
  explicit Reader(const std::string &path) : path_(path) {
    need(nc_open(path.c_str(), NC_NOWRITE, &id_), "--restart " + path, "cannot be read");
    int step = -1;
    if (nc_inq_varid(id_, "state_step", &step) != NC_NOERR)
      throw std::runtime_error("--restart " + path + ": it has no state of pic; give what --output or --checkpoint wrote");
  }
  Reader(const Reader &) = delete;
  Reader &operator=(const Reader &) = delete;
  ~Reader() { nc_close(id_); }

  std::size_t dimension(const std::string &name) const {
    int dim = -1;
    std::size_t size = 0;
    need(nc_inq_dimid(id_, name.c_str(), &dim), path_, name.c_str());
    need(nc_inq_dimlen(id_, dim, &size), path_, name.c_str());
    return size;
  }
  int variable(const std::string &name) const {
    int found = -1;
    need(nc_inq_varid(id_, name.c_str(), &found), path_, name.c_str());
    return found;
  }
  std::vector<double> numbers(const std::string &name, std::size_t count) const {
    std::vector<double> all(count);
    need(nc_get_var_double(id_, variable(name), all.data()), path_, name.c_str());
    return all;
  }
  std::vector<unsigned long long> whole_numbers(const std::string &name, std::size_t count) const {
    std::vector<unsigned long long> all(count);
    need(nc_get_var_ulonglong(id_, variable(name), all.data()), path_, name.c_str());
    return all;
  }
  /// Of the state to go on from, which is written at the end: before, the file has NetCDF's value for what is missing.
  std::int64_t step() const {
    long long step = 0;
    need(nc_get_var_longlong(id_, variable("state_step"), &step), path_, "state_step");
    if (step < 0) throw std::runtime_error("--restart " + path_ + ": it has no state to go on from; the run that made it did not end");
    return step;
  }
  void expect(const char *attribute, const std::vector<double> &wanted) const {
    std::vector<double> found(wanted.size());
    std::size_t length = 0;
    need(nc_inq_attlen(id_, NC_GLOBAL, attribute, &length), path_, attribute);
    if (length != wanted.size())
      throw std::runtime_error("--restart " + path_ + ": its " + attribute + " has " + std::to_string(length) + " numbers, the case " +
                               std::to_string(wanted.size()) + "; use the case that wrote it");
    need(nc_get_att_double(id_, NC_GLOBAL, attribute, found.data()), path_, attribute);
    if (found != wanted)
      throw std::runtime_error("--restart " + path_ + ": its " + attribute + " is " + listed(found) + ", that of the case " +
                               listed(wanted) + "; use the case that wrote it");
  }

 private:
  std::string path_;
  int id_ = -1;
};

void read_particles(const Reader &file, const Block &block, int rank, Species &species) {
  const std::size_t count = file.dimension("particles_" + species.name);
  const std::vector<double> numbers = file.numbers("state_" + species.name, count * kNumbers);
  const std::vector<unsigned long long> ids = file.whole_numbers("state_id_" + species.name, count);
  const Shape shape(block, 0);
  species.particles.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const double *n = numbers.data() + i * kNumbers;
    if (block.owner(shape.cell_of(n)) != rank) continue;
    species.particles.push_back({{n[0], n[1], n[2]}, {n[3], n[4], n[5]}, n[6], ids[i]});
  }
}

}  // namespace

void read_state(const std::string &path, Model &model) {
  const Reader file(path);
  const Block &block = model.block();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::int64_t step = file.step();
  file.expect("time_step", {model.options().time_step});
  file.expect("length", model.options().length);
  for (int d = 0; d < 3; ++d) {
    const std::size_t found = file.dimension(std::string(1, "xyz"[d]));
    if (found != static_cast<std::size_t>(block.global(d)))
      throw std::runtime_error("--restart " + path + ": it has " + std::to_string(found) + " cells along " + "xyz"[d] + ", the case " +
                               std::to_string(block.global(d)));
  }
  const auto [charges, ratios] = of_species(model);
  if (!charges.empty()) file.expect(kCharge, charges);
  if (!charges.empty()) file.expect(kRatio, ratios);
  for (int f = 0; f < 6; ++f) {
    const std::vector<double> whole = file.numbers(std::string("state_") + kFields[f], static_cast<std::size_t>(block.global_cells()));
    Array &to = f < 3 ? model.state().electric : model.state().magnetic;
    for_own(block, [&](std::size_t cell, auto, std::int64_t i, std::int64_t j, std::int64_t k) {
      const std::int64_t place = ((block.start(0) + i) * block.global(1) + block.start(1) + j) * block.global(2) + block.start(2) + k;
      to.at(cell)[f % 3] = whole[static_cast<std::size_t>(place)];
    });
  }
  for (Species &species : model.state().species) read_particles(file, block, rank, species);
  model.state().step = step;
  model.resume();
}

}  // namespace pic
