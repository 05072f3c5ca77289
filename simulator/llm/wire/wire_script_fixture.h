// SPDX-License-Identifier: Apache-2.0
// Scripts and requests for tests.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "simulator/llm/wire/wire_book.h"

namespace plumb::simulator {

/// `steps` of a scenario as a script; the file is called x.yaml, the first step is line 5.
inline PlayerScript script_of(const std::string& steps) {
  std::vector<RuleEntry> rules(1);
  rules[0].id = "WIRE-07";
  const std::string text = "scenario: s\nrules: [WIRE-07]\nsteps:\n  - user: go\n" + steps;
  const auto scenario = parse_scenario(text, "x.yaml", Catalogue(rules));
  EXPECT_TRUE(scenario) << error_line(scenario.error().front());
  return make_player_script(scenario.value());
}

inline const std::string kHello = R"([{"role":"user","content":"hi"}])";

inline HttpRequest post(std::string path, std::string body) {
  HttpRequest request;
  request.method = "POST";
  request.path = path.substr(0, path.find('?'));
  request.target = std::move(path);
  request.headers = {{"x-api-key", "secret"}, {"anthropic-version", "2023-06-01"}};
  request.body = std::move(body);
  return request;
}

inline HttpRequest messages_request(const std::string& messages = kHello,
                                    const std::string& path = "/v1/messages",
                                    const std::string& rest = "") {
  return post(path, R"({"model":"m","max_tokens":9,"messages":)" + messages + rest + "}");
}

inline HttpRequest chat_request(const std::string& messages = kHello,
                                const std::string& path = "/v1/chat/completions",
                                const std::string& rest = "") {
  HttpRequest request = post(path, R"({"model":"m","messages":)" + messages + rest + "}");
  request.headers = {{"authorization", "Bearer secret"}};
  return request;
}

}  // namespace plumb::simulator
