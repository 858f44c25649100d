import type { OtherKind } from "./other-bundle.ts";

/**
 * Bytes of data.json, by the kind of the bundle: parsed, they take up to sixty times as much. That of this repository's bundle has
 * 1.4 MB.
 */
export const DATA_BYTES: Readonly<Record<OtherKind | "platform", number>> = {
  platform: 16 * 1024 * 1024,
  policy: 4 * 1024 * 1024,
  data: 16 * 1024 * 1024,
};

/** Of .manifest: 60 MB of nested lists would take 15 s to parse. Those of regular bundles have some hundred bytes. */
export const MANIFEST_BYTES = 64 * 1024;
