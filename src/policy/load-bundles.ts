import { LandfallError } from "../errors.ts";
import {
  type NamespaceSelector,
  type OtherIdentity,
  type OtherKind,
  packagesOf,
} from "../model/bundle-format/other-bundle.ts";
import type { PolicyInput, PolicyResult } from "../model/policy.ts";
import { HOUR_SECONDS } from "../model/time.ts";
import { unpackBundle } from "../model/bundle-format/unpack-bundle.ts";
import { applyRulings } from "./apply-rulings.ts";
import { combineData, dataImageSettings, dataOfTeam, type DataOwner } from "./combine-data.ts";
import { type Known, loadBundle } from "./load-bundle.ts";
import { type During, loadTeam, type Team } from "./load-team.ts";
import { unlimited } from "./module/limit-time.ts";
import type { LoadedBundle } from "./loaded-bundle.ts";
import { type BundleParts, readBundle } from "./read-bundle.ts";
import { type OtherParts, readOther } from "./read-other.ts";
import { selectsNamespace } from "./selects-namespace.ts";

/** The input of the rules of teams: the input without the objects of other namespaces, which the platform's rules see. */
export function forTeams(input: PolicyInput): PolicyInput {
  const { facts, metadata } = input;
  if (facts === null) return input;
  const sameVmName = facts.sameVmName.filter(({ namespace }) => namespace === metadata.namespace);
  return { ...input, facts: { ...facts, sameVmName } };
}

/** The packages of a bundle's policies as paths (`landfall/custom/gpu_hours`), sorted. Throws BUNDLE_UNREADABLE, BUNDLE_UNSAFE. */
function listPackages(bytes: Uint8Array, ref: string): string[] {
  const sources = [...unpackBundle(bytes, ref)].filter(([name]) => name.endsWith(".rego"));
  const names = sources.flatMap(([, body]) => /^package\s+([\w.]+)/m.exec(body.toString("utf8"))?.[1] ?? []);
  return [...new Set(names.map((name) => name.replaceAll(".", "/")))].sort();
}

/** A tarball in addition to the platform's own. */
export interface OtherTarball {
  bytes: Uint8Array;
  ref: string;
  /** The value that the settings expect; null if unknown. `packages`: those of its rules; `packagesOf` its name if omitted. */
  expected: { name: string; kind: OtherKind; packages?: readonly string[] } | null;
  /** The namespaces that its rules decide about; all if omitted. */
  namespaces?: NamespaceSelector | undefined;
}

/** The platform's bundle combined with the others. */
export interface LoadedBundles {
  bundle: LoadedBundle;
  /** The same without the rules of other teams: used for the platform's own smoke inputs. */
  platform: LoadedBundle;
  /** The platform's data combined with the data images. */
  data: Record<string, unknown>;
  /** The bundle without the rules of these teams, which are named as missing: the age of their bundles forbids to ask them. */
  without(names: ReadonlySet<string>): LoadedBundle;
  /** The bundles that this was loaded from. */
  tarballs: { platform: { bytes: Uint8Array; ref: string }; others: readonly OtherTarball[] };
  /** Each team's bundle: its data, and the platform's bundle with its rules alone. */
  teams: { name: string; ref: string; data: Record<string, unknown>; bundle: LoadedBundle }[];
}

type Opened = OtherParts & { namespaces: NamespaceSelector | null };

/** Throws BUNDLE_PACKAGE for rules in packages that are not this team's, whatever other bundles there are. */
function checkPackages({ kind, name, ref, roots }: OtherParts, packages: readonly string[]): void {
  if (kind !== "policy") return;
  const foreign = roots.find((root) => !packages.some((own) => root === `landfall/custom/${own}`));
  if (foreign === undefined) return;
  const own = packages.map((one) => `landfall.custom.${one}`).join(", ");
  throw new LandfallError("BUNDLE_PACKAGE", { ref, name, package: foreign.replaceAll("/", "."), own });
}

