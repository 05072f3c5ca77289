// SPDX-License-Identifier: Apache-2.0
#include "engine/tools/builtin/picture_codec.h"

#include <cstdlib>
#include <memory>
#include <utility>

namespace {

/// The largest block that a codec may ask for: a file can name any size, also within a picture of a
/// few pixels, whose data unpack without end.
constexpr std::size_t kBlockBytesMax = std::size_t{256} << 20;

void* bounded_block(std::size_t bytes) {
  return bytes > kBlockBytesMax ? nullptr : std::malloc(bytes);
}

void* bounded_larger_block(void* block, std::size_t bytes) {
  return bytes > kBlockBytesMax ? nullptr : std::realloc(block, bytes);
}

}  // namespace

// The library in the one source that has its code. Only the formats whose decoders are needed: the
// others are further ways in for a hostile file.
// NOLINTBEGIN(readability-identifier-naming): its names
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_BMP
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_MALLOC(bytes) bounded_block(bytes)
#define STBI_REALLOC(block, bytes) bounded_larger_block(block, bytes)
#define STBI_FREE(block) std::free(block)
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#define STB_IMAGE_RESIZE_STATIC
#define STBIR_MALLOC(bytes, context) (static_cast<void>(context), bounded_block(bytes))
#define STBIR_FREE(block, context) (static_cast<void>(context), std::free(block))
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#define STBIW_MALLOC(bytes) bounded_block(bytes)
#define STBIW_REALLOC(block, bytes) bounded_larger_block(block, bytes)
#define STBIW_FREE(block) std::free(block)
// NOLINTEND(readability-identifier-naming)
// Its casts stand around our macros, so that they count as ours.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include <stb/stb_image.h>
#include <stb/stb_image_resize.h>
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace plumb::engine {
namespace {

struct FreeBlock {
  void operator()(stbi_uc* block) const { std::free(block); }
};
using Block = std::unique_ptr<stbi_uc, FreeBlock>;

/// The library speaks of pixels as unsigned bytes.
const stbi_uc* as_samples(std::string_view bytes) {
  return reinterpret_cast<const stbi_uc*>(bytes.data());
}

struct Header {
  int width = 0;
  int height = 0;
  int channels = 0;
};

Result<Header> read_header(std::string_view bytes) {
  if (std::ssize(bytes) > kPictureFileBytesMax) {
    return fail(ErrorCode::rejected, "its file is too large to decode");
  }
  Header header;
  const bool is_known = stbi_info_from_memory(as_samples(bytes), static_cast<int>(bytes.size()),
                                              &header.width, &header.height, &header.channels) != 0;
  if (!is_known || header.width < 1 || header.height < 1) {
    return fail(ErrorCode::invalid, "it cannot be decoded");
  }
  if (std::int64_t{header.width} * header.height > kPicturePixelsMax) {
    return fail(ErrorCode::rejected, "it has too many pixels to decode");
  }
  return header;
}

std::unexpected<Error> no_memory() {
  return fail(ErrorCode::io, "there is no memory for it");
}

void append_bytes(void* text, void* bytes, int count) {
  static_cast<std::string*>(text)->append(static_cast<const char*>(bytes),
                                          static_cast<std::size_t>(count));
}

int as_int(std::int64_t number) {
  return static_cast<int>(number);
}

}  // namespace

Result<Picture> decode_picture(std::string_view bytes) {
  PLUMB_TRY(Header header, read_header(bytes));
  const Block block(stbi_load_from_memory(as_samples(bytes), static_cast<int>(bytes.size()),
                                          &header.width, &header.height, &header.channels, 0));
  if (block == nullptr) return fail(ErrorCode::invalid, "it cannot be decoded");
  Picture picture;
  picture.size = PixelSize{header.width, header.height};
  picture.channels = header.channels;
  const auto count = static_cast<std::size_t>(header.width) *
                     static_cast<std::size_t>(header.height) *
                     static_cast<std::size_t>(header.channels);
  picture.samples.assign(reinterpret_cast<const char*>(block.get()), count);
  return picture;
}

Result<Picture> scale_picture(const Picture& picture, PixelSize size) {
  Picture scaled;
  scaled.size = size;
  scaled.channels = picture.channels;
  scaled.samples.resize(static_cast<std::size_t>(size.width * size.height * picture.channels));
  const int alpha = picture.has_alpha() ? as_int(picture.channels) - 1 : STBIR_ALPHA_CHANNEL_NONE;
  const int done = stbir_resize_uint8_generic(
      as_samples(picture.samples), as_int(picture.size.width), as_int(picture.size.height), 0,
      reinterpret_cast<stbi_uc*>(scaled.samples.data()), as_int(size.width), as_int(size.height), 0,
      as_int(picture.channels), alpha, 0, STBIR_EDGE_CLAMP, STBIR_FILTER_DEFAULT,
      STBIR_COLORSPACE_SRGB, nullptr);
  if (done == 0) return no_memory();
  return scaled;
}

Result<std::string> encode_png(const Picture& picture) {
  std::string bytes;
  const int done =
      stbi_write_png_to_func(append_bytes, &bytes, as_int(picture.size.width),
                             as_int(picture.size.height), as_int(picture.channels),
                             picture.samples.data(), as_int(picture.size.width * picture.channels));
  if (done == 0) return no_memory();
  return bytes;
}

Result<std::string> encode_jpeg(const Picture& picture, int quality) {
  std::string bytes;
  const int done = stbi_write_jpg_to_func(append_bytes, &bytes, as_int(picture.size.width),
                                          as_int(picture.size.height), as_int(picture.channels),
                                          picture.samples.data(), quality);
  if (done == 0) return no_memory();
  return bytes;
}

}  // namespace plumb::engine
