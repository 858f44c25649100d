import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { TrustedRoot } from "@sigstore/protobuf-specs";
import schema from "../../schemas/bundle-settings.schema.json" with { type: "json" };
import { LandfallError, messageOf } from "../errors.ts";
import { parseYamlFile } from "../model/file-faults/parse-yaml.ts";
import { compileSchema } from "../model/schemas/compile-schema.ts";
import { type NamespaceSelector, type OtherKind, packagesOf } from "../model/bundle-format/other-bundle.ts";
import { firstProblem } from "../model/wrong-value/first-problem.ts";
import { readPublicKey } from "./signature/read-key.ts";
import type { Identity, SignatureMode, Trust } from "./signature/trust.ts";

/** When a bundle replaces another: schemas/bundle-settings.schema.json documents fields and defaults. */
export interface Rollout {
  poll: { seconds: number; jitter: number };
  limits: { decisionMs: number };
  canary: { share: number; namespaces: number; objects: number; owner?: string };
  stale: { hours: number; action: "warn" | "refuse" };
  expired: { action: "warn" | "refuse" };
}

/** An additional bundle. */
export interface OtherSettings extends Pick<Rollout, "poll" | "stale"> {
  name: string;
  kind: OtherKind;
  ref: string;
  required: boolean;
  /** Of a team's bundle; all if omitted. */
  namespaces?: NamespaceSelector | undefined;
  trust: Trust;
  /** The packages below landfall.custom that belong to a team's rules; empty for data. */
  packages: string[];
}

export interface BundleSettings {
  trust: Trust;
  rollout: Rollout;
  others: OtherSettings[];
}

/** The trusted signers as in the file. */
interface SignaturesIn {
  signatures: SignatureMode;
  keys: string[];
  identities: Identity[];
  channel?: string;
}

interface OtherIn extends Partial<SignaturesIn>, Partial<Pick<Rollout, "poll" | "stale">> {
  name: string;
  kind: OtherKind;
  ref: string;
  required: boolean;
  namespaces?: Partial<NamespaceSelector>;
  packages?: string[];
}

interface SettingsFile extends Rollout, SignaturesIn {
  trustRoot: string | null;
  bundles: OtherIn[];
}

const validate = compileSchema<SettingsFile>(schema, { useDefaults: true });

function checked(value: unknown, file: string): SettingsFile {
  // A copy: messages are about the file without its defaults.
  const settings: unknown = structuredClone(value ?? {});
  if (validate(settings)) return settings;
  throw new LandfallError("BUNDLE_SETTINGS", { file, detail: firstProblem(schema, value ?? {}, validate.errors) });
}

async function read(file: string): Promise<unknown> {
  const text = await readFile(file, "utf8").catch((thrown: unknown) => {
    throw new LandfallError("BUNDLE_SETTINGS", { file, detail: messageOf(thrown) }, thrown);
  });
  const parsed = parseYamlFile(text);
  if ("value" in parsed) return parsed.value;
  throw new LandfallError("BUNDLE_SETTINGS", { file, detail: parsed.problem });
}

/** sigstore's trusted_root.json. Throws BUNDLE_SETTINGS. */
export async function readTrustRoot(file: string): Promise<TrustedRoot> {
  try {
    return TrustedRoot.fromJSON(JSON.parse(await readFile(file, "utf8")));
  } catch (thrown) {
    throw new LandfallError("BUNDLE_SETTINGS", { file, detail: messageOf(thrown) }, thrown);
  }
}

/** The default settings: signatures are required, so only bundles signed by a given key are used. */
export const defaultSettings = (mode: SignatureMode = "required"): BundleSettings => {
  const { poll, limits, canary, stale, expired } = checked({}, "the defaults");
  const trust: Trust = { mode, keys: [], identities: [], root: null };
  return { trust, rollout: { poll, limits, canary, stale, expired }, others: [] };
};

async function trustOf(
  { signatures, keys, identities, channel }: SignaturesIn,
  root: Trust["root"],
  file: string,
): Promise<Trust> {
  if (signatures === "required" && keys.length === 0 && identities.length === 0)
    throw new LandfallError("BUNDLE_SETTINGS", {
      file,
      detail: "signatures are required, but no trusted key or identity is configured",
    });
  const trusted = await Promise.all(keys.map((path) => readPublicKey(resolve(dirname(file), path))));
  return { mode: signatures, keys: trusted, identities, root, channel };
}

/** The namespaces of a team's bundle; undefined for all. Throws BUNDLE_SETTINGS for a data image. */
function selectorOf({ name, kind, namespaces }: OtherIn, file: string): NamespaceSelector | undefined {
  if (namespaces === undefined) return undefined;
  if (kind === "policy") return { names: [], labels: {}, ...namespaces };
  const detail = `/bundles: ${name} is a data image, which applies to all namespaces; remove its namespaces`;
  throw new LandfallError("BUNDLE_SETTINGS", { file, detail });
}

const ownedBy = ({ name, kind, packages }: OtherIn): string[] =>
  kind === "data" ? [] : (packages ?? packagesOf(name));

/** A bundle with its own signers trusts only these; omitted settings are those of the platform's bundle. */
async function otherOf(
  other: OtherIn,
  settings: SettingsFile,
  root: Trust["root"],
  file: string,
): Promise<OtherSettings> {
  const { name, kind, ref, required, poll = settings.poll, stale = settings.stale } = other;
  const own = other.keys !== undefined || other.identities !== undefined;
  const { keys, identities } = own ? { keys: [], identities: [], ...other } : settings;
  const { signatures = settings.signatures, channel = settings.channel } = other;
  const trust = channel === undefined ? { signatures, keys, identities } : { signatures, keys, identities, channel };
  const [namespaces, packages] = [selectorOf(other, file), ownedBy(other)];
  return { name, kind, ref, required, namespaces, packages, poll, stale, trust: await trustOf(trust, root, file) };
}

/** Names and packages have one owner each. Throws BUNDLE_SETTINGS. */
function checkNames(others: readonly OtherIn[], file: string): void {
  const wrong = (detail: string): LandfallError => new LandfallError("BUNDLE_SETTINGS", { file, detail });
  const twice = others.find(({ name }, index) => others.findIndex((other) => other.name === name) < index);
  if (twice !== undefined) throw wrong(`/bundles names ${twice.name} twice`);
  const data = others.find(({ kind, packages }) => kind === "data" && packages !== undefined);
  if (data !== undefined) throw wrong(`/bundles gives packages to ${data.name}, which is data`);
  const owned = others.flatMap((other) => ownedBy(other).map((name) => ({ name, owner: other.name })));
  for (const [index, { name, owner }] of owned.entries()) {
    const first = owned.slice(0, index).find((one) => one.name === name);
    if (first !== undefined && first.owner !== owner)
      throw wrong(`/bundles gives the package ${name} to both ${first.owner} and ${owner}`);
  }
}

/** Reads a settings file (YAML or JSON) and the keys that it names. Throws BUNDLE_SETTINGS, BUNDLE_KEY. */
export async function readSettings(file: string): Promise<BundleSettings> {
  const settings = checked(await read(file), file);
  const { trustRoot, poll, limits, canary, stale, expired, bundles } = settings;
  checkNames(bundles, file);
  const root = trustRoot === null ? null : await readTrustRoot(resolve(dirname(file), trustRoot));
  return {
    trust: await trustOf(settings, root, file),
    rollout: { poll, limits, canary, stale, expired },
    others: await Promise.all(bundles.map((other) => otherOf(other, settings, root, file))),
  };
}
