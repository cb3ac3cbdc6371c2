/* An unstructured neighbour list. Vertices of a graph are scattered over the ranks. Each rank needs the values of other ranks' vertices
 * that are adjacent to its own. Both sides of an entry list the same vertices in the same order, so no index is ever sent.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

enum { VERTICES = 600, LINKS = 3, SWEEPS = 4 };

/* A graph that every rank can compute: its owners are scattered, and each vertex reads three others. */
static int owner(int vertex, int size) { return (int)((unsigned)vertex * 2654435761u >> 16) % size; }
static int linked(int vertex, int link) {
  const int to[LINKS] = {vertex + 1, vertex + VERTICES - 7, vertex * 11 + 5};
  return to[link] % VERTICES;
}
static double value(int vertex, int sweep) { return vertex + 1000.0 * sweep; }

typedef struct Graph {
  int size;
  double *values;  /* all vertices by number; this rank writes its own and receives those it reads */
  int **out, **in; /* per rank: the vertices that it needs from me, and I from it */
  int *n_out, *n_in;
  hlc_neighbour *neighbours;
  int nneighbours;
} Graph;

/* Lists the vertices of rank from that rank to reads, each once, ascending. */
static int list_needs(int from, int to, int size, int **list) {
  char needed[VERTICES] = {0};
  int n = 0;
  for (int v = 0; v < VERTICES; ++v)
    for (int k = 0; k < LINKS; ++k)
      if (owner(v, size) == to && owner(linked(v, k), size) == from) needed[linked(v, k)] = 1;
  *list = malloc(VERTICES * sizeof(int));
  for (int v = 0; v < VERTICES; ++v)
    if (needed[v]) (*list)[n++] = v;
  return n;
}

static void pack(int neighbour, void *buffer, void *user) {
  const Graph *graph = user;
  const int to = graph->neighbours[neighbour].rank;
  double *out = buffer;
  for (int i = 0; i < graph->n_out[to]; ++i) out[i] = graph->values[graph->out[to][i]];
}

static void unpack(int neighbour, const void *buffer, void *user) {
  const Graph *graph = user;
  const int from = graph->neighbours[neighbour].rank;
  const double *in = buffer;
  for (int i = 0; i < graph->n_in[from]; ++i) graph->values[graph->in[from][i]] = in[i];
}

static void open_graph(Graph *graph, int rank, int size) {
  graph->size = size;
  graph->values = malloc(VERTICES * sizeof(double));
  graph->out = malloc((size_t)size * sizeof(int *));
  graph->in = malloc((size_t)size * sizeof(int *));
  graph->n_out = malloc((size_t)size * sizeof(int));
  graph->n_in = malloc((size_t)size * sizeof(int));
  graph->neighbours = malloc((size_t)size * sizeof(hlc_neighbour));
  graph->nneighbours = 0;
  for (int r = 0; r < size; ++r) {
    graph->n_out[r] = list_needs(rank, r, size, &graph->out[r]);
    graph->n_in[r] = list_needs(r, rank, size, &graph->in[r]);
    if (r == rank || graph->n_out[r] + graph->n_in[r] == 0) continue;
    graph->neighbours[graph->nneighbours++] = (hlc_neighbour){
        .rank = r, .bytes_out = graph->n_out[r] * (int64_t)sizeof(double), .bytes_in = graph->n_in[r] * (int64_t)sizeof(double)};
  }
}

static void close_graph(Graph *graph) {
  for (int r = 0; r < graph->size; ++r) free(graph->out[r]), free(graph->in[r]);
  free(graph->out), free(graph->in), free(graph->n_out), free(graph->n_in), free(graph->neighbours), free(graph->values);
}

/* Own vertices get the value of this sweep, all others one that is wrong. */
static void set_sweep(Graph *graph, int rank, int sweep) {
  for (int v = 0; v < VERTICES; ++v) graph->values[v] = owner(v, graph->size) == rank ? value(v, sweep) : -1;
}

static int all_links_right(const Graph *graph, int rank, int sweep) {
  for (int v = 0; v < VERTICES; ++v)
    for (int k = 0; k < LINKS; ++k)
      if (owner(v, graph->size) == rank && graph->values[linked(v, k)] != value(linked(v, k), sweep)) return 0;
  return 1;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  hlc_context *context;
  CHECK(hlc_init(MPI_COMM_WORLD, &context));
  hlc_context_info_t info;
  CHECK(hlc_context_info(context, &info));

  Graph graph;
  open_graph(&graph, info.rank, info.size);
  const hlc_exchange_spec spec = {
      .nneighbours = graph.nneighbours, .neighbours = graph.neighbours, .pack = pack, .unpack = unpack, .user = &graph};
  hlc_exchange *exchange;
  CHECK(hlc_exchange_create(context, &spec, &exchange));

  int right = 1;
  for (int sweep = 0; sweep < SWEEPS; ++sweep) {
    set_sweep(&graph, info.rank, sweep);
    CHECK(hlc_exchange_start(exchange));
    CHECK(hlc_exchange_finish(exchange));
    right = right && all_links_right(&graph, info.rank, sweep);
  }

  const int result = verdict("exchange (C)", right, "every linked vertex has its owner's value of this sweep");
  CHECK(hlc_exchange_destroy(&exchange));
  close_graph(&graph);
  CHECK(hlc_finalise(&context));
  MPI_Finalize();
  return result;
}
