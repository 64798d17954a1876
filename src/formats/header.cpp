// SPDX-License-Identifier: Apache-2.0
//
// src/formats/header.cpp - writing the header, and reading it back as untrusted input.
#include "formats/header.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "formats/json_tree.hpp"
#include "mercer/base/error.hpp"

namespace mercer {

namespace {

using json = JsonTree;

constexpr std::size_t kDeepestHeader = 8;  // the writer's headers have depth 4

json json_of(double value) {
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value > 0.0 ? "inf" : "-inf";
    }
    return value;
}

json json_of(const std::string& text) {
    if (is_utf8(text)) {
        return text;
    }
    std::string hex;  // a label in an old file
    for (const unsigned char byte : text) {
        hex += fmt::format("{:02x}", byte);
    }
    return {{"hex", hex}};
}

double number_of(const json& value, std::string_view what) {
    if (value.is_number()) {
        return value.number();
    }
    if (value == "nan") {
        return kNaN;
    }
    if (value == "inf" || value == "-inf") {
        return value == "inf" ? kInfinity : -kInfinity;
    }
    throw BadModel(fmt::format("header: '{}' must be a number", what));
}

int digit_of(char c) {
    const std::string_view digits = "0123456789abcdef";
    const std::size_t place = digits.find(c);
    return place == std::string_view::npos ? -1 : static_cast<int>(place);
}

std::string text_of(const json& value, std::string_view what) {
    if (value.is_string()) {
        return value.text();
    }
    if (value.is_object() && value.object().size() == 1 && value.contains("hex") &&
        value["hex"].is_string()) {
        const std::string& hex = value["hex"].text();
        std::string text;
        for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
            const int high = digit_of(hex[i]);
            const int low = digit_of(hex[i + 1]);
            if (high < 0 || low < 0) {
                break;
            }
            text += static_cast<char>(high * 16 + low);
        }
        if (text.size() * 2 == hex.size()) {
            return text;
        }
    }
    throw BadModel(fmt::format("header: '{}' must be text", what));
}

/// An object that must have exactly the expected keys.
class Fields {
public:
    Fields(const json& value, std::string_view what, std::initializer_list<const char*> keys)
        : value_(value) {
        if (!value.is_object()) {
            throw BadModel(fmt::format("header: '{}' must be an object", what));
        }
        for (const char* key : keys) {
            if (!value.contains(key)) {
                throw BadModel(fmt::format("header: '{}' lacks the key '{}'", what, key));
            }
        }
        if (value.object().size() != keys.size()) {
            throw BadModel(fmt::format("header: '{}' has a key it should not have", what));
        }
    }

    [[nodiscard]] const json& at(const char* key) const { return value_[key]; }
    [[nodiscard]] const json& list(const char* key) const {
        if (!value_[key].is_array()) {
            throw BadModel(fmt::format("header: '{}' must be a list", key));
        }
        return value_[key];
    }
    [[nodiscard]] double number(const char* key) const { return number_of(value_[key], key); }
    [[nodiscard]] std::string text(const char* key) const { return text_of(value_[key], key); }
    [[nodiscard]] bool flag(const char* key) const {
        if (!value_[key].is_boolean()) {
            throw BadModel(fmt::format("header: '{}' must be true or false", key));
        }
        return value_[key].boolean();
    }
    [[nodiscard]] std::uint64_t bits(const char* key) const {
        if (!value_[key].is_number_unsigned()) {
            throw BadModel(fmt::format("header: '{}' must be an integer >= 0", key));
        }
        return value_[key].whole();
    }
    [[nodiscard]] index_t count(const char* key) const {
        const std::uint64_t number = bits(key);
        if (number > static_cast<std::uint64_t>(std::numeric_limits<index_t>::max())) {
            throw BadModel(fmt::format("header: '{}' does not fit 63 bits", key));
        }
        return static_cast<index_t>(number);
    }

private:
    const json& value_;
};

/// A certificate in the form of version 1.
Certificate certificate_of(const json& value) {
    const Fields fields(
        value, "certificate",
        {"primal", "dual", "gap", "kkt_violation", "dual_infeasibility", "squared_norm",
         "intercept", "intercepts_from", "intercepts_to", "worst_sample", "exact"});
    Certificate out;
    out.primal = fields.number("primal");
    out.dual = fields.number("dual");
    out.gap = fields.number("gap");
    out.kkt_violation = fields.number("kkt_violation");
    out.dual_infeasibility = fields.number("dual_infeasibility");
    out.squared_norm = fields.number("squared_norm");
    out.intercept = fields.number("intercept");
    out.intercepts = {fields.number("intercepts_from"), fields.number("intercepts_to")};
    out.worst_sample = fields.at("worst_sample") == -1 ? -1 : fields.count("worst_sample");
    out.exact = fields.flag("exact");
    return out;
}

