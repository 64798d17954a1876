#include "command.hpp"
namespace mercer::cli {
struct O { std::string d; };
static ExitStatus r(Session& s, const O&) { s.emit(s.json_result(), "hi\n"); return ExitStatus::done; }
void add_data_commands(CLI::App& root, Session& s) { auto* g = add_command_group(root, "data", "read, write and make data");
 add_command<O>(*g, s, {"info", "describe", "  mercer data info x\n"}, [](CLI::App& a, O& o){ a.add_option("DATA", o.d, "file")->required(); }, r); }
void add_kernel_commands(CLI::App&, Session&) {}
void add_doctor_command(CLI::App&, Session&) {}
}
