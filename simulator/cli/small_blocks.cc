// SPDX-License-Identifier: Apache-2.0
// The program's operator new and delete. A run is many thousand small values that live as long as
// its trace: they come from lists of equal blocks, one set of lists a thread, for a tenth of the
// instructions that a general allocator takes. A block may be freed by another thread, which then
// keeps it. What is larger, or finds no room, comes from malloc. Programs link this file; the
// libraries leave the choice to whoever embeds them.
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace {

constexpr std::size_t kStepBytes = 16;
constexpr std::size_t kBlockBytesMax = 4096;
constexpr std::size_t kSizeCount = kBlockBytesMax / kStepBytes + 1;
/// A page holds blocks of one size, which its first step names.
constexpr std::size_t kPageBytes = std::size_t{64} << 10U;
/// Of addresses; memory is taken as it is written to.
constexpr std::size_t kRegionBytes = std::size_t{16} << 30U;

struct Block {
  Block* next;
};

/// The blocks of one size that a thread has at hand: those that came back, and what is left of its
/// last page.
struct Shelf {
  Block* returned = nullptr;
  std::byte* fresh = nullptr;
  std::byte* end = nullptr;
};
using Shelves = std::array<Shelf, kSizeCount>;

constinit thread_local Shelves shelves{};

/// What threads that have ended left behind, by size.
constinit std::array<std::atomic<Block*>, kSizeCount> estate{};

/// Where all blocks lie, so that an address tells whether it is one: nowhere, until the first.
constinit std::atomic<std::uintptr_t> region_begin{~std::uintptr_t{0} - kRegionBytes + 1};

bool is_block(const void* memory) {
  const auto begin = region_begin.load(std::memory_order_relaxed);
  return std::bit_cast<std::uintptr_t>(memory) - begin < kRegionBytes;
}

/// Pages in the order of their addresses, taken once.
class Region {
 public:
  Region() {
    void* place = mmap(nullptr, kRegionBytes + kPageBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return;
    const auto begin =
        (std::bit_cast<std::uintptr_t>(place) + kPageBytes - 1) / kPageBytes * kPageBytes;
    left_ = kRegionBytes / kPageBytes;
    next_ = begin;
    region_begin = begin;
  }
  /// Null when there is no room.
  std::byte* take() {
    if (left_.fetch_sub(1) <= 0) return nullptr;
    return std::bit_cast<std::byte*>(next_.fetch_add(kPageBytes));
  }

 private:
  std::atomic<std::int64_t> left_{0};
  std::atomic<std::uintptr_t> next_{0};
};

std::byte* take_page() {
  static Region region;
  return region.take();
}

/// Leaves a thread's blocks to the others when it ends.
class Heir {
 public:
  Heir() = default;
  Heir(const Heir&) = delete;
  Heir& operator=(const Heir&) = delete;
  ~Heir() {
    for (std::size_t size = 0; size < kSizeCount; ++size) bequeath(size);
  }
  void attend() const {}

 private:
  static void bequeath(std::size_t size) {
    Block* first = std::exchange(shelves[size].returned, nullptr);
    if (first == nullptr) return;
    Block* last = first;
    while (last->next != nullptr) last = last->next;
    last->next = estate[size].load();
    while (!estate[size].compare_exchange_weak(last->next, first)) {
    }
  }
};

[[gnu::noinline]] void* general_block(std::size_t bytes) {
  void* memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

std::byte* cut(Shelf& shelf, std::size_t bytes) {
  std::byte* block = shelf.fresh;
  shelf.fresh += bytes;
  return block;
}

/// The shelf of this size is empty.
[[gnu::noinline]] void* restock(std::size_t size) {
  static thread_local Heir heir;
  heir.attend();
  Shelf& shelf = shelves[size];
  if (Block* inherited = estate[size].exchange(nullptr)) {
    shelf.returned = inherited->next;
    return inherited;
  }
  const std::size_t bytes = size * kStepBytes;
  std::byte* page = take_page();
  if (page == nullptr) return general_block(bytes);
  ::new (page) std::size_t(size);
  shelf.fresh = page + kStepBytes;
  shelf.end = shelf.fresh + (kPageBytes - kStepBytes) / bytes * bytes;
  return cut(shelf, bytes);
}

void give_back(void* memory, std::size_t size) {
  shelves[size].returned = ::new (memory) Block{shelves[size].returned};
}

std::size_t size_named_by_page(const void* memory) {
  const auto page = std::bit_cast<std::uintptr_t>(memory) / kPageBytes * kPageBytes;
  return *std::bit_cast<const std::size_t*>(page);
}

}  // namespace

void* operator new(std::size_t bytes) {
  if (bytes > kBlockBytesMax) return general_block(bytes);
  const std::size_t size = bytes == 0 ? 1 : (bytes + kStepBytes - 1) / kStepBytes;
  Shelf& shelf = shelves[size];
  if (Block* block = shelf.returned) {
    shelf.returned = block->next;
    return block;
  }
  if (shelf.fresh != shelf.end) return cut(shelf, size * kStepBytes);
  return restock(size);
}

void operator delete(void* memory) noexcept {
  if (!is_block(memory)) return std::free(memory);
  give_back(memory, size_named_by_page(memory));
}

void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  operator delete(memory);
}
