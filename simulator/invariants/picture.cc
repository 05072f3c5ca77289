// SPDX-License-Identifier: Apache-2.0
// How large read shows pictures, and to whom: READ-22 to READ-24.
#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/values/sha256.h"
#include "simulator/invariants/domains.h"
#include "simulator/invariants/picture_view.h"
#include "simulator/invariants/read_view.h"
#include "simulator/invariants/shown_content.h"
#include "simulator/invariants/views.h"

namespace plumb::invariants {
namespace {

/// Up to here no picture is too large in bytes, so that pixels alone decide.
constexpr std::int64_t kSmallSideMax = 1000;

/// A picture as a read showed it. `is_anew`: other bytes than those of its file.
struct Shown {
  PixelCount size;
  PictureBounds bounds;
  bool is_anew = false;
};

/// Whether the listing says that the file has other bytes; false when nobody can know.
bool has_other_bytes(const std::string& path, const std::string& bytes, const Story& story) {
  const Json* before_run = first_file(path, story);
  const Json* after_run = final_file(path, story);
  if (before_run == nullptr || after_run == nullptr || *before_run != *after_run) return false;
  const auto hash = text_at(*before_run, "sha256");
  return !hash.empty() && hash != sha256_hex(bytes);
}

/// Nothing unless a good read shows a PNG or JPEG.
std::optional<Shown> shown_by(const Call& call, const Story& story) {
  const Request* request = request_of(call, story);
  if (request == nullptr || !is_undisturbed_read(call, story) || is_error(call)) return {};
  const Json* picture = picture_in(at(result_of(call), "content"));
  if (picture == nullptr) return {};
  const auto bytes = bytes_of_base64(text_at(*picture, "data"));
  const auto size = bytes ? pixels_of(*bytes) : std::nullopt;
  if (!size || size->width < 1 || size->height < 1) return {};
  Shown shown{*size, bounds_for(*request, story), false};
  shown.is_anew = has_other_bytes(text_at(begin_of(call)->args.get(), "path"), *bytes, story);
  return shown;
}

bool touches_its_bounds(const Shown& shown) {
  return shown.size.width == shown.bounds.most.width ||
         shown.size.height == shown.bounds.most.height;
}

/// Made anew and as large as it may be: it was larger. A BMP is always made anew.
bool was_made_smaller(const Call& call, const Story& story) {
  const auto shown = shown_by(call, story);
  return shown && shown->is_anew && touches_its_bounds(*shown) &&
         !text_at(begin_of(call)->args.get(), "path").ends_with(".bmp");
}

std::vector<double> decimals_in(const std::string& text) {
  constexpr std::string_view kDigits = "0123456789";
  std::vector<double> numbers;
  for (std::size_t i = text.find_first_of(kDigits); i < text.size();) {
    auto end = std::min(text.find_first_not_of(kDigits, i), text.size());
    const bool has_fraction =
        end + 1 < text.size() && text[end] == '.' && kDigits.find(text[end + 1]) != kDigits.npos;
    if (has_fraction) end = std::min(text.find_first_not_of(kDigits, end + 1), text.size());
    // 18 characters always fit.
    if (end - i <= 18) numbers.push_back(std::stod(text.substr(i, end - i)));
    i = text.find_first_of(kDigits, end);
    if (i == text.npos) break;
  }
  return numbers;
}

/// Whether width x height in the original becomes the shown size, by a factor that is told.
bool is_mapped(PixelCount shown, double width, double height, const std::vector<double>& told) {
  const double factor = width / static_cast<double>(shown.width);
  const double other = height / static_cast<double>(shown.height);
  // Sides are whole pixels: each may be one off.
  const double slack = 0.02 + factor * 1.01 / static_cast<double>(shown.height) +
                       factor * 1.01 / static_cast<double>(shown.width);
  const bool is_told =
      std::ranges::any_of(told, [&](double number) { return std::abs(number - factor) <= 0.011; });
  return is_told && std::abs(other - factor) <= slack;
}

Complaint maps_to_the_original(const Call& call, const Story& story) {
  const Shown shown = *shown_by(call, story);
  const std::string text = text_in(at(result_of(call), "content"));
  if (!says_number(text, shown.size.width) && !text.contains(std::to_string(shown.size.width))) {
    return finding("the text beside a smaller picture does not tell its size", read_end(call));
  }
  const auto told = decimals_in(text);
  for (const double width : told) {
    for (const double height : told) {
      const bool is_larger = width > static_cast<double>(shown.bounds.most.width) ||
                             height > static_cast<double>(shown.bounds.most.height);
      if (is_larger && is_mapped(shown.size, width, height, told)) return std::nullopt;
    }
  }
  return finding("the text beside a smaller picture does not tell the original size and the factor",
                 read_end(call));
}

// ------------------------------------------------------------------ whose limits (READ-23)

bool has_told_bounds(const Call& call, const Story& story) {
  const auto shown = shown_by(call, story);
  return shown && shown->bounds.is_told;
}

Complaint is_as_large_as_told(const Call& call, const Story& story) {
  const Shown shown = *shown_by(call, story);
  const PixelCount most = shown.bounds.most;
  const std::string size =
      std::to_string(shown.size.width) + "x" + std::to_string(shown.size.height);
  const std::string limit = std::to_string(most.width) + "x" + std::to_string(most.height);
  if (shown.size.width > most.width || shown.size.height > most.height) {
    return finding("a picture of " + size + " is beyond the limits " + limit, read_end(call));
  }
  const bool is_small = most.width <= kSmallSideMax && most.height <= kSmallSideMax;
  const bool is_bmp = text_at(begin_of(call)->args.get(), "path").ends_with(".bmp");
  if (!shown.is_anew || !is_small || is_bmp) return std::nullopt;
  return require(touches_its_bounds(shown),
                 "a picture was made smaller, to " + size + ", than its limits " + limit + " ask",
                 read_end(call));
}

// ------------------------------------------------------------------ blind models (READ-24)

bool reads_for_a_blind_model(const Call& call, const Story& story) {
  const Request* request = request_of(call, story);
  if (request == nullptr || !is_undisturbed_read(call, story) || is_error(call)) return false;
  if (takes_pictures(*request, story)) return false;
  return picture_in(at(result_of(call), "content")) != nullptr ||
         !at(at(result_of(call), "details"), "imageUnsupportedByModel").is_null();
}

Complaint keeps_the_picture(const Call& call, const Story& story) {
  if (picture_in(at(result_of(call), "content")) == nullptr) {
    return finding("the record has no picture for a model that takes none", read_end(call));
  }
  return differ("details name another model than the one that takes no pictures",
                Json(model_of(*request_of(call, story))),
                at(at(result_of(call), "details"), "imageUnsupportedByModel"), read_end(call));
}

Complaint sends_a_placeholder(const Call& call, const Story& story) {
  const Request* next = next_request_of(call, story);
  if (next == nullptr || shown_result(call, story) == nullptr || takes_pictures(*next, story)) {
    return std::nullopt;
  }
  const Json& result = at(result_of(call), "content");
  const Json shown = shown_content(call, result, story);
  if (picture_in(shown) != nullptr) {
    return finding("a picture is sent to a model that takes none", next->event);
  }
  return require(shown.size() >= result.size(), "no placeholder stands in the place of a picture",
                 next->event);
}

}  // namespace

std::vector<Rule> picture_rules() {
  return {
      rule("READ-22",
           "beside a picture that was made smaller stand its size, the original's and the factor "
           "between them; triggered by other bytes than the file's and a side at the limit")
          .for_each_call()
          .among({"read"})
          .when(was_made_smaller)
          .expect(maps_to_the_original),
      rule("READ-23",
           "a picture is within the limits of the model, else within those of the read tool, and "
           "as large as they allow; triggered by limits that the host told")
          .for_each_call()
          .among({"read"})
          .when(has_told_bounds)
          .expect(is_as_large_as_told),
      rule("READ-24",
           "a picture that the model does not take is kept, details name the model, and its "
           "requests have a placeholder")
          .for_each_call()
          .among({"read"})
          .when(reads_for_a_blind_model)
          .expect(keeps_the_picture)
          .expect(sends_a_placeholder),
  };
}

}  // namespace plumb::invariants
