import { checkTables } from "./tables/check-tables.ts";
import { checkNewSettings } from "../model/schemas/check-new-settings.ts";
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
 * Throws POL_SETTINGS or BUNDLE_TABLES if a bundle that is to be pushed has settings or tables that no new bundle may have: others than
 * `landfall bundle build` can have made it. Tarballs without data pass.
 */
export function checkPushed(bytes: Uint8Array, file: string): void {
  const parts = unpackBundle(bytes, file);
  const data = parse(parts.get("data.json")?.toString("utf8") ?? "null");
  if (!isObject(data)) return;
  checkNewSettings(data, file);
  const policies = [...parts].filter(([name]) => name.endsWith(".rego")).map(([, body]) => body.toString("utf8"));
  checkTables(data, policies, file);
}
