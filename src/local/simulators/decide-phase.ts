import { askedFault } from "./asked-fault.ts";
import { digits, fraction, valueAt } from "./fields.ts";
import { RUNNING } from "./pool-versions.ts";
import type { Family, KindRule, Lookup, Machine, Offers, Phase, RefusalKind, Resource } from "./types.ts";

/** Annotation with short hashes of the immutable fields, which a provider would remember. */
export const APPLIED = "simulators.landfall.dev/applied";

/** `none-of-TYPE`: the provider has no more machines of this type for what is started. */
const NONE_OF = "none-of-";
/** `none-in-PLACE`: the provider has no machines in this region or zone. */
const NONE_IN = "none-in-";
/** `no-more-in-PLACE`, `no-more-of-TYPE`: the provider has no more machines in this region or zone, or of this type, for one that was there before. */
const [NO_MORE_IN, NO_MORE_OF] = ["no-more-in-", "no-more-of-"] as const;
const SLOW_FACTOR = 4;
/** After which a machine with the tag `simulate: shutdown` shuts itself down, and a spot machine with `simulate: evict` is taken back. */
const SHUTDOWN_SECONDS = 8;
const REFUSAL_SECONDS = 0.5;

export interface World {
  family: Family;
  rule: KindRule;
  lookup: Lookup;
  /** The resources that refer to it; none if omitted. */
  dependents?: readonly Resource[];
  offers: Offers;
  isReady: (resource: Resource) => boolean;
  /** Whether there was a resource of this name before, which was deleted; no if omitted. */
  wasThere?: boolean;
  /** Whether only fields changed that the operator ignores: there is nothing to do. */
  isDone: boolean;
}

/** Work that the provider does for one generation of a resource. */
export interface Job {
  generation: number;
  /** Milliseconds since 1970. */
  startedAt: number;
}

/** Seconds after which the resource asks its machine to shut itself down; null for never. */
export const askedShutdown = (resource: Resource): number | null =>
  askedFault(resource) === "shutdown" ? SHUTDOWN_SECONDS : null;

/** Seconds after which the provider takes the machine back; null for never. */
export const askedEviction = (resource: Resource): number | null =>
  askedFault(resource) === "evict" ? SHUTDOWN_SECONDS : null;

/** The inputs that make the operator act again: the spec, and a requested fault where it sees labels, which do not change the generation. */
export const stateOf = (resource: Resource, { seesMetadata }: Pick<Family, "seesMetadata">): string =>
  `${resource.metadata.generation ?? 1} ${seesMetadata ? (askedFault(resource) ?? "") : ""}`;

/** A digest of what the operator acts on: the spec without the fields that it ignores. */
export function actedOn({ spec }: Resource, { ignored = [] }: KindRule): string {
  return digits(Object.fromEntries(Object.entries(spec).filter(([field]) => !ignored.includes(field))), 16);
}

/** Hashes of the immutable fields, stored in the resource as a provider would store the fields. */
export const appliedFields = (resource: Resource, rule: KindRule): string =>
  JSON.stringify(
    Object.fromEntries(rule.immutable.map((path) => [path, digits(valueAt(resource.spec, path) ?? null, 8)])),
  );

function changedField(resource: Resource, { family, rule }: World): string | null {
  const applied = resource.metadata.annotations?.[APPLIED];
  if (applied === undefined || !family.exists(resource)) return null;
  const before = JSON.parse(applied) as Record<string, string>;
  const now = JSON.parse(appliedFields(resource, rule)) as Record<string, string>;
  return rule.immutable.find((path) => before[path] !== undefined && before[path] !== now[path]) ?? null;
}

/** Whether the resource asks that there be no machine of this type now. */
const isSoldOut = (resource: Resource, rule: KindRule, instanceType: string): boolean =>
  askedFault(resource) === `${NONE_OF}${instanceType}` && rule.isFirst?.(resource) !== true;

/** Whether the resource asks that there be no machine, or no machine any more, in this region or zone, or of its type. */
function isGone(resource: Resource, { family, wasThere = false }: World, machine: Machine): boolean {
  const { place, zone, instanceType } = machine;
  const [region, fault] = [place?.split("/")[1], askedFault(resource)];
  const isIn = (prefix: string): boolean => [region, zone].some((one) => fault === `${prefix}${one ?? ""}`);
  const isGoneNow = wasThere && (isIn(NO_MORE_IN) || fault === `${NO_MORE_OF}${instanceType ?? ""}`);
  return (isIn(NONE_IN) || isGoneNow) && !family.exists(resource);
}

