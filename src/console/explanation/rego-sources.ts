import { unpackBundle } from "../../model/bundle-format/unpack-bundle.ts";

/** The texts of the rules in a bundle's tarball, by path. Throws BUNDLE_UNREADABLE, BUNDLE_UNSAFE. */
export const regoSources = (bytes: Uint8Array, ref: string): Map<string, string> =>
  new Map(
    [...unpackBundle(bytes, ref)]
      .filter(([name]) => name.endsWith(".rego"))
      .map(([name, body]) => [name, body.toString("utf8")]),
  );