json json_of(const std::optional<Scaling>& scaling, const Layout& layout) {
    if (!scaling) {
        return nullptr;
    }
    return {{"method", json_of(scaling->method)},
            {"column_count", scaling->column_count},
            {"base", json_of(scaling->base)},
            {"listed_columns", layout.scaling_columns},
            {"entries", layout.scaling_entries}};
}

void read_scaling(const json& value, Header& header) {
    if (value.is_null()) {
        return;
    }
    const Fields fields(value, "scaling",
                        {"method", "column_count", "base", "listed_columns", "entries"});
    Scaling scaling;
    scaling.method = fields.text("method");
    scaling.column_count = fields.count("column_count");
    scaling.base = fields.number("base");
    header.layout.scaling_columns = fields.count("listed_columns");
    header.layout.scaling_entries = fields.count("entries");
    header.model.scaling = std::move(scaling);
}

json json_of(const Layout& layout) {
    json matrices = json::array();
    for (const Layout::Shape& shape : layout.kernel_matrices) {
        matrices.push_back({{"rows", shape.rows}, {"columns", shape.columns}});
    }
    json sizes = {{"kernel_matrices", matrices},
                  {"storage", layout.storage},
                  {"rows", layout.rows},
                  {"columns", layout.columns},
                  {"stored", layout.stored},
                  {"outputs", layout.outputs},
                  {"coefficient_columns", layout.coefficient_columns},
                  {"class_counts", layout.class_counts},
                  {"link_a", layout.link_a},
                  {"link_b", layout.link_b}};
    if (layout.version >= 3) {
        sizes.object().emplace("certificates", layout.certificates);
    }
    if (holds_comparisons(layout.version)) {
        sizes.object().emplace("thresholds", layout.thresholds);
        sizes.object().emplace("comparisons", layout.comparisons);
    }
    if (holds_multipliers(layout.version)) {
        sizes.object().emplace("multipliers", layout.multipliers);
    }
    return sizes;
}

/// The size fields of a header of that version.
Fields size_fields(const json& value, std::uint32_t version) {
    if (version == 1) {
        return {
            value, "sizes", {"kernel_matrices", "storage", "rows", "columns", "stored", "outputs"}};
    }
    if (version == 2) {
        return {value,
                "sizes",
                {"kernel_matrices", "storage", "rows", "columns", "stored", "outputs",
                 "coefficient_columns", "class_counts", "link_a", "link_b"}};
    }
    if (version == 7) {
        return {value,
                "sizes",
                {"kernel_matrices", "storage", "rows", "columns", "stored", "outputs",
                 "certificates", "coefficient_columns", "class_counts", "link_a", "link_b",
                 "thresholds", "comparisons", "multipliers"}};
    }
    if (version == 6) {
        return {
            value,
            "sizes",
            {"kernel_matrices", "storage", "rows", "columns", "stored", "outputs", "certificates",
             "coefficient_columns", "class_counts", "link_a", "link_b", "multipliers"}};
    }
    if (version == 5) {
        return {value,
                "sizes",
                {"kernel_matrices", "storage", "rows", "columns", "stored", "outputs",
                 "certificates", "coefficient_columns", "class_counts", "link_a", "link_b",
                 "thresholds", "comparisons"}};
    }
    return {value,
            "sizes",
            {"kernel_matrices", "storage", "rows", "columns", "stored", "outputs", "certificates",
             "coefficient_columns", "class_counts", "link_a", "link_b"}};
}

void read_sizes(const json& value, Layout& layout) {
    const Fields fields = size_fields(value, layout.version);
    for (const json& shape : fields.list("kernel_matrices")) {
        const Fields sides(shape, "kernel_matrices", {"rows", "columns"});
        layout.kernel_matrices.push_back({sides.count("rows"), sides.count("columns")});
    }
    layout.storage = fields.text("storage");
    if (layout.storage != "f64" && layout.storage != "f32" && layout.storage != "csr") {
        throw BadModel("header: 'storage' must be f64, f32 or csr");
    }
    layout.rows = fields.count("rows");
    layout.columns = fields.count("columns");
    layout.stored = fields.count("stored");
    layout.outputs = fields.count("outputs");
    layout.coefficient_columns = layout.outputs;
    layout.certificates = layout.version >= 3 ? fields.count("certificates") : layout.outputs;
    if (layout.version >= 2) {
        layout.coefficient_columns = fields.count("coefficient_columns");
        layout.class_counts = fields.count("class_counts");
        layout.link_a = fields.count("link_a");
        layout.link_b = fields.count("link_b");
    }
    if (holds_comparisons(layout.version)) {
        layout.thresholds = fields.count("thresholds");
        layout.comparisons = fields.count("comparisons");
    }
    if (holds_multipliers(layout.version)) {
        layout.multipliers = fields.count("multipliers");
    }
    if (layout.storage != "csr" && layout.stored != 0) {
        throw BadModel("header: 'stored' must be 0 unless the rows are sparse");
    }
}

