// SPDX-License-Identifier: Apache-2.0
#include "reports/html.h"

#include "reports/card.h"
#include "reports/junit.h"
#include "reports/text.h"

namespace plumb::reports {
namespace {

constexpr std::string_view kStyle = R"css(
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem;
  padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { border: 1px solid #bbb; padding: .2rem .6rem; text-align: left; vertical-align: top; }
fieldset { border: 1px solid #bbb; display: flex; flex-wrap: wrap; gap: .3rem 1rem; }
details { border-left: 4px solid #999; margin: .4rem 0; padding: .1rem .8rem; }
details.fail, details.harness_error, details.stale { border-color: #c62828; }
details.pass { border-color: #2e7d32; }
details.expected_failure { border-color: #b26a00; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .4rem 0; }
dt { color: #555; }
dd { font-family: ui-monospace, monospace; margin: 0; overflow-wrap: anywhere;
  unicode-bidi: isolate; white-space: pre-wrap; }
)css";

// Only textContent is ever set: nothing in a record is read as markup.
constexpr std::string_view kScript = R"js(
"use strict";
const record = JSON.parse(document.getElementById("record").textContent);
const parts = ["fail", "harness_error", "stale", "expected_failure", "untestable", "not_applicable",
  "not_triggered", "not_run", "pass"];
const shown = new Set(["fail", "harness_error", "stale"]);
const list = document.getElementById("list");

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function partOf(v) {
  if (v.expected_by && v.expected_by.stale) return "stale";
  if (v.verdict === "fail" && v.expected_by) return "expected_failure";
  if (v.verdict === "untestable" && v.claimed && !v.expected_by) return "fail";
  return v.verdict;
}

function itemsOf(s) {
  const items = s.rules.map((v) => ({ part: partOf(v), rule: v.rule,
    text: v.title === undefined ? record.rules[v.rule] : v, reason: v.reason,
    expected: v.expected_by, findings: v.findings }));
  for (const f of s.expectation_failures) {
    items.push({ part: "fail", rule: "expectation", text: {}, findings: [f] });
  }
  for (const e of s.errors) {
    items.push({ part: "harness_error", rule: "harness error", text: {},
      findings: [{ message: e.message, where: e.where }] });
  }
  if (s.skip_reason && s.rules.length === 0) {
    items.push({ part: "not_run", rule: "not run", text: {}, reason: s.skip_reason, findings: [] });
  }
  return items.map((item) => ({ ...item, scenario: s }));
}

function runItems() {
  const items = [];
  for (const d of record.diagnostics) {
    if (d.severity !== "error" && d.severity !== "input_error") continue;
    items.push({ part: "harness_error", rule: d.severity, text: {},
      findings: [{ message: d.message, where: d.where }] });
  }
  for (const e of record.stale_expectations) {
    items.push({ part: "stale", rule: "expectation", text: {},
      findings: [{ message: e.message, where: e.where }] });
  }
  return items;
}

function row(dl, name, value) {
  if (value === undefined || value === "") return;
  dl.append(element("dt", name), element("dd", String(value)));
}

function addFinding(dl, f) {
  row(dl, "message", f.message);
  row(dl, "at", f.where);
  if (f.event_seq >= 0) row(dl, "event", "#" + f.event_seq + " " + f.event_text);
  row(dl, "expected", f.expected);
  row(dl, "actual", f.actual);
  row(dl, "related", (f.related || []).map((n) => "#" + n).join(", "));
}

function fill(details, item) {
  const dl = element("dl");
  row(dl, "rule", item.text.sentence);
  row(dl, "reason", item.reason);
  if (item.expected) {
    row(dl, "expected by", item.expected.file + ": " + item.expected.verdict + ", " +
      item.expected.reason + ", until " + item.expected.expires);
  }
  for (const f of item.findings) addFinding(dl, f);
  if (item.scenario) {
    row(dl, "scenario", item.scenario.file + ":" + item.scenario.line);
    row(dl, "schedule", item.scenario.schedule);
    row(dl, "reproduce", item.scenario.reproduce);
  }
  details.append(dl);
}

function view(item) {
  const details = element("details", undefined, item.part);
  const s = item.scenario;
  const where = s ? s.id + (s.variant ? " [" + s.variant + "]" : "") : "";
  const title = item.text.title || "";
  details.append(element("summary", [item.part.replaceAll("_", " "), item.rule, title, where]
    .filter((word) => word !== "").join(" \u00b7 ")));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) fill(details, item);
  });
  return details;
}

const items = [...record.scenarios.flatMap(itemsOf), ...runItems()];

function draw() {
  const chosen = items.filter((item) => shown.has(item.part));
  list.replaceChildren(...chosen.map(view));
  if (chosen.length === 0) list.append(element("p", "Nothing to show for this choice."));
}

const filters = document.getElementById("filters");
for (const part of parts) {
  const label = element("label");
  const box = element("input");
  box.type = "checkbox";
  box.checked = shown.has(part);
  box.addEventListener("change", () => {
    if (box.checked) shown.add(part); else shown.delete(part);
    draw();
  });
  const count = items.filter((item) => item.part === part).length;
  label.append(box, " " + part.replaceAll("_", " ") + " (" + count + ")");
  filters.append(label);
}
draw();
)js";

constexpr std::string_view kScriptHash = "sha256-942pVEvk9xc9vcaBcpLvBzz3/Zqye6v64c/DurEZ2zM=";
constexpr std::string_view kStyleHash = "sha256-9p6YXl+/ARfbQRm1pKfu8qiDI3UdpZDrccotYo8Hzjk=";

std::string policy() {
  return "default-src 'none'; script-src '" + std::string(kScriptHash) + "'; style-src '" +
         std::string(kStyleHash) + "'; base-uri 'none'; form-action 'none'";
}

std::string counts_html(const Summary& summary) {
  std::string head;
  std::string body;
  for (const PartCount& part : parts_of(summary)) {
    head += "<th>" + words_of(part.name) + "</th>";
    body += "<td>" + std::to_string(part.count) + "</td>";
  }
  return "<table>\n<tr>" + head + "</tr>\n<tr>" + body + "</tr>\n</table>\n";
}

std::string head_html(const std::string& total) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
         policy() +
         "\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>plumb: " + total +
         "</title>\n<style>" + std::string(kStyle) + "</style>\n</head>\n";
}

}  // namespace

std::string_view html_script() {
  return kScript;
}
std::string_view html_style() {
  return kStyle;
}
std::string_view html_script_hash() {
  return kScriptHash;
}
std::string_view html_style_hash() {
  return kStyleHash;
}

std::string html_text(const Record& record, const RenderOptions& options) {
  const Summary summary = summarise(record);
  const std::string total = total_text(summary);
  std::string text = head_html(total) + "<body>\n<h1>" + total + "</h1>\n<p>Subject " +
                     xml_escaped(record.subject) + ", edition " + xml_escaped(record.edition) +
                     ", exit code " + std::to_string(summary.exit_code) + ", " +
                     std::to_string(summary.scenarios) + " scenarios.</p>\n";
  text += counts_html(summary);
  text += "<noscript><p>The list of verdicts needs JavaScript.</p></noscript>\n";
  text += "<fieldset id=\"filters\"><legend>Show</legend></fieldset>\n<div id=\"list\"></div>\n";
  // Within JSON `<` stands in strings only, so the escape changes no value and no tag can begin.
  text += "<script type=\"application/json\" id=\"record\">" +
          replaced(compact_json_text(record, options), "<", "\\u003c") + "</script>\n";
  text += "<script>" + std::string(kScript) + "</script>\n</body>\n</html>\n";
  return text;
}

}  // namespace plumb::reports
