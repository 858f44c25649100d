import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { LandfallError, messageOf } from "../errors.ts";
import { isObject } from "../model/json.ts";

/** The names of the rules that a compiled module answers, sorted. Throws BUNDLE_UNREADABLE. */
export async function listEntrypoints(wasm: Buffer, ref: string): Promise<string[]> {
  try {
    const { entrypoints } = (await loadPolicy(wasm, { initial: 64 })) as { entrypoints: unknown };
    return isObject(entrypoints) ? Object.keys(entrypoints).sort() : [];
  } catch (thrown) {
    throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: messageOf(thrown) }, thrown);
  }
}
