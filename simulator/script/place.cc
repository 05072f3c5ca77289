// SPDX-License-Identifier: Apache-2.0
#include "simulator/script/place.h"

#include <algorithm>
#include <tuple>

#include "simulator/script/error_list.h"
#include "simulator/script/words.h"

namespace plumb::simulator {

std::string located(std::string_view file, Place place) {
  std::string where(file);
  if (place.line == 0) return where;
  if (!where.empty()) where += ':';
  return where + std::to_string(place.line) + ':' + std::to_string(place.column);
}

std::string error_line(const Error& error) {
  return on_one_line(error.where.empty() ? error.message : error.where + ": " + error.message);
}

std::vector<Error> ErrorList::take() {
  std::ranges::sort(found_, {}, [](const Found& found) {
    return std::tuple(found.place.line, found.place.column, found.number);
  });
  std::vector<Error> errors;
  for (Found& found : found_) {
    if (std::ssize(errors) == kErrorsOfFileMax) {
      found.message = std::to_string(std::ssize(found_) - kErrorsOfFileMax) +
                      " more errors from here on are not told";
    }
    errors.push_back({ErrorCode::invalid, std::move(found.message), located(file_, found.place)});
    if (std::ssize(errors) > kErrorsOfFileMax) break;
  }
  found_.clear();
  return errors;
}

}  // namespace plumb::simulator