/** Whether its place does not offer this type. The type of a machine that is there is not questioned again. */
function isUnsold(resource: Resource, { family, rule, offers }: World, [place, type]: [string, string]): boolean {
  const isKept =
    resource.metadata.annotations?.[RUNNING] === type ||
    rule.immutable.some((path) => valueAt(resource.spec, path) === type);
  return offers(place, type) === false && !(family.exists(resource) && isKept);
}

/** Why a machine is refused: on request, or because its place does not offer its type. */
function machineRefusal(resource: Resource, world: World): [RefusalKind, string] | null {
  const { rule, lookup } = world;
  if (rule.machine === undefined) return null;
  const fault = askedFault(resource);
  if (fault === "quota-exceeded" || fault === "bad-image") return [fault, ""];
  const machine = rule.machine(resource, lookup);
  const { place, instanceType, imageExists } = machine;
  if (!imageExists) return ["bad-image", ""];
  if (place === null || instanceType === null) return null;
  if (isSoldOut(resource, rule, instanceType) || isGone(resource, world, machine)) return ["no-capacity", instanceType];
  return isUnsold(resource, world, [place, instanceType]) ? ["not-offered", instanceType] : null;
}

function refusalOf(resource: Resource, world: World): Phase | null {
  const missing = world.rule.required.find((path) => valueAt(resource.spec, path) === undefined);
  const changed = changedField(resource, world);
  const found: [RefusalKind, string] | null =
    missing !== undefined
      ? ["missing-field", missing]
      : changed !== null
        ? ["immutable", changed]
        : machineRefusal(resource, world);
  if (found) return { name: "refused", refusal: world.family.refusal(found[0], resource, found[1]) };
  const refusal = world.rule.refuses?.(resource, world.lookup, world.dependents) ?? null;
  return refusal && { name: "refused", refusal };
}

function waitingFor(resource: Resource, world: World): Phase | null {
  for (const reference of world.family.references(resource, world.rule)) {
    if (reference.loose === true) continue;
    const found = world.lookup(reference);
    if (found === undefined) return { name: "waiting", reference, exists: false, claimed: false };
    const claimed = found.metadata.finalizers?.includes(world.family.finalizer) === true;
    if (!world.isReady(found)) return { name: "waiting", reference, exists: true, claimed };
  }
  return null;
}

/** Seconds that the provider takes at speed 1: the kind's own, a fifth more or less by name; changes take half of that. */
export function secondsFor(resource: Resource, rule: KindRule, exists: boolean): number {
  const slow = rule.machine !== undefined && askedFault(resource) === "slow" ? SLOW_FACTOR : 1;
  return rule.seconds * slow * (exists ? 0.5 : 1) * (0.8 + 0.4 * fraction(resource.metadata.name));
}

const leastMs = ({ leastUpdateMs = 0 }: KindRule, exists: boolean): number => (exists ? leastUpdateMs : 0);

/** Milliseconds until the provider has answered. */
function answerMs(resource: Resource, { family, rule }: World, isRefused: boolean, speed: number): number {
  const exists = family.exists(resource);
  if (!isRefused) return Math.max((secondsFor(resource, rule, exists) * 1000) / speed, leastMs(rule, exists));
  return family.refusesAtOnce === true && exists ? 0 : (REFUSAL_SECONDS * 1000) / speed;
}

const outcomeOf = (refused: Phase | null): Phase => refused ?? { name: "ready" };

/**
 * The phase of a resource at `nowMs`, and when to decide it again (milliseconds since 1970; null: after the next event).
 * `job` is null until the provider works on it; the phases `creating` and `updating` start the work.
 */
export function decidePhase(
  resource: Resource,
  world: World,
  job: Job | null,
  { nowMs, speed }: { nowMs: number; speed: number },
): { phase: Phase; until: number | null } {
  const waiting = waitingFor(resource, world);
  if (waiting) return { phase: waiting, until: null };
  const refused = refusalOf(resource, world);
  if (world.isDone && refused === null) return { phase: { name: "ready" }, until: null };
  const until = (job?.startedAt ?? nowMs) + answerMs(resource, world, refused !== null, speed);
  return job === null || nowMs < until
    ? { phase: { name: world.family.exists(resource) ? "updating" : "creating" }, until }
    : { phase: outcomeOf(refused), until: null };
}
