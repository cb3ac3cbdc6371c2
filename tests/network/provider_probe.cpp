// What one provider of one libfabric has of what the engine needs, tried between two endpoints of this process. `halocline_provider_probe FILE
// PROVIDER` prints attributes and outcomes as one JSON object. scripts/providers.py makes a table of them.
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr std::uint32_t kInterface = FI_VERSION(1, 14);
constexpr std::size_t kBytes = 100'000, kShort = 64;

struct Library {
  decltype(&fi_getinfo) get_info = nullptr;
  decltype(&fi_dupinfo) dup_info = nullptr;
  decltype(&fi_freeinfo) free_info = nullptr;
  decltype(&fi_fabric) fabric = nullptr;
  decltype(&fi_strerror) text_of = nullptr;
  decltype(&fi_version) version = nullptr;
};
Library library;

template <class Function>
bool find(void *handle, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

bool load(const char *file) {
  void *const handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  return handle && find(handle, "fi_getinfo", library.get_info) && find(handle, "fi_dupinfo", library.dup_info) &&
         find(handle, "fi_freeinfo", library.free_info) && find(handle, "fi_fabric", library.fabric) &&
         find(handle, "fi_strerror", library.text_of) && find(handle, "fi_version", library.version);
}

struct Free {
  void operator()(fi_info *info) const { library.free_info(info); }
};
using Info = std::unique_ptr<fi_info, Free>;

/// What is asked beyond writes and messages.
struct Asked {
  std::uint64_t caps = 0, flags = 0;
  std::size_t immediate_bytes = 4;
};

/// The provider's first endpoint with an address of this host alone, else its first one; empty if it has none.
Info ask(const std::string &provider, const Asked &asked) {
  const Info hints(library.dup_info(nullptr));
  fi_info *offered = nullptr;
  hints->caps = FI_RMA | FI_MSG | asked.caps;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->control_progress = hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->cq_data_size = asked.immediate_bytes;
  hints->tx_attr->op_flags = asked.flags;
  if (library.get_info(kInterface, nullptr, nullptr, 0, hints.get(), &offered) != 0) return nullptr;
  const Info all(offered);
  const fi_info *best = nullptr;
  for (const fi_info *info = offered; info; info = info->next) {
    if (provider != info->fabric_attr->prov_name) continue;
    const auto *address = static_cast<const unsigned char *>(info->src_addr);
    const bool is_loopback = info->addr_format == FI_SOCKADDR_IN && address && address[4] == 127;
    if (!best || is_loopback) best = info;
    if (is_loopback) break;
  }
  return Info(best ? library.dup_info(best) : nullptr);
}

/// The first step that fails, and libfabric's reason.
struct Trouble {
  std::string text;
  bool note(int code, const char *call) {
    if (code != 0 && text.empty()) text = std::string(call) + ": " + library.text_of(-code);
    return code == 0;
  }
};

/// One endpoint with registered memory, half of which peers write to.
struct Side {
  fid_fabric *fabric = nullptr;
  fid_domain *domain = nullptr;
  fid_cq *queue = nullptr;
  fid_av *addresses = nullptr;
  fid_ep *endpoint = nullptr;
  fid_mr *mine = nullptr, *open_to_others = nullptr;
  std::vector<unsigned char> source = std::vector<unsigned char>(kBytes), target = std::vector<unsigned char>(kBytes);
  std::array<char, 256> address{};
  std::size_t address_bytes = sizeof address;
  fi_addr_t peer = FI_ADDR_UNSPEC;
  int ended = 0, received = 0, errors = 0;
  std::string error;
  std::vector<std::uint64_t> immediates;
  std::function<void()> at_immediate = [] {}, at_receive = [] {};

  bool open(fi_info &info, Trouble &trouble) {
    fi_cq_attr cq{};
    fi_av_attr av{};
    cq.format = FI_CQ_FORMAT_DATA;
    cq.size = 1024;
    const std::uint64_t for_me = FI_WRITE | FI_READ | FI_SEND | FI_RECV, for_peers = FI_REMOTE_WRITE | FI_REMOTE_READ;
    return trouble.note(library.fabric(info.fabric_attr, &fabric, nullptr), "fi_fabric") &&
           trouble.note(fi_domain(fabric, &info, &domain, nullptr), "fi_domain") &&
           trouble.note(fi_cq_open(domain, &cq, &queue, nullptr), "fi_cq_open") &&
           trouble.note(fi_av_open(domain, &av, &addresses, nullptr), "fi_av_open") &&
           trouble.note(fi_endpoint(domain, &info, &endpoint, nullptr), "fi_endpoint") &&
           trouble.note(fi_ep_bind(endpoint, &addresses->fid, 0), "fi_ep_bind") &&
           trouble.note(fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind") &&
           trouble.note(fi_enable(endpoint), "fi_enable") && enter(info, source, for_me, 1, &mine, trouble) &&
           enter(info, target, for_peers, 2, &open_to_others, trouble) &&
           trouble.note(fi_getname(&endpoint->fid, address.data(), &address_bytes), "fi_getname");
  }
  bool enter(const fi_info &info, std::vector<unsigned char> &memory, std::uint64_t access, std::uint64_t key, fid_mr **entry,
             Trouble &trouble) const {
    if (!trouble.note(fi_mr_reg(domain, memory.data(), memory.size(), access, 0, key, 0, entry, nullptr), "fi_mr_reg")) return false;
    if ((info.domain_attr->mr_mode & FI_MR_ENDPOINT) == 0) return true;
    return trouble.note(fi_mr_bind(*entry, &endpoint->fid, 0), "fi_mr_bind") && trouble.note(fi_mr_enable(*entry), "fi_mr_enable");
  }
  void poll() {
    fi_cq_data_entry entry{};
    const ssize_t count = fi_cq_read(queue, &entry, 1);
    if (count == -FI_EAVAIL) {
      fi_cq_err_entry failed{};
      fi_cq_readerr(queue, &failed, 0);
      errors += 1;
      error = library.text_of(failed.err);
    }
    if (count != 1) return;
    if ((entry.flags & FI_RECV) != 0) {
      received += 1;
      at_receive();
    } else if ((entry.flags & FI_REMOTE_CQ_DATA) != 0 && (entry.flags & FI_WRITE) == 0) {
      immediates.push_back(entry.data);
      at_immediate();
    } else {
      ended += 1;
    }
  }
};

/// The two endpoints, one writes to the other.
struct Pair {
  fi_info &info;
  Side from, to;
  Trouble trouble;

  explicit Pair(fi_info &of) : info(of) {}
  bool open() {
    if (!from.open(info, trouble) || !to.open(info, trouble)) return false;
    if (fi_av_insert(from.addresses, to.address.data(), 1, &from.peer, 0, nullptr) != 1 ||
        fi_av_insert(to.addresses, from.address.data(), 1, &to.peer, 0, nullptr) != 1)
      return trouble.note(-FI_EINVAL, "fi_av_insert");
    return true;
  }
  bool poll_until(const std::function<bool()> &holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end || from.errors + to.errors > 0) return false;
      from.poll();
      to.poll();
    }
    return true;
  }
  std::string reason() const {
    if (!trouble.text.empty()) return trouble.text;
    if (from.errors + to.errors > 0) return from.error + to.error;
    return "nothing arrives within 10 s";
  }
  /// Repeats a call while there is no room; the outcome of another kind is trouble.
  bool begin(const char *call, const std::function<ssize_t()> &start) {
    ssize_t code = -FI_EAGAIN;
    poll_until([&] { return (code = start()) != -FI_EAGAIN; });
    return trouble.note(static_cast<int>(code), call);
  }
  bool write(std::size_t bytes, std::uint64_t flags, std::uint64_t data = 0) {
    static fi_context2 context;
    const iovec source{from.source.data(), bytes};
    void *desc = fi_mr_desc(from.mine);
    const bool by_address = (info.domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
    const fi_rma_iov target{by_address ? reinterpret_cast<std::uint64_t>(to.target.data()) : 0, bytes, fi_mr_key(to.open_to_others)};
    const fi_msg_rma message{&source, &desc, 1, from.peer, &target, 1, &context, data};
    return begin("fi_writemsg", [&] { return fi_writemsg(from.endpoint, &message, flags | FI_COMPLETION); });
  }
  void refill(unsigned char seed) {
    for (std::size_t i = 0; i < kBytes; ++i) from.source[i] = static_cast<unsigned char>(seed + 31 * i);
    std::memset(to.target.data(), 0, kBytes);
  }
  bool is_there(std::size_t bytes) const { return std::memcmp(from.source.data(), to.target.data(), bytes) == 0; }
};

/// The outcome of a step in a new pair of endpoints: "" or the reason why it fails.
std::string outcome(fi_info &info, const std::function<std::string(Pair &)> &step) {
  auto *const pair = new Pair(info);  // not freed: a provider may still write there
  return pair->open() ? step(*pair) : pair->reason();
}

std::string write_with_immediate(Pair &pair, std::size_t bytes, std::uint64_t mask) {
  constexpr std::uint64_t data = 0x81'82'83'84'85'86'87'88u;
  bool early = false;
  pair.refill(3);
  pair.to.at_immediate = [&] { early = early || !pair.is_there(bytes); };
  if (!pair.write(bytes, FI_REMOTE_CQ_DATA, data & mask)) return pair.reason();
  if (!pair.poll_until([&] { return pair.from.ended == 1 && pair.to.immediates.size() == 1; })) return pair.reason();
  if (pair.to.immediates[0] != (data & mask)) return "other data arrive";
  return early ? "the data arrive before the bytes" : "";
}

std::string delivered_write(Pair &pair) {
  for (int i = 0; i < 20; ++i) {
    pair.refill(static_cast<unsigned char>(5 + i));
    if (!pair.write(kBytes, FI_DELIVERY_COMPLETE) || !pair.poll_until([&] { return pair.from.ended == i + 1; })) return pair.reason();
    if (!pair.is_there(kBytes)) return "it is complete before the bytes are there";
  }
  return "";
}

/// A message after a write, as an attribute promises it or by chance: only an overtaking is a fact.
std::string message_after_write(Pair &pair) {
  std::array<char, kShort> buffer{};
  bool early = false;
  static fi_context2 contexts[2];
  void *const desc = fi_mr_desc(pair.from.mine);
  pair.to.at_receive = [&] { early = early || !pair.is_there(kBytes); };
  for (int i = 0; i < 10; ++i) {
    pair.refill(static_cast<unsigned char>(9 + i));
    if (!pair.begin(
            "fi_recv",
            [&] { return fi_recv(pair.to.endpoint, buffer.data(), kShort, fi_mr_desc(pair.to.mine), FI_ADDR_UNSPEC, &contexts[0]); }) ||
        !pair.write(kBytes, 0) || !pair.begin("fi_send", [&] {
          return fi_send(pair.from.endpoint, pair.from.source.data(), kShort, desc, pair.from.peer, &contexts[1]);
        }))
      return pair.reason();
    if (!pair.poll_until([&] { return pair.to.received == i + 1 && pair.from.ended == 2 * (i + 1); })) return pair.reason();
  }
  return early ? "overtakes" : "";
}

struct Bit {
  std::uint64_t bit;
  const char *name;
};

std::string text_of_bits(std::uint64_t bits, std::initializer_list<Bit> names) {
  std::string text;
  for (const auto &[bit, name] : names) {
    if ((bits & bit) == 0) continue;
    if (!text.empty()) text.push_back(' ');
    text.append(name);
  }
  return text;
}

std::string text_of_modes(int mode) {
  return text_of_bits(static_cast<std::uint64_t>(mode), {{FI_MR_LOCAL, "local"},
                                                         {FI_MR_VIRT_ADDR, "virt_addr"},
                                                         {FI_MR_ALLOCATED, "allocated"},
                                                         {FI_MR_PROV_KEY, "prov_key"},
                                                         {FI_MR_ENDPOINT, "endpoint"}});
}

const char *text_of_threads(fi_threading threading) {
  if (threading == FI_THREAD_SAFE) return "safe";
  return threading == FI_THREAD_DOMAIN ? "domain" : "other";
}

void print(const char *name, const std::string &value) {
  std::printf(", \"%s\": \"", name);
  for (const char c : value)
    if (c != '"' && c != '\\' && c >= ' ') std::putchar(c);
  std::printf("\"");
}
void print(const char *name, std::size_t value) { std::printf(", \"%s\": %zu", name, value); }

/// The attributes that are independent of what else is asked.
void print_attributes(const std::string &provider, const fi_info &info) {
  const std::uint64_t order = info.tx_attr->msg_order;
  print("immediate_bytes", info.domain_attr->cq_data_size);
  print("order", text_of_bits(order, {{FI_ORDER_WAW, "WAW"}, {FI_ORDER_SAW, "SAW"}, {FI_ORDER_SAS, "SAS"}}));
  print("memory", text_of_modes(info.domain_attr->mr_mode));
  print("key_bytes", info.domain_attr->mr_key_size);
  print("most_bytes", info.ep_attr->max_msg_size);
  print("inject_bytes", info.tx_attr->inject_size);
  print("parts", info.tx_attr->iov_limit);
  print("threads", std::string(text_of_threads(info.domain_attr->threading)));
  print("atomics", std::string(ask(provider, {.caps = FI_ATOMIC, .immediate_bytes = info.domain_attr->cq_data_size}) ? "yes" : "no"));
  print("tagged", std::string(ask(provider, {.caps = FI_TAGGED, .immediate_bytes = info.domain_attr->cq_data_size}) ? "yes" : "no"));
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3 || !load(argv[1])) return std::fprintf(stderr, "usage: %s FILE-OF-LIBFABRIC PROVIDER\n", argv[0]), 2;
  const std::string provider = argv[2];
  std::printf("{\"version\": \"%d.%d\"", FI_MAJOR(library.version()), FI_MINOR(library.version()));
  print("provider", provider);
  Info info = ask(provider, {});
  if (!info) info = ask(provider, {.immediate_bytes = 0});
  if (!info) {
    print("refused", std::string("it has no reliable datagrams with remote writes here"));
    return std::printf("}\n"), 0;
  }
  print_attributes(provider, *info);
  std::fflush(stdout);
  const std::uint64_t mask = info->domain_attr->cq_data_size >= 8 ? ~std::uint64_t{0} : 0xffff'ffffu;
  print("immediate", outcome(*info, [&](Pair &pair) { return write_with_immediate(pair, kBytes, mask); }));
  print("immediate_of_few_bytes", outcome(*info, [&](Pair &pair) { return write_with_immediate(pair, 8, mask); }));
  print("delivered", outcome(*info, delivered_write));
  print("message_after_write", outcome(*info, message_after_write));
  std::printf("}\n");
  std::fflush(stdout);
  std::_Exit(0);  // closing is not what is tried
}