/** `during`: a team's data is parsed as a part of its work. */
function opened({ bytes, ref, expected, namespaces }: OtherTarball, during: During): Opened {
  const read = during(expected?.name ?? "", () => readOther(bytes, ref));
  const parts = { ...read, namespaces: namespaces ?? null };
  if (expected === null) return parts;
  if (expected.name === parts.name && expected.kind === parts.kind) {
    checkPackages(parts, expected.packages ?? packagesOf(parts.name));
    return parts;
  }
  const [wanted, actual] = [expected, parts].map(({ kind, name }) => `${kind} ${name}`);
  throw new LandfallError("BUNDLE_NAME", { ref, actual: String(actual), wanted: String(wanted) });
}

/** The shorter of the publisher's and the platform's limits applies. */
function identityOf(parts: OtherParts, data: Record<string, unknown>): OtherIdentity {
  const { name, kind, ref, digest, revision, date, freshHours, expires } = parts;
  const { stale, byName } = dataImageSettings(data);
  const { hours, action } = byName[name] ?? stale;
  const limits = [hours, freshHours].filter((limit) => limit !== null);
  const freshSeconds = limits.length === 0 ? null : Math.round(Math.min(...limits) * HOUR_SECONDS);
  return { name, kind, ref, digest, revision, date, freshSeconds, whenStale: action, expires };
}

type Asked = (team: Team, input: PolicyInput) => boolean;

/** The platform's bundle with the teams' rules; without teams, the bundle itself. `isAsked`: whether a team decides about an object; it may throw. */
function ruledBy(teams: readonly Team[], platform: LoadedBundle, isAsked: Asked = () => true): LoadedBundle {
  if (teams.length === 0) return platform;
  const evaluate = (input: PolicyInput): PolicyResult => {
    const asked = teams.filter((team) => isAsked(team, input));
    const result = platform.evaluate(input);
    const seen = forTeams(input);
    const rulings = asked.map((team) => ({ team, ruling: team.rule(seen) }));
    return applyRulings(result, rulings, input);
  };
  return { ...platform, evaluate };
}

function platformOf(bytes: Uint8Array, ref: string, parts: BundleParts, teams: boolean): DataOwner {
  return { ref, data: parts.data, roots: parts.roots, packages: teams ? listPackages(bytes, ref) : [] };
}

/**
 * Combines the platform's bundle with the others: data images replace the platform's data; rules of other teams are
 * evaluated after its own and can only restrict. `check` is called before the rules of a team are asked, and throws if they must not be. Throws the errors of `loadBundle`, BUNDLE_NAME, BUNDLE_PACKAGE,
 * BUNDLE_ROOTS.
 */
export async function loadBundles(
  { bytes, ref }: { bytes: Uint8Array; ref: string },
  others: readonly OtherTarball[],
  {
    parts = readBundle(bytes, ref),
    compiled = null,
    during = (_, work) => work(),
    run = unlimited,
    check = () => undefined,
  }: Known & { during?: During; check?: (team: string) => void } = {},
): Promise<LoadedBundles> {
  // Sorted by name, so that the decision does not depend on the order in which they are listed.
  const all = others.map((other) => opened(other, during)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const policies = all.filter(({ kind }) => kind === "policy");
  const owner = platformOf(bytes, ref, parts, policies.length > 0);
  const data = combineData(owner, all);
  const platform = await loadBundle(bytes, ref, { parts: { ...parts, data }, compiled, run });
  const teams = await Promise.all(
    policies.map((team) => loadTeam(team, dataOfTeam(team, data, owner, all), during, run)),
  );
  const identities = all.map((other) => identityOf(other, data));
  const selectors = new Map(policies.map(({ name, namespaces }) => [name, namespaces]));
  const isAsked: Asked = ({ name }, { namespace }) => {
    const isSelected = selectsNamespace(selectors.get(name) ?? null, namespace);
    if (isSelected) check(name);
    return isSelected;
  };
  const without = (names: ReadonlySet<string>): LoadedBundle => ({
    ...ruledBy(
      teams.filter(({ name }) => !names.has(name)),
      platform,
      isAsked,
    ),
    others: identities.filter(({ name }) => !names.has(name)),
    absent: teams.flatMap(({ name }) => (names.has(name) ? [name] : [])),
  });
  return {
    bundle: without(new Set()),
    platform,
    data,
    without,
    tarballs: { platform: { bytes, ref }, others },
    teams: policies.map(({ name, ref: from, data: own }, index) => {
      return { name, ref: from, data: own, bundle: ruledBy(teams.slice(index, index + 1), platform) };
    }),
  };
}
