// SPDX-License-Identifier: Apache-2.0
//
// src/formats/header.hpp - the JSON header of a model file: everything that is not a block.
//
// Keys are sorted, doubles are the shortest text that reads back exactly ("nan", "inf" and "-inf"
// stand for what JSON lacks), text that is not UTF-8 is {"hex": "..."}: equal models have equal
// bytes. Every key is required, once; none may be added without a new version.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "formats/layout.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

/// Why a model file is refused; load_model() makes it a Diagnostic.
class BadModel : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The header of a model whose blocks are laid out as `layout` says.
[[nodiscard]] std::string write_header(const Model& model, const Layout& layout);

/// A model without what the blocks hold, and the layout of these.
struct Header {
    Model model;
    std::string kernel;  ///< canonical text
    Layout layout;
    std::vector<Block> blocks;
};

/// Throws BadModel unless the text is a header of that version whose block table follows from its
/// sizes.
[[nodiscard]] Header read_header(std::string_view text, std::uint32_t version);

}  // namespace mercer
