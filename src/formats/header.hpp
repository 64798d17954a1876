// SPDX-License-Identifier: Apache-2.0
//
// src/formats/header.hpp - the JSON header of a model file: everything that is not a block.
//
// Keys are sorted, doubles are the shortest text that reads back exactly ("nan", "inf" and "-inf"
// for the values that JSON lacks), text that is not UTF-8 is {"hex": "..."}: equal models have
// equal bytes. Every key is required exactly once; a new key needs a new version.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "formats/layout.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

/// The reason why a model file is refused; load_model() turns it into a Diagnostic.
class BadModel : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The header of a model with blocks laid out according to `layout`.
[[nodiscard]] std::string write_header(const Model& model, const Layout& layout);

/// A model without the content of its blocks, and the layout of the blocks.
struct Header {
    Model model;
    std::string kernel;  ///< canonical text
    Layout layout;
    std::vector<Block> blocks;
};

/// Throws BadModel unless the text is a header of that version with a block table that follows from
/// its sizes.
[[nodiscard]] Header read_header(std::string_view text, std::uint32_t version);

}  // namespace mercer
