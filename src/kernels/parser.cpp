// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/parser.cpp - from text to kernel, by recursive descent.
//
//     sum      := product { '+' product }
//     product  := power { '*' power }
//     power    := primary [ '^' integer ]
//     primary  := number | name [ '(' arguments ')' ] | '(' sum ')'
//
// A number is a factor inside a product and a constant kernel anywhere else. Ranges are checked
// against the catalogue as soon as a value is read, so that the column points at the value.
#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/argument_parser.hpp"
#include "kernels/limits.hpp"
#include "kernels/lookup.hpp"
#include "kernels/matrices.hpp"
#include "kernels/row_parser.hpp"
#include "kernels/scanner.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer {

namespace {

class KernelParser {
public:
    KernelParser(std::string_view text, const KernelFiles* files) : scanner_(text), files_(files) {}

    Kernel parse() {
        Kernel kernel = parse_sum();
        if (!scanner_.at_end()) {
            fail_after_term();
        }
        return kernel;
    }

private:
    Kernel parse_sum();
    Kernel parse_product();
    Kernel parse_power();
    Kernel parse_primary();
    Kernel parse_named();
    Kernel parse_parameters(const CatalogueEntry& entry);
    Kernel parse_construction(const CatalogueEntry& entry);
    Kernel parse_file_kernel(const CatalogueEntry& entry);
    KernelMatrix read_matrix(const CatalogueEntry& entry);
    void parse_coefficients(KernelNode& node);
    void parse_selection(KernelNode& node);
    double parse_factor();

    /// Builds a node; errors of make_kernel() are reported at `position`.
    Kernel make(KernelNode node, std::size_t position);
    [[noreturn]] void fail_after_term();

