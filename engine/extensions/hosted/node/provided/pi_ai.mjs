// SPDX-License-Identifier: Apache-2.0
// What extensions import as values from pi's model package.
import { Type } from "typebox";

/** A schema of a few texts, as `enum`: some providers take no union of constants. */
function StringEnum(values, options = {}) {
  return Type.Unsafe({ type: "string", enum: [...values], ...options });
}

export const piAi = { Type, StringEnum };
