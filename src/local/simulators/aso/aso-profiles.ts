import { minorOf } from "../pool-versions.ts";
import { listAt, textAt } from "../fields.ts";
import type { Refusal, Resource } from "../types.ts";

// AKS's answers to the pools that stand in the resource of a cluster. docs/internals/operators.md has the sources.

type Fields = Record<string, unknown>;

const profilesIn = (fields: Fields | undefined): Fields[] => listAt(fields, "agentPoolProfiles");

const named = (profiles: readonly Fields[], name: unknown): Fields | undefined =>
  profiles.find((profile) => profile["name"] === name);

/** Fields of a pool that AKS does not change. */
const FIXED = ["vmSize", "osDiskSizeGB"];

function fixedRefusal({ spec, status }: Resource): Refusal | null {
  const known = profilesIn(status);
  const changed = profilesIn(spec).flatMap((profile) => {
    const before = named(known, profile["name"]);
    return before === undefined ? [] : FIXED.filter((field) => profile[field] !== before[field]);
  });
  if (changed[0] === undefined) return null;
  const message = `Changing property 'agentPoolProfiles.${changed[0]}' is not allowed.`;
  return { code: "PropertyChangeNotAllowed", message, terminal: true };
}

const VERSIONS =
  "Using managed cluster api, all Agent pools' OrchestratorVersion must be all specified or all unspecified. If all specified, they must be " +
  "stay unchanged or the same with control plane. For agent pool specific change, please use per agent pool operations: " +
  "https://aka.ms/agent-pool-rest-api";

const versionOf = (fields: Fields | undefined): string | null => textAt(fields, "orchestratorVersion");

/** All pools that AKS has: those in the cluster's status, and those with a resource of their own. */
const poolsAtAks = ({ status }: Resource, dependents: readonly Resource[]): Fields[] => [
  ...profilesIn(status),
  ...dependents
    .filter(({ kind, status: own }) => kind === "ManagedClustersAgentPool" && textAt(own, "id") !== null)
    .map(({ spec, metadata }) => ({ ...spec, name: spec["azureName"] ?? metadata.name })),
];

/** A request that changes a version has those of all pools, each unchanged or its control plane's; or none. */
function versionsRefusal(resource: Resource, dependents: readonly Resource[]): Refusal | null {
  const { spec, status } = resource;
  const [wanted, profiles] = [textAt(spec, "kubernetesVersion") ?? "", profilesIn(spec)];
  const running = minorOf(textAt(status, "currentKubernetesVersion") ?? wanted);
  const known = poolsAtAks(resource, dependents);
  const isChanged = (profile: Fields): boolean => versionOf(profile) !== versionOf(named(known, profile["name"]));
  const versioned = profiles.filter((profile) => versionOf(profile) !== null);
  if (versioned.length === 0 || (running === wanted && !versioned.some(isChanged))) return null;
  const isWhole = [...known, ...profiles].every(({ name }) => named(versioned, name) !== undefined);
  const isTaken = versioned.every((profile) => versionOf(profile) === wanted || !isChanged(profile));
  if (isWhole && isTaken) return null;
  return { code: "NotAllAgentPoolOrchestratorVersionSpecifiedAndUnchanged", message: VERSIONS, terminal: true };
}

/** The refusal of the pools in a cluster's resource; null if AKS takes them. A cluster that is there needs none: AKS keeps its pools. */
export function profilesRefusal(resource: Resource, dependents: readonly Resource[] = []): Refusal | null {
  if (profilesIn(resource.spec).length === 0 && profilesIn(resource.status).length === 0) {
    const message = "Required parameter 'agentPoolProfiles' is missing (null).";
    return { code: "InvalidParameter", message, terminal: true };
  }
  return fixedRefusal(resource) ?? versionsRefusal(resource, dependents);
}
