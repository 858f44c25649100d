import { unpackBundle } from "../model/unpack-bundle.ts";

/** The packages of a bundle's policies as paths (`landfall/custom/gpu_hours`), sorted. Throws BUNDLE_UNREADABLE, BUNDLE_UNSAFE. */
export function listPackages(bytes: Uint8Array, ref: string): string[] {
  const sources = [...unpackBundle(bytes, ref)].filter(([name]) => name.endsWith(".rego"));
  const names = sources.flatMap(([, body]) => /^package\s+([\w.]+)/m.exec(body.toString("utf8"))?.[1] ?? []);
  return [...new Set(names.map((name) => name.replaceAll(".", "/")))].sort();
}
