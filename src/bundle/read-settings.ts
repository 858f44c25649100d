import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { TrustedRoot } from "@sigstore/protobuf-specs";
import { Ajv } from "ajv";
import { parse } from "yaml";
import schema from "../../schemas/bundle-settings.schema.json" with { type: "json" };
import { LandfallError, messageOf } from "../errors.ts";
import { readPublicKey } from "./signature/read-key.ts";
import type { Identity, SignatureMode, Trust } from "./signature/trust.ts";

/** When a bundle is replaced by another: schemas/bundle-settings.schema.json has the meaning and the defaults. */
export interface Rollout {
  poll: { seconds: number; jitter: number };
  limits: { decisionMs: number };
  canary: { share: number; objects: number };
  stale: { hours: number; action: "warn" | "refuse" };
}

export interface BundleSettings {
  trust: Trust;
  rollout: Rollout;
}

interface SettingsFile extends Rollout {
  signatures: SignatureMode;
  keys: string[];
  identities: Identity[];
  trustRoot: string | null;
}

const ajv = new Ajv({ allErrors: false, strict: true, useDefaults: true, allowUnionTypes: true });
const validate = ajv.compile<SettingsFile>(schema);

function checked(value: unknown, file: string): SettingsFile {
  // The file's own value: filling in defaults changes nothing that anybody else sees.
  const settings: unknown = value ?? {};
  if (validate(settings)) return settings;
  const [first] = validate.errors ?? [];
  const extra = String(first?.params["additionalProperty"] ?? "");
  const detail = `${first?.instancePath ?? ""} ${first?.message ?? ""} ${extra}`.trim();
  throw new LandfallError("BUNDLE_SETTINGS", { file, detail });
}

async function read(file: string): Promise<unknown> {
  try {
    return parse(await readFile(file, "utf8")) as unknown;
  } catch (thrown) {
    throw new LandfallError("BUNDLE_SETTINGS", { file, detail: messageOf(thrown) }, thrown);
  }
}

/** sigstore's trusted_root.json. Throws BUNDLE_SETTINGS. */
export async function readTrustRoot(file: string): Promise<TrustedRoot> {
  try {
    return TrustedRoot.fromJSON(JSON.parse(await readFile(file, "utf8")));
  } catch (thrown) {
    throw new LandfallError("BUNDLE_SETTINGS", { file, detail: messageOf(thrown) }, thrown);
  }
}

/** The settings with nothing set: signatures are required, so nothing is used that a key does not vouch for. */
export const defaultSettings = (mode: SignatureMode = "required"): BundleSettings => {
  const { poll, limits, canary, stale } = checked({}, "the defaults");
  return { trust: { mode, keys: [], identities: [], root: null }, rollout: { poll, limits, canary, stale } };
};

/** Reads a settings file (YAML or JSON), with the keys that it names. Throws BUNDLE_SETTINGS, BUNDLE_KEY. */
export async function readSettings(file: string): Promise<BundleSettings> {
  const { signatures, keys, identities, trustRoot, poll, limits, canary, stale } = checked(await read(file), file);
  const from = (path: string): string => resolve(dirname(file), path);
  if (signatures === "required" && keys.length === 0 && identities.length === 0)
    throw new LandfallError("BUNDLE_SETTINGS", { file, detail: "signatures are required, but nobody's are trusted" });
  const root = trustRoot === null ? null : await readTrustRoot(from(trustRoot));
  const trusted = await Promise.all(keys.map((path) => readPublicKey(from(path))));
  return { trust: { mode: signatures, keys: trusted, identities, root }, rollout: { poll, limits, canary, stale } };
}
