// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/picture_codec.h"

#include <cstdint>
#include <string>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tools/builtin/image_file.h"

namespace plumb::engine {
namespace {

using ::testing::HasSubstr;

Picture plain_picture(PixelSize size, std::int64_t channels) {
  Picture picture;
  picture.size = size;
  picture.channels = channels;
  picture.samples.assign(static_cast<std::size_t>(size.width * size.height * channels), '\x60');
  return picture;
}

/// Without repetitions, so that nothing makes it small.
Picture noisy_picture(PixelSize size) {
  Picture picture = plain_picture(size, 3);
  std::uint32_t state = 1;
  for (char& sample : picture.samples) {
    state = state * 1664525U + 1013904223U;
    sample = static_cast<char>(state >> 24U);
  }
  return picture;
}

std::string png_of(const Picture& picture) {
  return encode_png(picture).value();
}

std::string note_of(const ToolResult& result) {
  return std::get<TextBlock>(result.content[0]).text;
}

TEST(PictureCodec, DecodesWhatItEncodes) {
  const Picture picture = noisy_picture({5, 3});

  const auto from_png = decode_picture(png_of(picture));
  const auto from_jpeg = decode_picture(encode_jpeg(picture, 80).value());

  ASSERT_TRUE(from_png) << from_png.error().message;
  EXPECT_EQ(from_png->samples, picture.samples);
  ASSERT_TRUE(from_jpeg) << from_jpeg.error().message;
  EXPECT_EQ(from_jpeg->size, picture.size);
}

TEST(PictureCodec, MakesPicturesSmaller) {
  for (std::int64_t channels = 1; channels <= 4; ++channels) {
    const auto scaled = scale_picture(plain_picture({100, 50}, channels), {20, 10});

    ASSERT_TRUE(scaled) << scaled.error().message;
    EXPECT_EQ(scaled->samples, plain_picture({20, 10}, channels).samples);
  }
}

TEST(PictureCodec, RefusesHugeHeadersWithoutDecoding) {
  std::string bytes = png_of(plain_picture({1, 1}, 3));
  bytes.replace(16, 8, std::string("\x00\x00\xEA\x60\x00\x00\xEA\x60", 8));

  EXPECT_FALSE(decode_picture(bytes));
  EXPECT_THAT(note_of(image_file_result(bytes, "image/png")), HasSubstr("60000x60000"));
}

TEST(PictureCodec, RefusesSizesJustBeyondTheBound) {
  std::string bytes = png_of(plain_picture({1, 1}, 1));
  bytes.replace(16, 8, std::string("\x00\x00\x1B\xA0\x00\x00\x1B\xA0", 8));  // 7072 x 7072

  const auto decoded = decode_picture(bytes);

  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, ErrorCode::rejected);
}

void expect_note(const std::string& bytes) {
  const auto type = image_type_of(bytes);
  if (type.empty()) return;
  const ToolResult result = image_file_result(bytes, type);
  EXPECT_FALSE(result.is_error);
  EXPECT_FALSE(note_of(result).empty());
}

TEST(PictureCodec, SurvivesDamage) {  // READ-25
  const Picture picture = noisy_picture({9, 7});
  for (const auto& whole : {png_of(picture), encode_jpeg(picture, 60).value()}) {
    for (std::size_t i = 0; i < whole.size(); ++i) {
      std::string flipped = whole;
      flipped[i] = static_cast<char>(flipped[i] ^ 0x5A);
      expect_note(flipped);
      expect_note(whole.substr(0, i));
    }
  }
}

TEST(ImageFile, ShowsWhatFitsAsItIs) {  // READ-22
  const std::string bytes = png_of(plain_picture({30, 20}, 3));

  const ToolResult result = image_file_result(bytes, "image/png");

  EXPECT_EQ(note_of(result), "Image file [image/png]");
  EXPECT_EQ(result.content[1], ContentBlock(ImageBlock{base64(bytes), "image/png"}));
}

TEST(ImageFile, SaysHowASmallerPictureMapsToTheOriginal) {  // READ-22, READ-23
  const std::string bytes = png_of(plain_picture({100, 50}, 3));
  PictureLimits limits;
  limits.width = limits.height = 20;

  const ToolResult result = image_file_result(bytes, "image/png", limits);

  EXPECT_EQ(note_of(result),
            "Image file [image/png]\n[Shown at 20x10 pixels; the original has 100x50. Multiply "
            "coordinates by 5.00 to find them in the original.]");
}

TEST(ImageFile, TakesTheSmallerForm) {  // READ-22
  const auto type_within = [](std::int64_t side, const Picture& picture) {
    PictureLimits limits;
    limits.width = limits.height = side;
    const ToolResult result = image_file_result(png_of(picture), "image/png", limits);
    return std::get<ImageBlock>(result.content.at(1)).mime_type;
  };

  EXPECT_EQ(type_within(200, noisy_picture({300, 300})), "image/jpeg");
  EXPECT_EQ(type_within(20, plain_picture({300, 300}, 3)), "image/png");
}

TEST(ImageFile, MakesPicturesSmallerUntilTheirBytesFit) {  // READ-22
  PictureLimits limits;
  limits.base64_bytes = 3000;

  const ToolResult result =
      image_file_result(png_of(noisy_picture({200, 200})), "image/png", limits);

  ASSERT_EQ(result.content.size(), 2U);
  EXPECT_LE(std::get<ImageBlock>(result.content[1]).data.size(), 3000U);
  EXPECT_THAT(note_of(result), HasSubstr("the original has 200x200"));
}

TEST(ImageFile, LeavesOutWhatCannotBeMadeToFit) {  // READ-25
  PictureLimits limits;
  limits.base64_bytes = 8;

  const ToolResult result =
      image_file_result(png_of(plain_picture({9, 9}, 4)), "image/png", limits);

  EXPECT_EQ(result.content.size(), 1U);
  EXPECT_THAT(note_of(result), HasSubstr("cannot be made small enough"));
}

}  // namespace
}  // namespace plumb::engine
