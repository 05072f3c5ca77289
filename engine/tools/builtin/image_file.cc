// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/image_file.h"

#include <utility>

namespace plumb::engine {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::int64_t kPixelsMax = 2000;
constexpr std::int64_t kBase64Max = 4'718'592;

std::int64_t byte_at(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
}

std::int64_t big_endian(std::string_view bytes, std::size_t at, std::size_t length) {
  std::int64_t value = 0;
  for (std::size_t i = 0; i < length; ++i) value = value * 256 + byte_at(bytes, at + i);
  return value;
}

std::int64_t little_endian(std::string_view bytes, std::size_t at, std::size_t length) {
  std::int64_t value = 0;
  for (std::size_t i = length; i > 0; --i) value = value * 256 + byte_at(bytes, at + i - 1);
  return value;
}

/// An acTL chunk before the first IDAT.
bool is_animated_png(std::string_view bytes) {
  std::size_t at = 8;
  while (at + 8 <= bytes.size()) {
    const auto type = bytes.substr(at + 4, 4);
    if (type == "acTL") return true;
    if (type == "IDAT") return false;
    at += 12 + static_cast<std::size_t>(big_endian(bytes, at, 4));
  }
  return false;
}

/// The frame header of a JPEG; a marker F7 is JPEG-LS.
std::optional<PixelSize> jpeg_size(std::string_view bytes) {
  std::size_t at = 2;
  while (at + 9 < bytes.size() && byte_at(bytes, at) == 0xFF) {
    const std::int64_t marker = byte_at(bytes, at + 1);
    const bool is_frame =
        marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (is_frame) return PixelSize{big_endian(bytes, at + 7, 2), big_endian(bytes, at + 5, 2)};
    at += 2 + static_cast<std::size_t>(big_endian(bytes, at + 2, 2));
  }
  return std::nullopt;
}

std::optional<PixelSize> webp_size(std::string_view bytes) {
  const auto form = bytes.substr(12, 4);
  if (form == "VP8X") {
    return PixelSize{little_endian(bytes, 24, 3) + 1, little_endian(bytes, 27, 3) + 1};
  }
  if (form == "VP8L") {
    const std::int64_t bits = little_endian(bytes, 21, 4);
    return PixelSize{(bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1};
  }
  if (form == "VP8 ") {
    return PixelSize{little_endian(bytes, 26, 2) & 0x3FFF, little_endian(bytes, 28, 2) & 0x3FFF};
  }
  return std::nullopt;
}

/// Why the picture cannot be shown, or "".
std::string reason_to_omit(std::string_view bytes, std::string_view type) {
  if (type == "image/bmp") return "the model takes no BMP";
  const auto size = pixel_size_of(bytes, type);
  if (!size || size->width < 1 || size->height < 1) return "it cannot be decoded";
  if (size->width > kPixelsMax || size->height > kPixelsMax) {
    return "it has " + std::to_string(size->width) + "x" + std::to_string(size->height) +
           " pixels, more than 2000x2000";
  }
  const std::int64_t encoded = (std::ssize(bytes) + 2) / 3 * 4;
  return encoded > kBase64Max ? "it is larger than the model takes" : "";
}

}  // namespace

std::optional<PixelSize> pixel_size_of(std::string_view bytes, std::string_view type) {
  if (type == "image/png") return PixelSize{big_endian(bytes, 16, 4), big_endian(bytes, 20, 4)};
  if (type == "image/gif") return PixelSize{little_endian(bytes, 6, 2), little_endian(bytes, 8, 2)};
  if (type == "image/jpeg") return jpeg_size(bytes);
  return type == "image/webp" ? webp_size(bytes) : std::nullopt;
}

std::string_view image_type_of(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1A\n"sv)) return is_animated_png(bytes) ? "" : "image/png";
  if (bytes.starts_with("\xFF\xD8\xFF"sv)) return byte_at(bytes, 3) == 0xF7 ? "" : "image/jpeg";
  if (bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a")) return "image/gif";
  if (bytes.starts_with("RIFF") && bytes.size() >= 16 && bytes.substr(8, 4) == "WEBP") {
    return "image/webp";
  }
  // "BM" alone begins many a text: the header's size field must be one that exists.
  const std::int64_t header = little_endian(bytes, 14, 4);
  const bool has_header = header == 12 || header == 40 || header == 108 || header == 124;
  return bytes.starts_with("BM") && bytes.size() >= 26 && has_header ? "image/bmp" : "";
}

ToolResult image_file_result(std::string_view bytes, std::string_view type) {
  std::string note = "Image file [" + std::string(type) + "]";
  const std::string reason = reason_to_omit(bytes, type);
  if (!reason.empty()) {
    ToolResult left_out = text_result(note + "\n[The picture is left out: " + reason + ".]");
    left_out.structured_content = SharedJson(Json(text_of(left_out.content)));
    return left_out;
  }
  ToolResult result = text_result(note);
  std::string data = base64(bytes);
  result.structured_content = SharedJson(
      Json{{"type", "image"}, {"data", data}, {"mimeType", type}, {"note", std::move(note)}});
  result.content.emplace_back(ImageBlock{std::move(data), std::string(type)});
  return result;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto group = static_cast<std::size_t>(big_endian(bytes, at, 3));
    for (std::size_t i = 0; i < 4; ++i) {
      const bool is_padding = at + i > bytes.size();
      text += is_padding ? '=' : digits[(group >> (18 - 6 * i)) & 63U];
    }
  }
  return text;
}

}  // namespace plumb::engine
