// SPDX-License-Identifier: Apache-2.0
//
// cli/exit_status.cpp - exceptions to exit statuses, diagnostics to carets.
#include "exit_status.hpp"

#include <fmt/format.h>

#include <new>

namespace mercer::cli {

namespace {

/// Characters, not bytes, before byte `column` (from 1): continuation bytes of UTF-8 take no place.
std::size_t width_before(const std::string& text, index_t column) {
    std::size_t width = 0;
    for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(column); ++i) {
        const bool continues = i < text.size() && (static_cast<unsigned char>(text[i]) >> 6) == 2;
        width += continues ? 0 : 1;
    }
    return width;
}

}  // namespace

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

UsageError pointing_error(const std::string& text, const Diagnostic& diagnostic) {
    if (diagnostic.column <= 0 || text.find('\n') != std::string::npos) {
        return UsageError(diagnostic.text());
    }
    return UsageError(fmt::format("kernel expression, column {}: {}\n  {}\n  {:>{}}",
                                  diagnostic.column, diagnostic.message, text, '^',
                                  width_before(text, diagnostic.column) + 1));
}

}  // namespace mercer::cli