json json_of(const std::vector<Block>& blocks) {
    json table = json::array();
    for (const Block& block : blocks) {
        table.push_back({{"name", block.name},
                         {"type", name_of(block.type)},
                         {"count", block.count},
                         {"offset", block.offset}});
    }
    return table;
}

void read_problem(const Fields& fields, Model& model) {
    model.loss = fields.text("loss");
    model.epsilon = fields.number("epsilon");
    model.cost = fields.number("cost");
    model.row_weights = fields.flag("row_weights");
    for (const json& label : fields.list("labels")) {
        model.labels.push_back(text_of(label, "labels"));
    }
    for (const json& entry : fields.list("class_weights")) {
        const Fields pair(entry, "class_weights", {"label", "weight"});
        if (!model.class_weights.emplace(pair.text("label"), pair.number("weight")).second) {
            throw BadModel("header: a class has two weights");
        }
    }
}

void read_outcome(const Fields& fields, Model& model) {
    model.status = fields.text("status");
    model.solver = fields.text("solver");
    model.iterations = fields.count("iterations");
    model.gap_tolerance = fields.number("gap_tolerance");
    model.tolerance = fields.number("tolerance");
    const Fields print(fields.at("fingerprint"), "fingerprint", {"rows", "columns", "hash"});
    model.fingerprint = {print.count("rows"), print.count("columns"), print.bits("hash")};
}

/// The keys of a header of that version.
Fields header_fields(const json& document, std::uint32_t version) {
    if (version == 1) {
        return {document,
                "header",
                {"machine",       "kernel",        "sizes",        "columns",     "labels",
                 "has_intercept", "scaling",       "loss",         "epsilon",     "cost",
                 "class_weights", "row_weights",   "certificates", "status",      "solver",
                 "iterations",    "gap_tolerance", "tolerance",    "fingerprint", "blocks"}};
    }
    if (version == 7) {
        return {document, "header", {"machine",     "kernel",     "sizes",         "columns",
                                     "names",       "labels",     "basis",         "has_intercept",
                                     "scaling",     "loss",       "epsilon",       "cost",
                                     "penalty",     "l1",         "row_weights",   "class_weights",
                                     "nu",          "multiclass", "link",          "status",
                                     "solver",      "iterations", "gap_tolerance", "tolerance",
                                     "fingerprint", "blocks"}};
    }
    if (version == 6) {
        return {document,
                "header",
                {"machine",    "kernel",        "sizes",     "columns",     "labels",
                 "basis",      "has_intercept", "scaling",   "loss",        "epsilon",
                 "cost",       "penalty",       "l1",        "row_weights", "class_weights",
                 "nu",         "multiclass",    "link",      "status",      "solver",
                 "iterations", "gap_tolerance", "tolerance", "fingerprint", "blocks"}};
    }
    if (version == 4) {
        return {document, "header", {"machine",       "kernel",        "sizes",       "columns",
                                     "labels",        "has_intercept", "scaling",     "loss",
                                     "epsilon",       "cost",          "penalty",     "l1",
                                     "class_weights", "row_weights",   "nu",          "multiclass",
                                     "link",          "status",        "solver",      "iterations",
                                     "gap_tolerance", "tolerance",     "fingerprint", "blocks"}};
    }
    return {document, "header", {"machine",     "kernel",        "sizes",         "columns",
                                 "labels",      "has_intercept", "scaling",       "loss",
                                 "epsilon",     "cost",          "class_weights", "row_weights",
                                 "nu",          "multiclass",    "link",          "status",
                                 "solver",      "iterations",    "gap_tolerance", "tolerance",
                                 "fingerprint", "blocks"}};
}

