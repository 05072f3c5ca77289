// SPDX-License-Identifier: Apache-2.0
// Limits on what a tool gives back: whole lines, by number and by bytes, from either end.
export const DEFAULT_MAX_LINES = 2000;
export const DEFAULT_MAX_BYTES = 50 * 1024;
const KILO = 1024;
const LINE_CHARACTERS_MAX = 500;

export function formatSize(bytes) {
  if (bytes < KILO) return `${bytes}B`;
  if (bytes < KILO * KILO) return `${(bytes / KILO).toFixed(1)}KB`;
  return `${(bytes / (KILO * KILO)).toFixed(1)}MB`;
}

export function truncateLine(line, maxChars = LINE_CHARACTERS_MAX) {
  if (line.length <= maxChars) return { text: line, wasTruncated: false };
  return { text: `${line.slice(0, maxChars)}... [truncated]`, wasTruncated: true };
}

function linesOf(text) {
  if (text === "") return [];
  const lines = text.split("\n");
  if (text.endsWith("\n")) lines.pop();
  return lines;
}

/** How many lines fit, and what stopped there. */
function fitting(lines, limits) {
  let bytes = 0;
  for (const [index, line] of lines.entries()) {
    if (index === limits.maxLines) return { count: index, by: "lines" };
    bytes += Buffer.byteLength(line) + (index > 0 ? 1 : 0);
    if (bytes > limits.maxBytes) return { count: index, by: "bytes" };
  }
  return { count: lines.length, by: "lines" };
}

function result(text, limits, kept) {
  const content = kept.content ?? text;
  return {
    content,
    truncated: kept.by !== null,
    truncatedBy: kept.by,
    totalLines: linesOf(text).length,
    totalBytes: Buffer.byteLength(text),
    outputLines: kept.lines ?? linesOf(text).length,
    outputBytes: Buffer.byteLength(content),
    lastLinePartial: kept.partial ?? false,
    firstLineExceedsLimit: kept.tooLong ?? false,
    ...limits,
  };
}

function limitsOf(options) {
  return {
    maxLines: options.maxLines ?? DEFAULT_MAX_LINES,
    maxBytes: options.maxBytes ?? DEFAULT_MAX_BYTES,
  };
}

function fits(text, limits) {
  return linesOf(text).length <= limits.maxLines && Buffer.byteLength(text) <= limits.maxBytes;
}

/** The first lines that fit. */
export function truncateHead(text, options = {}) {
  const limits = limitsOf(options);
  if (fits(text, limits)) return result(text, limits, { by: null });
  const lines = linesOf(text);
  const { count, by } = fitting(lines, limits);
  const tooLong = count === 0 && by === "bytes";
  const content = lines.slice(0, count).join("\n");
  return result(text, limits, { content, by, lines: count, tooLong });
}

/** The end of a line that fits, from a whole character on. */
function endOf(line, bytes) {
  const all = Buffer.from(line);
  let from = Math.max(all.length - bytes, 0);
  while (from < all.length && (all[from] & 0xc0) === 0x80) from += 1;
  return all.toString("utf8", from);
}

/** The last lines that fit; of a single line that does not, its end. */
export function truncateTail(text, options = {}) {
  const limits = limitsOf(options);
  if (fits(text, limits)) return result(text, limits, { by: null });
  const lines = linesOf(text);
  const { count, by } = fitting([...lines].reverse(), limits);
  if (count === 0 && by === "bytes") {
    const content = endOf(lines.at(-1), limits.maxBytes);
    return result(text, limits, { content, by, lines: 1, partial: true });
  }
  const content = lines.slice(lines.length - count).join("\n");
  return result(text, limits, { content, by, lines: count });
}
