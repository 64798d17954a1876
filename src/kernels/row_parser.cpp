// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/row_parser.cpp - row functions from text, by recursive descent.
//
//     sum      := product { ('+' | '-') product }
//     product  := { '-' } power { '*' { '-' } power }
//     power    := primary [ '^' integer ]
//     primary  := number | norm2 | norm | column(j) | exp(sum) | '(' sum ')'
//
// A minus is a factor -1, merged into a number that follows it.
#include "kernels/row_parser.hpp"

#include <fmt/core.h>

#include <array>

#include "kernels/limits.hpp"
#include "kernels/lookup.hpp"

namespace mercer {

namespace {

using RowFunctionPointer = std::shared_ptr<const RowFunction>;

class RowParser {
public:
    explicit RowParser(Scanner& scanner) : scanner_(scanner) {}

    RowFunctionPointer parse_sum() {
        const std::size_t start = scanner_.position();
        if (++depth_ > kMaxRowFunctionDepth + 1) {
            scanner_.fail(start, fmt::format("nested deeper than {} levels", kMaxRowFunctionDepth));
        }
        RowFunction node;
        node.type = RowFunctionType::sum;
        node.children.push_back(parse_product(false));
        for (;;) {
            if (scanner_.accept('+')) {
                node.children.push_back(parse_product(false));
            } else if (scanner_.accept('-')) {
                node.children.push_back(parse_product(true));
            } else {
                break;
            }
        }
        --depth_;
        return node.children.size() == 1 ? node.children.front() : make(std::move(node), start);
    }

private:
    RowFunctionPointer make(RowFunction node, std::size_t position) {
        try {
            return make_row_function(std::move(node));
        } catch (const InvalidArgument& error) {
            scanner_.fail(position, error.what());
        }
    }

    RowFunctionPointer make_number(double value, std::size_t position) {
        RowFunction node;
        node.value = value;
        return make(std::move(node), position);
    }

    RowFunctionPointer parse_product(bool negative) {
        const std::size_t start = scanner_.position();
        RowFunction node;
        node.type = RowFunctionType::product;
        do {
            while (scanner_.accept('-')) {
                negative = !negative;
            }
            const std::size_t position = scanner_.position();
            RowFunctionPointer factor = parse_power();
            if (negative && factor->type == RowFunctionType::number) {
                factor = make_number(-factor->value, position);
            } else if (negative) {
                node.children.push_back(make_number(-1.0, position));
            }
            node.children.push_back(std::move(factor));
            negative = false;
        } while (scanner_.accept('*'));
        return node.children.size() == 1 ? node.children.front() : make(std::move(node), start);
    }

    RowFunctionPointer parse_power() {
        const std::size_t start = scanner_.position();
        RowFunctionPointer base = parse_primary();
        if (!scanner_.accept('^')) {
            return base;
        }
        const std::size_t position = scanner_.position();
        RowFunction node;
        node.type = RowFunctionType::power;
        node.value = scanner_.signed_number();
        node.children = {std::move(base)};
        if (scanner_.peek() == '^') {
            scanner_.fail(scanner_.position(), "a chain of powers is ambiguous; write (f ^ 2) ^ 3");
        }
        // A wrong exponent is reported at the exponent, anything else at the expression.
        const std::size_t blame = node.value >= 0.0 ? start : position;
        return make(std::move(node), blame);
    }

    RowFunctionPointer parse_primary() {
        const std::size_t position = scanner_.position();
        if (scanner_.at_number()) {
            return make_number(scanner_.number(), position);
        }
        if (scanner_.accept('(')) {
            RowFunctionPointer inner = parse_sum();
            scanner_.expect(')', "to close the parenthesis");
            return inner;
        }
        if (!scanner_.at_name()) {
            scanner_.fail_expected("a row function");
        }
        return parse_named();
    }

    RowFunctionPointer parse_named() {
        static constexpr std::array<std::string_view, 4> kNames = {"norm2", "norm", "column",
                                                                   "exp"};
        const std::size_t position = scanner_.position();
        const std::string_view name = scanner_.name(false);
        RowFunction node;
        if (name == "norm2" || name == "norm") {
            node.type = name == "norm2" ? RowFunctionType::norm2 : RowFunctionType::norm;
        } else if (name == "exp") {
            node.type = RowFunctionType::exponential;
            scanner_.expect('(', "as in exp(f)");
            node.children.push_back(parse_sum());
            scanner_.expect(')', "as in exp(f)");
        } else if (name == "column") {
            node.type = RowFunctionType::column;
            scanner_.expect('(', "as in column(0)");
            node.value = static_cast<double>(scanner_.integer("a column number"));
            scanner_.expect(')', "as in column(0)");
        } else {
            scanner_.fail(position, fmt::format("unknown row function '{}'{}", name.substr(0, 40),
                                                did_you_mean(nearest(name, kNames))));
        }
        return make(std::move(node), position);
    }

    Scanner& scanner_;
    int depth_ = 0;
};

}  // namespace

std::shared_ptr<const RowFunction> parse_row_function(Scanner& scanner) {
    return RowParser(scanner).parse_sum();
}

}  // namespace mercer
