// SPDX-License-Identifier: Apache-2.0
// What an engine knows of a model beside its name: whether it takes pictures, and how large ones.
#pragma once

#include <cstdint>
#include <optional>

namespace plumb::engine {

/// The largest picture: pixels, and bytes of its base64 text (READ-22).
struct PictureLimits {
  std::int64_t width = 2000;
  std::int64_t height = 2000;
  std::int64_t base64_bytes = 4'718'592;
  bool operator==(const PictureLimits&) const = default;
};

/// `pictures`: nothing when the model's makers name no limits; then those of the tool count
/// (READ-23).
struct ModelProfile {
  bool takes_pictures = true;
  std::optional<PictureLimits> pictures;
  bool operator==(const ModelProfile&) const = default;
};

}  // namespace plumb::engine
