// SPDX-License-Identifier: Apache-2.0
// Visits the kinds of event, or the value of a payload by its kind. A visitor is compiled for
// every kind, so few files have one.
#pragma once

#include <type_traits>

#include "engine/trace/event.h"

namespace plumb {

/// Calls `visit(std::type_identity<Kind>{})` for each kind, by index.
template <class Visit>
void for_each_kind(const Visit& visit) {
  const auto visit_all = [&visit]<class... Kinds>(KindList<Kinds...>) {
    (visit(std::type_identity<Kinds>{}), ...);
  };
  visit_all(EventKinds{});
}

/// Calls `visit` with the value that the payload holds.
template <class Visit>
void visit_payload(const Payload& payload, const Visit& visit) {
  for_each_kind([&]<class Kind>(std::type_identity<Kind>) {
    if (const Kind* value = payload.as<Kind>()) visit(*value);
  });
}

}  // namespace plumb
