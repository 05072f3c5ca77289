// SPDX-License-Identifier: Apache-2.0
// The short way through YAML. Nearly all text that this program reads at each start is a catalogue
// of plain block style, and the library costs more than everything else that a short command does.
// Internal to this room.
#pragma once

#include <string_view>

namespace YAML {  // NOLINT(readability-identifier-naming): the library's
class EventHandler;
}

namespace plumb::simulator {

/// Gives `events` what the library's parser would give it, if the text keeps to block maps and
/// lists with short keys, scalars of one line, lists of words in brackets and block scalars of one
/// indentation. False for all other text, right or wrong; some events may have been given then.
bool read_plain_yaml(std::string_view text, YAML::EventHandler& events);

}  // namespace plumb::simulator