/// The keys that not all versions have.
void read_version_fields(const Fields& fields, std::uint32_t version, Model& model) {
    if (version == 1) {
        for (const json& certificate : fields.list("certificates")) {
            model.certificates.push_back(certificate_of(certificate));
        }
    } else {
        model.nu = fields.number("nu");
        model.multiclass = fields.text("multiclass");
        model.link.kind = fields.text("link");
    }
    if (holds_penalty(version)) {
        model.penalty = fields.text("penalty");
        model.l1 = fields.number("l1");
        if (version < 7 && !model.is_sparse()) {
            throw BadModel("header: versions 4 and 6 are for penalties on the coefficients");
        }
    }
    if (holds_names(version)) {
        const Fields names(fields.at("names"), "names", {"features", "target"});
        for (const json& name : names.list("features")) {
            model.names.features.push_back(text_of(name, "features"));
        }
        model.names.target = names.text("target");
        if (model.names.empty()) {
            throw BadModel("header: version 7 is for names of columns");
        }
    }
    if (holds_multipliers(version)) {
        const std::string basis = fields.text("basis");
        if (basis != "rows" && basis != "columns") {
            throw BadModel("header: 'basis' must be rows or columns");
        }
        model.on_columns = basis == "columns";
    }
}

/// Reads the block table, which must equal the one derived from the layout.
std::vector<Block> read_blocks(const Fields& fields, const Layout& layout) {
    std::optional<std::vector<Block>> blocks = blocks_of(layout);
    if (!blocks) {
        throw BadModel("header: the sizes do not fit 64 bits");
    }
    if (fields.at("blocks") != json_of(*blocks)) {
        throw BadModel("header: the table of blocks does not follow from the sizes");
    }
    return std::move(*blocks);
}

Header header_of(const json& document, std::uint32_t version) {
    const Fields fields = header_fields(document, version);
    Header header;
    header.layout.version = version;
    read_version_fields(fields, version, header.model);
    header.model.machine = fields.text("machine");
    if (version < 7 && (version == 5) != header.model.is_comparison()) {
        throw BadModel("header: version 5 is for the machines ordinal and rank");
    }
    header.kernel = fields.text("kernel");
    header.model.columns = fields.count("columns");
    header.model.has_intercept = fields.flag("has_intercept");
    read_problem(fields, header.model);
    read_outcome(fields, header.model);
    read_sizes(fields.at("sizes"), header.layout);
    read_scaling(fields.at("scaling"), header);
    header.blocks = read_blocks(fields, header.layout);
    return header;
}

json json_of(const std::vector<std::string>& texts) {
    json list = json::array();
    for (const std::string& text : texts) {
        list.push_back(json_of(text));
    }
    return list;
}

json class_weights_json(const Model& model) {
    json class_weights = json::array();
    for (const auto& [label, weight] : model.class_weights) {
        class_weights.push_back({{"label", json_of(label)}, {"weight", json_of(weight)}});
    }
    return class_weights;
}

}  // namespace

std::string write_header(const Model& model, const Layout& layout) {
    json document = {{"machine", json_of(model.machine)},
                     {"kernel", json_of(to_string(model.kernel))},
                     {"sizes", json_of(layout)},
                     {"columns", model.columns},
                     {"labels", json_of(model.labels)},
                     {"has_intercept", model.has_intercept},
                     {"scaling", json_of(model.scaling, layout)},
                     {"loss", json_of(model.loss)},
                     {"epsilon", json_of(model.epsilon)},
                     {"nu", json_of(model.nu)},
                     {"cost", json_of(model.cost)},
                     {"class_weights", class_weights_json(model)},
                     {"row_weights", model.row_weights},
                     {"multiclass", json_of(model.multiclass)},
                     {"link", json_of(model.link.kind)},
                     {"status", json_of(model.status)},
                     {"solver", json_of(model.solver)},
                     {"iterations", model.iterations},
                     {"gap_tolerance", json_of(model.gap_tolerance)},
                     {"tolerance", json_of(model.tolerance)},
                     {"fingerprint",
                      {{"rows", model.fingerprint.rows},
                       {"columns", model.fingerprint.columns},
                       {"hash", model.fingerprint.hash}}},
                     {"blocks", json_of(blocks_of(layout).value())}};
    if (holds_names(layout.version)) {
        document.object().emplace("names", json{{"features", json_of(model.names.features)},
                                                {"target", json_of(model.names.target)}});
    }
    if (holds_multipliers(layout.version)) {
        document.object().emplace("basis", json_of(model.on_columns ? "columns" : "rows"));
    }
    if (holds_penalty(layout.version)) {
        document.object().emplace("penalty", json_of(model.penalty));
        document.object().emplace("l1", json_of(model.l1));
    }
    return document.dump();
}

Header read_header(std::string_view text, std::uint32_t version) {
    try {
        return header_of(parse_json(text, kDeepestHeader), version);
    } catch (const BadJson& error) {
        throw BadModel(fmt::format("header: {}", error.what()));
    }
}

}  // namespace mercer
