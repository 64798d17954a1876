// SPDX-License-Identifier: Apache-2.0
//
// cli/svm_programs.cpp - common parts of LIBSVM's programs.
#include "svm_programs.hpp"

#include "data_access.hpp"
#include "option_registrar.hpp"

namespace mercer::cli {

std::optional<std::string> SvmFlags::flag() {
    if (next_ >= words_.size() || !words_[next_].starts_with('-') || words_[next_] == "-") {
        return std::nullopt;
    }
    flag_ = words_[next_++];
    return flag_;
}

std::string SvmFlags::text() {
    if (next_ >= words_.size()) {
        refuse(fmt::format("{}: it needs a value", flag_));
    }
    return words_[next_++];
}

double SvmFlags::number() {
    const std::string word = text();
    const std::optional<double> value = read_number(word);
    if (!value || *value != *value) {
        refuse(fmt::format("{}: got '{}', must be a number", flag_, word));
    }
    return *value;
}

index_t SvmFlags::integer() {
    constexpr double kLargest = 2147483647.0;
    const double value = number();
    if (!(value >= -kLargest && value <= kLargest) ||
        value != static_cast<double>(static_cast<index_t>(value))) {
        refuse(fmt::format("{}: got '{}', must be an integer", flag_, words_[next_ - 1]));
    }
    return static_cast<index_t>(value);
}

std::vector<std::string> SvmFlags::files() const {
    return {words_.begin() + static_cast<std::ptrdiff_t>(next_), words_.end()};
}

void SvmFlags::refuse(const std::string& message) const {
    throw UsageError(message + "\n" + usage_);
}

void SvmFlags::refuse_flag() const { refuse(fmt::format("{}: there is no such option", flag_)); }

std::string shortened(double value) { return fmt::format("{:g}", value); }

Dataset read_svm_data(Session& session, const std::string& path, bool serials) {
    ReadOptions options;
    options.format = "libsvm";
    options.zero_based = serials;
    options.task = "regression";  // numbers unchanged; classes are determined later
    return read_data(session, path, options);
}

std::optional<ExitStatus> run_svm_program(Session& session, std::string_view path,
                                          const std::vector<std::string>& words) {
    const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
    if (name != "svm-train" && name != "svm-predict" && name != "svm-scale") {
        return std::nullopt;
    }
    session.command = name;
    session.options.progress = "none";
    if (name == "svm-train") {
        return run_svm_train(session, words);
    }
    return name == "svm-predict" ? run_svm_predict(session, words) : run_svm_scale(session, words);
}

}  // namespace mercer::cli
