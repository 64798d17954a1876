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
        std::string path = line.substr(second + 1);
        while (true) {
            folders.push_back(base + (path == "/" ? "" : path));
            if (path.empty() || path == "/") {
                break;
            }
            path.erase(path.find_last_of('/'));
            if (path.empty()) {
                path = "/";
            }
        }
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

/// The value in bytes of `key` in a /proc file made of "Key:   123 kB" lines; 0 when absent.
index_t proc_bytes(const char* path, const std::string& key) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        if (line.compare(0, key.size(), key) == 0) {
            return static_cast<index_t>(std::stoll(line.substr(key.size()))) * 1024;
        }
    }
    return 0;
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
    index_t usable = proc_bytes("/proc/meminfo", "MemAvailable:");
    for (const std::string& folder : cgroup_folders("memory")) {
        const double v2_limit = read_number(folder + "/memory.max");
        const double v2_used = read_number(folder + "/memory.current");
        if (v2_limit > 0.0 && v2_used >= 0.0) {
            usable = std::min(usable, static_cast<index_t>(std::max(0.0, v2_limit - v2_used)));
        }
        const double v1_limit = read_number(folder + "/memory.limit_in_bytes");
        const double v1_used = read_number(folder + "/memory.usage_in_bytes");
        if (v1_limit > 0.0 && v1_limit < 0x1.0p60 && v1_used >= 0.0) {
            usable = std::min(usable, static_cast<index_t>(std::max(0.0, v1_limit - v1_used)));
        }
    }
    return usable;
}

index_t peak_resident_bytes() { return proc_bytes("/proc/self/status", "VmHWM:"); }

}  // namespace mercer
