import { checkNewSettings } from "../model/schemas/check-settings.ts";
import { unpackBundle } from "../model/bundle-format/unpack-bundle.ts";
import { isObject } from "../model/json.ts";

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The webhook says what is wrong with such a bundle.
    return null;
  }
}

/**
 * Throws POL_SETTINGS if a bundle that is to be pushed has settings that no new bundle may have: others than `landfall bundle build` can
 * have made it. Tarballs without data, such as those of teams, pass.
 */
export function checkPushed(bytes: Uint8Array, file: string): void {
  const data = parse(unpackBundle(bytes, file).get("data.json")?.toString("utf8") ?? "null");
  if (isObject(data)) checkNewSettings(data, file);
}
