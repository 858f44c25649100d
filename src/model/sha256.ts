import { hash } from "node:crypto";

/** The SHA-256 of bytes, or of a text in UTF-8: 64 hex digits. */
export const sha256 = (data: string | Uint8Array): string => hash("sha256", data);

/** `sha256:…`, as OCI registries write digests. */
export const sha256Digest = (data: string | Uint8Array): string => `sha256:${sha256(data)}`;
