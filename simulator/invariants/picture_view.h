// SPDX-License-Identifier: Apache-2.0
// Pictures among the results of calls, and what the host told of its models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "simulator/invariants/story.h"

namespace plumb::invariants {

struct PixelCount {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

/// The first picture of a content list, or null.
const Json* picture_in(const Json& content);

/// What the header of a PNG or JPEG says; nothing for others.
std::optional<PixelCount> pixels_of(std::string_view bytes);

/// Nothing when the text is no base64.
std::optional<std::string> bytes_of_base64(std::string_view text);

/// The model that a request is for; "" if the trace does not tell.
std::string model_of(const Request& request);
/// Whether the model of a request takes pictures, as far as the host told.
bool takes_pictures(const Request& request, const Story& story);

/// Takes over the texts of `shown` that stand in the place of pictures: what a model that takes
/// none is sent (READ-24). Both are lists of blocks.
void accept_placeholders(Json& expected, const Json& shown);

/// The largest picture for a request's model: by the model's own limits, else by the read tool's,
/// else 2000 x 2000 (READ-22, READ-23). `is_told`: not the default.
struct PictureBounds {
  PixelCount most{2000, 2000};
  bool is_told = false;
};
PictureBounds bounds_for(const Request& request, const Story& story);

}  // namespace plumb::invariants
