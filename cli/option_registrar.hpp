// SPDX-License-Identifier: Apache-2.0
//
// cli/option_registrar.hpp - walks an option description (runtime/options.hpp) and registers each
// option with the command line: names with dashes, defaults shown, ranges checked.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/runtime/options.hpp"
#include "mercer/solvers/solver_id.hpp"

namespace CLI {
class App;
}

namespace mercer::cli {

/// New names for options whose own would clash; an empty new name leaves the option out, because
/// the command sets it in another way. A new name with dashes (`-C,--cost`) is used as it is.
using OptionRenames = std::map<std::string, std::string, std::less<>>;

/// The visitor. References to values must outlive the parse. `alias` may name a short form ("-j").
class OptionRegistrar {
public:
    explicit OptionRegistrar(CLI::App& app, std::string group = "Options",
                             OptionRenames renames = {})
        : app_(app), group_(std::move(group)), renames_(std::move(renames)) {}

    void number(std::string_view name, double& value, const Range& range, std::string_view help,
                std::string_view alias = "");
    /// An optional one: no default is shown.
    void number(std::string_view name, std::optional<double>& value, const Range& range,
                std::string_view help, std::string_view alias = "");
    void integer(std::string_view name, index_t& value, const Range& range, std::string_view help,
                 std::string_view alias = "");
    /// An optional one: no default is shown.
    void integer(std::string_view name, std::optional<index_t>& value, const Range& range,
                 std::string_view help, std::string_view alias = "");
    /// A flag that is true by default becomes --no-name.
    void flag(std::string_view name, bool& value, std::string_view help,
              std::string_view alias = "");
    void text(std::string_view name, std::string& value, std::string_view help,
              std::string_view alias = "");
    /// The valid names depend on the machine, so they are checked later.
    void word(std::string_view name, SolverChoice& value, std::string_view help,
              std::string_view alias = "");
    void choice(std::string_view name, std::string& value, const std::vector<std::string>& choices,
                std::string_view help, std::string_view alias = "");

private:
    /// `-j,--threads`, or empty if the option is left out.
    [[nodiscard]] std::string names(std::string_view name, std::string_view alias) const;
    void add_value(const std::string& names, const std::function<void(const std::string&)>& read,
                   std::string_view help, const std::string& default_text,
                   const std::string& type_name);

    CLI::App& app_;
    std::string group_;
    OptionRenames renames_;
};

/// A number that fills the whole text, in any notation of C; otherwise nothing.
[[nodiscard]] std::optional<double> read_number(std::string_view text);

/// Empty if `text` is one of the choices, otherwise the reason.
[[nodiscard]] std::string choice_fault(const std::string& text,
                                       const std::vector<std::string>& choices);

/// Registers every option of `Options::describe`.
template <typename Options>
void add_described_options(CLI::App& app, Options& options, const std::string& group = "Options",
                           const OptionRenames& renames = {}) {
    OptionRegistrar registrar(app, group, renames);
    Options::describe(registrar, options);
}

}  // namespace mercer::cli
