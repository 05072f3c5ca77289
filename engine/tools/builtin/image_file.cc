// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/image_file.h"

#include <algorithm>
#include <array>
#include <utility>

namespace plumb::engine {
namespace {

using std::string_view_literals::operator""sv;

/// A picture that is still too large is made smaller so often, by a quarter each time.
constexpr int kSmallerTriesMax = 24;
constexpr std::array<int, 3> kJpegQualities = {80, 60, 40};

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

std::int64_t base64_size(std::string_view bytes) {
  return (std::ssize(bytes) + 2) / 3 * 4;
}

std::string in_pixels(PixelSize size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

/// A picture as the model is shown it.
struct ShownPicture {
  std::string bytes;
  std::string type;
  PixelSize size;
};

bool fits_pixels(PixelSize size, const PictureLimits& limits) {
  return size.width <= limits.width && size.height <= limits.height;
}

std::int64_t rounded_share(std::int64_t length, std::int64_t part, std::int64_t whole) {
  return std::max<std::int64_t>((length * part + whole / 2) / whole, 1);
}

/// As large as the limits allow, in the same proportions.
PixelSize largest_within(PixelSize size, const PictureLimits& limits) {
  if (size.width > limits.width) {
    size.height = rounded_share(size.height, limits.width, size.width);
    size.width = limits.width;
  }
  if (size.height > limits.height) {
    size.width = rounded_share(size.width, limits.height, size.height);
    size.height = limits.height;
  }
  return size;
}

PixelSize three_quarters_of(PixelSize size) {
  return {std::max<std::int64_t>(size.width * 3 / 4, 1),
          std::max<std::int64_t>(size.height * 3 / 4, 1)};
}

/// PNG or JPEG, whichever is smaller; JPEG of less quality when neither fits. What has alpha is a
/// JPEG only when its PNG does not fit. Nothing when none fits.
Result<std::optional<ShownPicture>> smallest_form(const Picture& picture,
                                                  const PictureLimits& limits) {
  PLUMB_TRY(std::string png, encode_png(picture));
  const bool is_png_fit = base64_size(png) <= limits.base64_bytes;
  ShownPicture shown{std::move(png), "image/png", picture.size};
  if (is_png_fit && picture.has_alpha()) return shown;
  for (const int quality : kJpegQualities) {
    PLUMB_TRY(std::string jpeg, encode_jpeg(picture, quality));
    if (is_png_fit && jpeg.size() >= shown.bytes.size()) return shown;
    if (base64_size(jpeg) > limits.base64_bytes) continue;
    return ShownPicture{std::move(jpeg), "image/jpeg", picture.size};
  }
  return is_png_fit ? std::optional(std::move(shown)) : std::nullopt;
}

/// The picture encoded anew, as large as it may be.
Result<ShownPicture> encoded_to_fit(const Picture& picture, const PictureLimits& limits) {
  PixelSize size = largest_within(picture.size, limits);
  for (int i = 0; i < kSmallerTriesMax; ++i) {
    Result<Picture> scaled = size == picture.size ? picture : scale_picture(picture, size);
    if (!scaled) return std::unexpected(scaled.error());
    PLUMB_TRY(auto shown, smallest_form(*scaled, limits));
    if (shown) return *std::move(shown);
    if (size == PixelSize{1, 1}) break;
    size = three_quarters_of(size);
  }
  return fail(ErrorCode::rejected, "it cannot be made small enough for the model");
}

/// There is no decoder for it: it is shown as it is.
Result<ShownPicture> shown_undecoded(std::string_view bytes, std::string_view type,
                                     const PictureLimits& limits) {
  const auto size = pixel_size_of(bytes, type);
  if (!size || size->width < 1 || size->height < 1) {
    return fail(ErrorCode::invalid, "it cannot be decoded");
  }
  if (!fits_pixels(*size, limits) || base64_size(bytes) > limits.base64_bytes) {
    return fail(ErrorCode::rejected,
                "it has " + in_pixels(*size) + " pixels and " + std::to_string(bytes.size()) +
                    " bytes, more than the model takes, and there is no decoder "
                    "to make it smaller");
  }
  return ShownPicture{std::string(bytes), std::string(type), *size};
}

/// `original`: its size in pixels, as far as it was decoded.
Result<ShownPicture> shown_picture(std::string_view bytes, std::string_view type,
                                   const PictureLimits& limits, PixelSize& original) {
  if (type == "image/gif" || type == "image/webp") {
    PLUMB_TRY(auto shown, shown_undecoded(bytes, type, limits));
    original = shown.size;
    return shown;
  }
  const PixelSize claimed = pixel_size_of(bytes, type).value_or(PixelSize());
  const bool is_huge =
      claimed.width > kPicturePixelsMax || claimed.height > kPicturePixelsMax ||
      claimed.width * claimed.height > kPicturePixelsMax;  // The sides first: no overflow.
  if (is_huge) {
    return fail(ErrorCode::rejected,
                "it has " + in_pixels(claimed) + " pixels, too many to decode");
  }
  PLUMB_TRY(const Picture picture, decode_picture(bytes));
  original = picture.size;
  const bool is_shown_as_it_is = type != "image/bmp" && fits_pixels(picture.size, limits) &&
                                 base64_size(bytes) <= limits.base64_bytes;
  if (is_shown_as_it_is) return ShownPicture{std::string(bytes), std::string(type), original};
  return encoded_to_fit(picture, limits);
}

/// Two decimals, rounded.
std::string factor_text(std::int64_t original, std::int64_t shown) {
  const std::int64_t hundredths = (original * 100 + shown / 2) / shown;
  std::string decimals = std::to_string(hundredths % 100);
  if (decimals.size() < 2) decimals.insert(0, "0");
  return std::to_string(hundredths / 100) + "." + decimals;
}

std::string note_of(const ShownPicture& shown, std::string_view type, PixelSize original) {
  std::string note = "Image file [" + shown.type + "]";
  if (shown.type != type) note += ", made from " + std::string(type);
  if (shown.size == original) return note;
  return note + "\n[Shown at " + in_pixels(shown.size) + " pixels; the original has " +
         in_pixels(original) + ". Multiply coordinates by " +
         factor_text(original.width, shown.size.width) + " to find them in the original.]";
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

ToolResult image_file_result(std::string_view bytes, std::string_view type,
                             const PictureLimits& limits) {
  PixelSize original;
  auto shown = shown_picture(bytes, type, limits, original);
  if (!shown) {
    ToolResult left_out =
        text_result("Image file [" + std::string(type) +
                    "]\n[The picture is left out: " + shown.error().message + ".]");
    left_out.structured_content = SharedJson(Json(text_of(left_out.content)));
    return left_out;
  }
  std::string note = note_of(*shown, type, original);
  ToolResult result = text_result(note);
  std::string data = base64(shown->bytes);
  result.structured_content = SharedJson(Json{
      {"type", "image"}, {"data", data}, {"mimeType", shown->type}, {"note", std::move(note)}});
  result.content.emplace_back(ImageBlock{std::move(data), shown->type});
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
