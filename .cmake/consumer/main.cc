// SPDX-License-Identifier: Apache-2.0
// A program outside the project: sees the installed headers and libraries only.
#include "engine/kernel/result.h"
#include "engine/values/json.h"

int main() {
  const plumb::Result<plumb::Json> value = plumb::parse_json(R"({"b":1,"a":[2]})");
  return value && plumb::dump_json(*value) == R"({"b":1,"a":[2]})" ? 0 : 1;
}
