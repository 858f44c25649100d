import { createHash } from "node:crypto";

/** `sha256:…` of the bytes, as registries write it. */
export const sha256 = (bytes: Uint8Array | string): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
