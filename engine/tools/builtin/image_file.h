// SPDX-License-Identifier: Apache-2.0
// Images among the files that read shows: recognised by their first bytes and made to fit the model
// (READ-19..26).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/model/model_profile.h"
#include "engine/tools/builtin/picture_codec.h"
#include "engine/tools/definition.h"

namespace plumb::engine {

/// image/png, image/jpeg, image/gif, image/webp, image/bmp; "" for everything else, SVG, animated
/// PNG and JPEG-LS included (READ-21).
std::string_view image_type_of(std::string_view bytes);

/// What the header of a picture says; nothing for BMP and for headers that cannot be read.
std::optional<PixelSize> pixel_size_of(std::string_view bytes, std::string_view type);

/// A text block that names the type, and the picture. One beyond the limits, and a BMP, is encoded
/// anew, as PNG or JPEG, whichever is smaller; the text then says how to find a place of the shown
/// picture in the original (READ-22). One that cannot be decoded or made to fit is left out with a
/// note (READ-25): GIF and WebP have no decoder here and are shown as they are, or not at all.
ToolResult image_file_result(std::string_view bytes, std::string_view type,
                             const PictureLimits& limits = PictureLimits());

std::string base64(std::string_view bytes);

}  // namespace plumb::engine
