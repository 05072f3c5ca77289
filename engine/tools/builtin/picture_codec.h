// SPDX-License-Identifier: Apache-2.0
// Pictures as pixels: decoding (PNG, JPEG, BMP), making smaller, encoding (PNG, JPEG). Files are
// hostile: the header is looked at before anything is decoded, and nothing is ever larger than the
// bounds below. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/kernel/result.h"

namespace plumb::engine {

/// A picture of more pixels than this is not decoded, whatever its file's size.
inline constexpr std::int64_t kPicturePixelsMax = 50'000'000;
/// Neither is a larger file.
inline constexpr std::int64_t kPictureFileBytesMax = 64 << 20;

struct PixelSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
  bool operator==(const PixelSize&) const = default;
};

/// `samples`: 8 bits each, row by row from the top, `channels` a pixel: 1 grey, 2 grey and alpha, 3
/// red, green and blue, 4 with alpha.
struct Picture {
  PixelSize size;
  std::int64_t channels = 0;
  std::string samples;

  bool has_alpha() const { return channels == 2 || channels == 4; }
};

/// Errors: rejected, for a picture beyond the bounds; invalid, for bytes that cannot be decoded.
Result<Picture> decode_picture(std::string_view bytes);

/// `size` is at least 1 x 1 and not larger than the picture. Errors: io, when there is no memory.
Result<Picture> scale_picture(const Picture& picture, PixelSize size);

/// Errors: io, when there is no memory.
Result<std::string> encode_png(const Picture& picture);
/// `quality`: 1 to 100. Alpha is lost. Errors: as above.
Result<std::string> encode_jpeg(const Picture& picture, int quality);

}  // namespace plumb::engine
