// SPDX-License-Identifier: Apache-2.0
//
// src/runtime/hardware.cpp - affinity, cgroup v1 and v2 limits, memory figures of Linux.
#include "mercer/runtime/hardware.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace mercer {

namespace {

constexpr const char* kCgroupRoot = "/sys/fs/cgroup";

/// The cgroup folders this process belongs to, innermost first, up to the mount point.
std::vector<std::string> cgroup_folders(const std::string& controller) {
    std::vector<std::string> folders;
    std::ifstream membership("/proc/self/cgroup");
    std::string line;
    while (std::getline(membership, line)) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) {
            continue;
        }
        const std::string controllers = line.substr(first + 1, second - first - 1);
        std::string base = kCgroupRoot;
        if (!controllers.empty()) {  // cgroup v1: one tree per controller
            if (("," + controllers + ",").find("," + controller + ",") == std::string::npos) {
                continue;
            }
            base += "/" + controller;
        }
        std::string path = line.substr(second + 1);  // "/", or "/outer/inner"
        while (path.size() > 1 && path.front() == '/') {
            folders.push_back(base + path);
            path.erase(path.find_last_of('/'));
        }
        folders.push_back(base);
    }
    return folders;
}

/// First number of a one-line file; a negative value when absent or not a number ("max").
double read_number(const std::string& path) {
    std::ifstream file(path);
    double value = -1.0;
    return file >> value ? value : -1.0;
}

double cpu_quota() {
    double quota = std::numeric_limits<double>::infinity();
    for (const std::string& folder : cgroup_folders("cpu")) {
        std::ifstream v2(folder + "/cpu.max");
        double limit = 0.0;
        double period = 0.0;
        if (v2 >> limit >> period && limit > 0.0 && period > 0.0) {
            quota = std::min(quota, limit / period);
        }
        const double v1_limit = read_number(folder + "/cpu.cfs_quota_us");
        const double v1_period = read_number(folder + "/cpu.cfs_period_us");
        if (v1_limit > 0.0 && v1_period > 0.0) {
            quota = std::min(quota, v1_limit / v1_period);
        }
    }
    return quota;
}

/// The number after the word `key` in a file of "key number" lines; 0 when absent.
index_t keyed_number(const std::string& path, const std::string& key) {
    std::ifstream file(path);
    std::string word;
    while (file >> word) {
        index_t value = 0;
        if (word == key) {
            return file >> value ? value : 0;
        }
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

/// Bytes that a cgroup with that limit and usage could still take. Inactive file pages count as
/// used, but the kernel drops them before it refuses memory. Infinite when there is no limit.
double cgroup_left(double limit, double used, index_t droppable) {
    constexpr double kNoLimit = 0x1.0p60;  // cgroup v1 writes "no limit" as a number near 2^63
    if (limit <= 0.0 || limit >= kNoLimit || used < 0.0) {
        return std::numeric_limits<double>::infinity();
    }
    return std::clamp(limit - used + static_cast<double>(droppable), 0.0, limit);
}

}  // namespace

int usable_threads() {
    cpu_set_t set;
    CPU_ZERO(&set);
    const int allowed = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    const double quota = std::ceil(cpu_quota());
    return std::max(1, quota < allowed ? static_cast<int>(quota) : allowed);
}

index_t usable_memory() {
    constexpr index_t kKibi = 1024;  // the figures of /proc are in kB
    auto usable = static_cast<double>(keyed_number("/proc/meminfo", "MemAvailable:") * kKibi);
    for (const std::string& folder : cgroup_folders("memory")) {
        const std::string stat = folder + "/memory.stat";
        usable = std::min(usable, cgroup_left(read_number(folder + "/memory.max"),
                                              read_number(folder + "/memory.current"),
                                              keyed_number(stat, "inactive_file")));
        usable = std::min(usable, cgroup_left(read_number(folder + "/memory.limit_in_bytes"),
                                              read_number(folder + "/memory.usage_in_bytes"),
                                              keyed_number(stat, "total_inactive_file")));
    }
    return static_cast<index_t>(usable);
}

index_t peak_resident_bytes() {
    constexpr index_t kKibi = 1024;
    return keyed_number("/proc/self/status", "VmHWM:") * kKibi;
}

}  // namespace mercer
