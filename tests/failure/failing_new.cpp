// SPDX-License-Identifier: Apache-2.0
//
// tests/failure/failing_new.cpp - operator new over malloc, so that the sanitizers still see leaks.
#include "failure/failing_new.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> armed{false};
std::atomic<bool> lasting{false};
std::atomic<mercer::index_t> target{0};
std::atomic<mercer::index_t> count{0};

bool must_fail() {
    if (!armed.load(std::memory_order_relaxed)) {
        return false;
    }
    const mercer::index_t number = count.fetch_add(1);
    return number == target.load() || (lasting.load() && number > target.load());
}

void* allocate(std::size_t size) noexcept {
    return must_fail() ? nullptr : std::malloc(size == 0 ? 1 : size);
}

void* allocate(std::size_t size, std::size_t alignment) noexcept {
    const std::size_t padded = (size + alignment) / alignment * alignment;
    return must_fail() ? nullptr : std::aligned_alloc(alignment, padded);
}

void* or_throw(void* block) {
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    return block;
}

}  // namespace

void* operator new(std::size_t size) { return or_throw(allocate(size)); }
void* operator new[](std::size_t size) { return or_throw(allocate(size)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
    return or_throw(allocate(size, static_cast<std::size_t>(alignment)));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
    return or_throw(allocate(size, static_cast<std::size_t>(alignment)));
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t) noexcept { std::free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { std::free(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { std::free(block); }

namespace mercer::testing {

FailingNew::FailingNew(index_t fail_at, bool forever) {
    count = 0;
    target = fail_at;
    lasting = forever;
    armed = true;
}

FailingNew::~FailingNew() { armed = false; }

index_t FailingNew::seen() { return count.load(); }

}  // namespace mercer::testing
