#include "command.hpp"
namespace mercer::cli {
void add_doctor_command(CLI::App&, Session&) {}
}  // namespace mercer::cli
