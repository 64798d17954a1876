// SPDX-License-Identifier: Apache-2.0
//
// cli/exit_status.cpp - maps exceptions to exit statuses.
#include "exit_status.hpp"

#include <fmt/core.h>

#include <new>

namespace mercer::cli {

Failure describe_failure(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const UsageError& e) {
        return {ExitStatus::usage, e.what()};
    } catch (const InvalidArgument& e) {
        return {ExitStatus::usage, e.what()};
    } catch (const DataError& e) {
        return {ExitStatus::data, e.what()};
    } catch (const ResourceError& e) {
        return {ExitStatus::resource, e.what()};
    } catch (const Interrupted& e) {
        return {ExitStatus::stopped, e.what()};
    } catch (const std::bad_alloc&) {
        return {ExitStatus::resource, "memory: the system has no more; lower --memory or the size"};
    } catch (const std::exception& e) {
        return {ExitStatus::defect, fmt::format("{}\nthis is a bug in mercer: please report the "
                                                "command line and this message",
                                                e.what())};
    } catch (...) {
        return {ExitStatus::defect,
                "unknown exception\nthis is a bug in mercer: please report the command line"};
    }
}

}  // namespace mercer::cli
