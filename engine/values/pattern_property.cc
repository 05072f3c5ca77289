// SPDX-License-Identifier: Apache-2.0
#include "engine/values/pattern_property.h"

#include <algorithm>
#include <iterator>

namespace plumb {

namespace {

struct CategoryName {
  std::string_view name;
  std::string_view category;
};

// General categories (ECMA-262, table of General_Category values); PCRE2 knows the short names
// only.
constexpr CategoryName kCategoryNames[] = {
    {"Letter", "L"},
    {"Cased_Letter", "L&"},
    {"LC", "L&"},
    {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"},
    {"Titlecase_Letter", "Lt"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Mark", "M"},
    {"Combining_Mark", "M"},
    {"Nonspacing_Mark", "Mn"},
    {"Spacing_Mark", "Mc"},
    {"Enclosing_Mark", "Me"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Letter_Number", "Nl"},
    {"Other_Number", "No"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Connector_Punctuation", "Pc"},
    {"Dash_Punctuation", "Pd"},
    {"Open_Punctuation", "Ps"},
    {"Close_Punctuation", "Pe"},
    {"Initial_Punctuation", "Pi"},
    {"Final_Punctuation", "Pf"},
    {"Other_Punctuation", "Po"},
    {"Symbol", "S"},
    {"Math_Symbol", "Sm"},
    {"Currency_Symbol", "Sc"},
    {"Modifier_Symbol", "Sk"},
    {"Other_Symbol", "So"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Line_Separator", "Zl"},
    {"Paragraph_Separator", "Zp"},
    {"Other", "C"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Format", "Cf"},
    {"Surrogate", "Cs"},
    {"Private_Use", "Co"},
    {"Unassigned", "Cn"},
};

// Binary properties (ECMA-262, table of binary Unicode properties), names and aliases,
// blank-separated.
constexpr std::string_view kBinaryProperties =
    " ASCII ASCII_Hex_Digit AHex Alphabetic Alpha Any Bidi_Control Bidi_C Bidi_Mirrored Bidi_M"
    " Case_Ignorable CI Cased Changes_When_Casefolded CWCF Changes_When_Casemapped CWCM"
    " Changes_When_Lowercased CWL Changes_When_Titlecased CWT Changes_When_Uppercased CWU Dash"
    " Default_Ignorable_Code_Point DI Deprecated Dep Diacritic Dia Emoji Emoji_Component EComp"
    " Emoji_Modifier EMod Emoji_Modifier_Base EBase Emoji_Presentation EPres Extended_Pictographic"
    " ExtPict Extender Ext Grapheme_Base Gr_Base Grapheme_Extend Gr_Ext Hex_Digit Hex"
    " IDS_Binary_Operator IDSB IDS_Trinary_Operator IDST ID_Continue IDC ID_Start IDS Ideographic"
    " Ideo Join_Control Join_C Logical_Order_Exception LOE Lowercase Lower Math"
    " Noncharacter_Code_Point NChar Pattern_Syntax Pat_Syn Pattern_White_Space Pat_WS"
    " Quotation_Mark QMark Radical Regional_Indicator RI Sentence_Terminal STerm Soft_Dotted SD"
    " Terminal_Punctuation Term Unified_Ideograph UIdeo Uppercase Upper Variation_Selector VS"
    " White_Space space XID_Continue XIDC XID_Start XIDS ";

std::string property_escape(std::string_view name, bool is_negated) {
  return (is_negated ? "\\P{" : "\\p{") + std::string(name) + '}';
}

// The short name of a general category, or "".
std::string_view short_category(std::string_view name) {
  const auto found = std::ranges::find_if(kCategoryNames, [name](const CategoryName& entry) {
    return entry.name == name || (entry.category == name && name != "L&");
  });
  return found == std::end(kCategoryNames) ? std::string_view() : found->category;
}

bool is_binary_property(std::string_view name) {
  return !name.empty() && !name.contains(' ') &&
         kBinaryProperties.contains(' ' + std::string(name) + ' ');
}

bool is_property_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::optional<std::string> translate_named_value(std::string_view property, std::string_view value,
                                                 bool is_negated) {
  if (!is_property_name(value)) return {};
  if (property == "General_Category" || property == "gc") {
    const std::string_view category = short_category(value);
    if (category.empty()) return {};
    return property_escape(category, is_negated);
  }
  if (property == "Script" || property == "sc") {
    return property_escape("sc:" + std::string(value), is_negated);
  }
  if (property == "Script_Extensions" || property == "scx") {
    return property_escape("scx:" + std::string(value), is_negated);
  }
  return {};
}

}  // namespace

std::optional<std::string> translate_property(std::string_view expression, bool is_negated) {
  const std::size_t mark = expression.find('=');
  if (mark != std::string_view::npos) {
    return translate_named_value(expression.substr(0, mark), expression.substr(mark + 1),
                                 is_negated);
  }
  if (expression == "Assigned") return property_escape("Cn", !is_negated);
  if (const std::string_view category = short_category(expression); !category.empty()) {
    return property_escape(category, is_negated);
  }
  if (!is_binary_property(expression)) return {};
  return property_escape(expression, is_negated);
}

}  // namespace plumb