    Scanner scanner_;
    const KernelFiles* files_;
    int depth_ = 0;
};

Kernel KernelParser::make(KernelNode node, std::size_t position) {
    try {
        return make_kernel(std::move(node));
    } catch (const InvalidArgument& error) {
        scanner_.fail(position, error.what());
    }
}

void KernelParser::fail_after_term() {
    const std::size_t position = scanner_.position();
    switch (scanner_.peek()) {
        case '-':
            scanner_.fail(position,
                          "kernels cannot be subtracted: a difference need not be a kernel");
        case '/':
            scanner_.fail(position, "kernels cannot be divided; multiply by a number: 0.5 * k");
        case ')':
            scanner_.fail(position, "this ')' closes nothing");
        default:
            scanner_.fail_expected("'+', '*', '^' or the end");
    }
}

Kernel KernelParser::parse_sum() {
    const std::size_t start = scanner_.position();
    if (++depth_ > kMaxKernelDepth + 1) {
        scanner_.fail(start, fmt::format("nested deeper than {} levels", kMaxKernelDepth));
    }
    KernelNode node;
    node.type = KernelType::sum;
    node.children.push_back(parse_product());
    while (scanner_.accept('+')) {
        node.children.push_back(parse_product());
    }
    --depth_;
    return node.children.size() == 1 ? node.children.front() : make(std::move(node), start);
}

/// A number that multiplies a kernel; it has no sign and must be finite.
double KernelParser::parse_factor() {
    const std::size_t position = scanner_.position();
    const double value = scanner_.number();
    if (scanner_.peek() == '^') {
        scanner_.fail(scanner_.position(), "only a kernel can be raised to a power here");
    }
    if (std::isinf(value)) {
        scanner_.fail(position, "the factor is not finite");
    }
    return value;
}

Kernel KernelParser::parse_product() {
    const std::size_t start = scanner_.position();
    KernelNode node;
    node.type = KernelType::product;
    double factor = 1.0;
    bool has_factor = false;
    std::size_t zero_position = start;
    do {
        if (scanner_.at_number()) {
            if (factor != 0.0) {
                zero_position = scanner_.position();
            }
            factor *= parse_factor();
            has_factor = true;
        } else {
            node.children.push_back(parse_power());
        }
    } while (scanner_.accept('*'));
    if (!std::isfinite(factor)) {
        scanner_.fail(zero_position, "the product of the factors is too large for a double");
    }
    KernelNode multiple;
    if (node.children.empty()) {
        multiple.type = KernelType::constant;
        multiple.parameters = {factor};
        return make(std::move(multiple), start);
    }
    if (has_factor && factor == 0.0) {
        scanner_.fail(zero_position, "a kernel may only be scaled by a positive factor, got 0");
    }
    Kernel kernel =
        node.children.size() == 1 ? node.children.front() : make(std::move(node), start);
    if (!has_factor) {
        return kernel;
    }
    multiple.type = KernelType::scale;
    multiple.parameters = {factor};
    multiple.children = {kernel};
    return make(std::move(multiple), start);
}

Kernel KernelParser::parse_power() {
    const std::size_t start = scanner_.position();
    Kernel base = parse_primary();
    if (!scanner_.accept('^')) {
        return base;
    }
    const std::size_t position = scanner_.position();
    KernelNode node;
    node.type = KernelType::power;
    const double exponent = scanner_.signed_number();
    try {
        require_parameter(entry_of(KernelType::power).parameters.front(), exponent);
    } catch (const InvalidArgument& error) {
        scanner_.fail(position, error.what());
    }
    if (scanner_.peek() == '^') {
        scanner_.fail(scanner_.position(), "a chain of powers is ambiguous; write (k ^ 2) ^ 3");
    }
    node.parameters = {exponent};
    node.children = {std::move(base)};
    return make(std::move(node), start);
}

Kernel KernelParser::parse_primary() {
    const std::size_t position = scanner_.position();
    if (scanner_.accept('(')) {
        Kernel kernel = parse_sum();
        if (scanner_.peek() == '-' || scanner_.peek() == '/') {
            fail_after_term();
        }
        scanner_.expect(')', "to close the parenthesis");
        return kernel;
    }
    if (scanner_.peek() == '-') {
        scanner_.fail(position, "a kernel may only be scaled by a positive factor");
    }
    if (!scanner_.at_name()) {
        scanner_.fail_expected("a kernel");
    }
    return parse_named();
}

Kernel KernelParser::parse_named() {
    const std::size_t position = scanner_.position();
    const std::string name(scanner_.name());
    const CatalogueEntry* entry = find_entry(name);
    if (entry == nullptr) {
        if (scanner_.peek() == '=') {
            scanner_.fail(position,
                          fmt::format("expected a kernel, found the parameter '{}'", name));
        }
        scanner_.fail(position, fmt::format("unknown kernel '{}'{}", name.substr(0, 40),
                                            did_you_mean(nearest_kernel(name))));
    }
    switch (entry->type) {
        case KernelType::exponential:
        case KernelType::polynomial:
        case KernelType::normalized:
        case KernelType::row_scaled:
        case KernelType::columns:
            return parse_construction(*entry);
        case KernelType::quadratic_form:
        case KernelType::mixture:
            return parse_file_kernel(*entry);
        default:
            return parse_parameters(*entry);
    }
}

Kernel KernelParser::parse_parameters(const CatalogueEntry& entry) {
    const std::size_t start = scanner_.position();
    KernelNode node;
    node.type = entry.type;
    node.parameters = parse_arguments(entry, scanner_);
    return make(std::move(node), start);
}

void KernelParser::parse_coefficients(KernelNode& node) {
    scanner_.expect(';', "and the coefficients, as in polynomial(k; 1, 1)");
    do {
        const std::size_t position = scanner_.position();
        const double value = scanner_.signed_number();
        if (!(value >= 0.0) || !std::isfinite(value)) {
            scanner_.fail(position,
                          fmt::format("coefficient of k^{}: got {}, must be finite and >= 0",
                                      node.parameters.size(), value));
        }
        node.parameters.push_back(value);
    } while (scanner_.accept(','));
}

void KernelParser::parse_selection(KernelNode& node) {
    scanner_.expect(';', "and the columns, as in columns(k; 0:3, 7)");
    do {
        const std::size_t position = scanner_.position();
        ColumnRange range;
        range.begin = scanner_.integer("a column number");
        if (scanner_.accept(':')) {
            range.end = scanner_.integer("a column number");
        } else if (range.begin < std::numeric_limits<index_t>::max()) {
            range.end = range.begin + 1;
        }
        if (range.end <= range.begin) {
            scanner_.fail(position, fmt::format("columns {}:{} are none; the end is not included",
                                                range.begin, range.end));
        }
        node.selection.push_back(range);
    } while (scanner_.accept(','));
}

Kernel KernelParser::parse_construction(const CatalogueEntry& entry) {
    const std::size_t start = scanner_.position();
    scanner_.expect('(', fmt::format("as in {}", entry.usage));
    KernelNode node;
    node.type = entry.type;
    node.children.push_back(parse_sum());
    if (scanner_.peek() == '-' || scanner_.peek() == '/') {
        fail_after_term();
    }
    if (entry.type == KernelType::polynomial) {
        parse_coefficients(node);
    } else if (entry.type == KernelType::columns) {
        parse_selection(node);
    } else if (entry.type == KernelType::row_scaled) {
        scanner_.expect(';', "and a row function, as in scaled(k; exp(-1 * norm2))");
        node.row_function = parse_row_function(scanner_);
    }
    scanner_.expect(')', fmt::format("as in {}", entry.usage));
    return make(std::move(node), start);
}

KernelMatrix KernelParser::read_matrix(const CatalogueEntry& entry) {
    const std::size_t position = scanner_.position();
    const std::string file = scanner_.file_name();
    if (files_ == nullptr) {
        scanner_.fail(position, fmt::format("the file '{}' cannot be read here", file));
    }
    if (entry.type == KernelType::quadratic_form) {
        Result<KernelMatrix> matrix = files_->read_matrix(file);
        if (!matrix) {
            scanner_.fail(position, matrix.diagnostic().text());
        }
        matrix.value().file = file;
        return std::move(matrix).value();
    }
    const Result<std::string> text = files_->read_text(file);
    if (!text) {
        scanner_.fail(position, text.diagnostic().text());
    }
    Result<KernelMatrix> matrix = parse_mixture(file, text.value());
    if (!matrix) {
        scanner_.fail(position, matrix.diagnostic().text());
    }
    return std::move(matrix).value();
}

Kernel KernelParser::parse_file_kernel(const CatalogueEntry& entry) {
    scanner_.expect('(', fmt::format("as in {}", entry.usage));
    const std::size_t position = scanner_.position();
    KernelNode node;
    node.type = entry.type;
    node.matrix = std::make_shared<const KernelMatrix>(read_matrix(entry));
    scanner_.expect(')', fmt::format("after the file of {}", entry.name));
    return make(std::move(node), position);
}

}  // namespace

Result<Kernel> parse_kernel(std::string_view text, const KernelFiles* files) {
    try {
        if (text.size() > kMaxKernelText) {
            Scanner("").fail(0, fmt::format("the text has {} characters, at most {} are allowed",
                                            text.size(), kMaxKernelText));
        }
        return KernelParser(text, files).parse();
    } catch (const ParseFailure& failure) {
        return failure.diagnostic;
    }
}

}  // namespace mercer
