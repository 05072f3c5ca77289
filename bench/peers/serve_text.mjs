// SPDX-License-Identifier: Apache-2.0
// The one reply that both servers give, in deltas of so many characters.
export const text = "The quick brown fox jumps over the lazy dog. ".repeat(4).trim();
export const chunk = 24;
