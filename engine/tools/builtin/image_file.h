// SPDX-License-Identifier: Apache-2.0
// Images among the files that read shows: recognised by their first bytes (READ-19..26).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/tools/definition.h"

namespace plumb::engine {

/// image/png, image/jpeg, image/gif, image/webp, image/bmp; "" for everything else, SVG, animated
/// PNG and JPEG-LS included (READ-21).
std::string_view image_type_of(std::string_view bytes);

struct PixelSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

/// What the header of a picture says; nothing for BMP and for headers that cannot be read.
std::optional<PixelSize> pixel_size_of(std::string_view bytes, std::string_view type);

/// A text block that names the type, and the picture. A picture beyond the model's limits (2000 x
/// 2000 pixels, 4.5 MiB of base64), one whose size cannot be told, and a BMP are left out with a
/// note: there is no codec here to make them smaller or convert them (READ-25).
ToolResult image_file_result(std::string_view bytes, std::string_view type);

std::string base64(std::string_view bytes);

}  // namespace plumb::engine
