import schema from "../../schemas/bundle-manifest.schema.json" with { type: "json" };
import { DATA_BYTES, MANIFEST_BYTES } from "../model/bundle-format/data-bytes.ts";
import { LandfallError } from "../errors.ts";
import { compileSchema } from "../model/schemas/compile-schema.ts";
import { firstFound } from "../model/wrong-value/first-problem.ts";
import { isObject } from "../model/json.ts";
import type { OtherKind } from "../model/bundle-format/other-bundle.ts";
import { sha256Digest } from "../model/sha256.ts";
import { parseTime } from "../model/time.ts";
import { releaseOf } from "../model/bundle-format/bundle-release.ts";
import { unpackBundle } from "../model/bundle-format/unpack-bundle.ts";
import { readJsonFile } from "./read-json-file.ts";
import { isWithin } from "./roots.ts";

/** metadata.landfall of its manifest: schemas/bundle-manifest.schema.json. */
interface Card {
  kind: OtherKind;
  name: string;
  date?: string;
  freshHours?: number;
  dates?: Record<string, string>;
  places?: string;
}

/** The parts of an additional bundle. */
export interface OtherParts {
  ref: string;
  name: string;
  kind: OtherKind;
  /** `sha256:…` of the tarball. */
  digest: string;
  revision: string;
  roots: string[];
  data: Record<string, unknown>;
  /** The compiled rules; null for data. */
  wasm: Buffer | null;
  /** Seconds since 1970; null if it has none. */
  date: number | null;
  freshHours: number | null;
  /** Seconds since 1970; null for never. */
  expires: number | null;
  dates: Record<string, string>;
  places: string | null;
}

const validate = compileSchema<Card>(schema);

const unreadable = (ref: string, detail: string, cause?: unknown): LandfallError =>
  new LandfallError("BUNDLE_UNREADABLE", { ref, detail }, cause);

/** A missing file is an empty object. */
const json = (files: Map<string, Buffer>, name: string, ref: string, most: number): Record<string, unknown> =>
  readJsonFile(files.get(name) ?? Buffer.from("{}"), { name, ref, most });

function cardOf(manifest: Record<string, unknown>, ref: string): Card {
  const metadata = isObject(manifest["metadata"]) ? manifest["metadata"] : {};
  const card: unknown = metadata["landfall"];
  if (validate(card)) return card;
  const { field, given, detail, correction } = firstFound(schema, card, validate.errors);
  const path = field === "it" ? "" : `.${field}`;
  throw unreadable(ref, `.manifest: metadata.landfall${path}${given} ${detail}; ${correction}`);
}

const ROOT = /^[\w-]+(\/[\w-]+)*$/;
/** Rules of other teams are packages like the platform's own additions: policies/bundle/landfall/additions.rego. */
const RULES = /^landfall\/custom\/\w+$/;

const TEAMS = "landfall/custom";

function rootsOf(manifest: Record<string, unknown>, kind: OtherKind, ref: string): string[] {
  const { roots } = manifest;
  const pattern = kind === "data" ? ROOT : RULES;
  const fits = (root: unknown): root is string =>
    typeof root === "string" && pattern.test(root) && (kind === "policy" || !isWithin(root, TEAMS));
  if (Array.isArray(roots) && roots.length > 0 && roots.every(fits)) return roots;
  const wanted =
    kind === "data"
      ? "paths like landfall/catalog/carbon, outside landfall/custom"
      : "packages like landfall/custom/security";
  throw unreadable(ref, `.manifest: roots have to list ${wanted}`);
}

/** Paths of values outside of all roots. */
function strayed(value: unknown, path: string, roots: readonly string[]): string[] {
  if (roots.some((root) => isWithin(path, root))) return [];
  const above = roots.some((root) => path === "" || isWithin(root, path));
  if (!above || !isObject(value)) return [path];
  return Object.entries(value).flatMap(([key, child]) => strayed(child, path === "" ? key : `${path}/${key}`, roots));
}

/** The platform's own module has 0.6 MB. Compiled, OPA's modules take ten times as much outside of their memory; src/policy/process/open-process.ts limits that. */
const MODULE_BYTES = 8 * 1024 * 1024;

/** Checks that the module matches the kind: rules have one, data has none. Throws BUNDLE_UNREADABLE, BUNDLE_LIMIT. */
function moduleOf(files: Map<string, Buffer>, kind: OtherKind, ref: string): Buffer | null {
  const wasm = files.get("policy.wasm") ?? null;
  if (kind === "policy" && wasm === null) throw unreadable(ref, "it holds no policy.wasm");
  if (wasm !== null && wasm.length > MODULE_BYTES) {
    const detail = `policy.wasm has ${String(wasm.length)} bytes; at most ${String(MODULE_BYTES)} are allowed`;
    throw new LandfallError("BUNDLE_LIMIT", { ref, detail });
  }
  const rules = [...files.keys()].find((name) => name.endsWith(".rego") || name.endsWith(".wasm"));
  if (kind === "data" && rules !== undefined) throw unreadable(ref, `it calls itself data, but holds ${rules}`);
  return wasm;
}

/**
 * Reads the tarball of a data image or of another team's bundle. Throws BUNDLE_UNREADABLE, BUNDLE_UNSAFE; BUNDLE_LIMIT
 * for too much data or too large a module, BUNDLE_DATA for data outside its roots.
 */
export function readOther(bytes: Uint8Array, ref: string): OtherParts {
  const files = unpackBundle(bytes, ref);
  const manifest = json(files, ".manifest", ref, MANIFEST_BYTES);
  const { kind, name, date, freshHours = null, dates = {}, places = null } = cardOf(manifest, ref);
  const roots = rootsOf(manifest, kind, ref);
  const data = json(files, "data.json", ref, DATA_BYTES[kind]);
  const [stray] = strayed(data, "", roots);
  if (stray !== undefined)
    throw new LandfallError("BUNDLE_DATA", { ref, detail: `data.${stray.replaceAll("/", ".")} is outside its roots` });
  const revision = typeof manifest["revision"] === "string" ? manifest["revision"] : "";
  const digest = sha256Digest(bytes);
  const at = date === undefined ? null : parseTime(date);
  const wasm = moduleOf(files, kind, ref);
  const { expires } = releaseOf(manifest, ref);
  return { ref, name, kind, digest, revision, roots, data, wasm, date: at, freshHours, expires, dates, places };
}

/** Whether a bundle is an additional one. Throws BUNDLE_UNREADABLE, BUNDLE_UNSAFE, BUNDLE_LIMIT. */
export function isOther(bytes: Uint8Array, ref: string): boolean {
  const { metadata } = json(unpackBundle(bytes, ref), ".manifest", ref, MANIFEST_BYTES);
  return isObject(metadata) && metadata["landfall"] !== undefined;
}
