// SPDX-License-Identifier: Apache-2.0
#include "simulator/invariants/picture_view.h"

#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

using std::string_view_literals::operator""sv;

std::int64_t number_at(std::string_view bytes, std::size_t at, std::size_t length) {
  std::int64_t value = 0;
  for (std::size_t i = at; i < at + length; ++i) {
    value = value * 256 + (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0);
  }
  return value;
}

/// The first frame header; nothing when the markers end before one.
std::optional<PixelCount> pixels_of_jpeg(std::string_view bytes) {
  for (std::size_t at = 2; at + 9 < bytes.size();) {
    const std::int64_t marker = number_at(bytes, at, 2);
    const bool is_table = marker == 0xFFC4 || marker == 0xFFC8 || marker == 0xFFCC;
    if (marker >= 0xFFC0 && marker <= 0xFFCF && !is_table) {
      return PixelCount{number_at(bytes, at + 7, 2), number_at(bytes, at + 5, 2)};
    }
    if (marker < 0xFF00) return std::nullopt;
    at += 2 + static_cast<std::size_t>(number_at(bytes, at + 2, 2));
  }
  return std::nullopt;
}

const Json& model_told(const Request& request, const Story& story) {
  return at(setting("models", story), model_of(request));
}

void take_side(std::int64_t& side, const Json& told) {
  if (told.is_number()) side = whole_number(told);
}

}  // namespace

const Json* picture_in(const Json& content) {
  if (!content.is_array()) return nullptr;
  for (const auto& block : content) {
    if (at(block, "type") == "image") return &block;
  }
  return nullptr;
}

std::optional<PixelCount> pixels_of(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1A\n"sv) && bytes.size() >= 24) {
    return PixelCount{number_at(bytes, 16, 4), number_at(bytes, 20, 4)};
  }
  return bytes.starts_with("\xFF\xD8\xFF"sv) ? pixels_of_jpeg(bytes) : std::nullopt;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) return std::nullopt;
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char digit : text) {
    const auto value = kDigits.find(digit);
    if (value == kDigits.npos) return std::nullopt;
    bits = (bits << 6U | static_cast<std::uint32_t>(value)) & 0xFFFFFFU;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> static_cast<unsigned>(held) & 0xFFU);
  }
  return bytes;
}

std::string model_of(const Request& request) {
  return text_at(request.request->params.get(), "model");
}

bool takes_pictures(const Request& request, const Story& story) {
  return at(model_told(request, story), "takes_pictures") != false;
}

void accept_placeholders(Json& expected, const Json& shown) {
  for (std::size_t i = 0; i < expected.size() && i < shown.size(); ++i) {
    if (at(expected[i], "type") == "image" && at(shown[i], "type") == "text") {
      expected[i] = shown[i];
    }
  }
}

PictureBounds bounds_for(const Request& request, const Story& story) {
  PictureBounds bounds;
  const Json* told = &at(model_told(request, story), "pictures");
  if (told->is_null()) told = &setting("pictures", story);
  bounds.is_told = told->is_object();
  take_side(bounds.most.width, at(*told, "width"));
  take_side(bounds.most.height, at(*told, "height"));
  return bounds;
}

}  // namespace plumb::invariants
