// SPDX-License-Identifier: Apache-2.0
//
// cli/main.cpp - the mercer program.
int main() { return 2; }
