import schema from "../../../schemas/vm-template.schema.json" with { type: "json" };
import type { Decision } from "../../model/decision.ts";
import { HOUR_SECONDS, formatTime, parseDuration, parseTime } from "../../model/time.ts";
import { hasCode } from "../check/denial.ts";
import { bisect, type CandidateChange, type Fields, firstOf, LAST_COST, place } from "./change-search.ts";
import { inMillicores, memoryInMib } from "./meant-units.ts";
import { namesFor } from "./nearest-names.ts";
import { omitFeatures, partChanges } from "./part-changes.ts";
import { filledPools, otherTypes, poolChanges } from "./pool-changes.ts";
import { eitherCapacity, recreateInstead, shorterRun, withinDeadline } from "./run-changes.ts";
import type { DecisionRequest } from "../types.ts";
import { PROVIDERS } from "../../model/workload.ts";
import { archOfType } from "./type-sizes.ts";
import { textOf } from "../../model/json.ts";

/** The values that VmTemplate.spec.os can have. */
const SYSTEMS = schema.properties.os.enum;
const LOOSEST_LATENCY_MS = 10_000;
/** Dropping a requirement costs about as much as halving or doubling a number; a wider area costs slightly less. */
const DROP_COST = 0.8;
const WIDEN_COST = 0.5;
/** The area of data is seldom the user's to give up: any other number or name goes first. */
const DROP_RESIDENCY_COST = 10;
const RAISE_COST = 0.3;
/** A misspelt name or a mistaken unit costs nearly nothing to correct. */
const RENAME_COST = 0.05;
/** From the smallest area to the largest. */
const WIDER_AREAS = ["EU", "EEA", "GDPR"] as const;

const number = (value: unknown): number | null => (typeof value === "number" ? value : null);

/** A lower value of `field`: the largest one that passes. */
function less(field: "cpu" | "memory", wanted: number): CandidateChange {
  return {
    loosest: { fields: { [field]: 1 }, text: `${field} ≤ 1` },
    smallest: (ask) => {
      if (wanted <= 1 || ask({ [field]: 1 })?.allowed !== true) return null;
      const value = bisect(1, wanted, (middle) => ask({ [field]: middle }));
      const text = `${field} ≤ ${String(value)}`;
      return { fields: { [field]: value }, text, where: "", cost: Math.log(wanted / value) };
    },
  };
}

function looserLatency(limit: number): CandidateChange {
  const loosest = { maxLatency: LOOSEST_LATENCY_MS };
  return {
    loosest: { fields: loosest, text: `maxLatency ≥ ${String(LOOSEST_LATENCY_MS)}` },
    smallest: (ask) => {
      if (limit >= LOOSEST_LATENCY_MS || ask(loosest)?.allowed !== true) return null;
      const value = bisect(LOOSEST_LATENCY_MS, limit, (middle) => ask({ maxLatency: middle }));
      const text = `maxLatency ≥ ${String(value)}`;
      const where = place(ask({ maxLatency: value }));
      return { fields: { maxLatency: value }, text, where, cost: Math.log(value / limit) };
    },
  };
}

/** Drops a requirement by removing its field. */
function drop(field: string, cost = DROP_COST): CandidateChange {
  const fields = { [field]: null };
  return {
    loosest: { fields, text: `no ${field}` },
    smallest: (ask) => {
      const decision = ask(fields);
      return decision?.allowed === true ? { fields, text: `no ${field}`, where: place(decision), cost } : null;
    },
  };
}

function widerResidency(areas: readonly string[], cost: number): CandidateChange {
  const added = WIDER_AREAS.filter((area) => !areas.includes(area));
  const versions = added.map((area) => ({
    fields: { dataResidency: [...areas, area] },
    text: `dataResidency [${[...areas, area].join(", ")}]`,
  }));
  return firstOf(versions, cost, drop("dataResidency").loosest);
}

function otherProvider(current: string): CandidateChange {
  const versions = PROVIDERS.filter((provider) => provider !== current).map((provider) => ({
    fields: { provider },
    text: `provider ${provider}`,
  }));
  return firstOf(versions, DROP_COST, { fields: { provider: null }, text: "no provider" });
}

/** Another operating system, if no place has an image of this one, whether the user or the namespace requires it. */
function otherOs(current: unknown): CandidateChange {
  const versions = SYSTEMS.filter((os) => os !== current).map((os) => ({ fields: { os }, text: `os ${os}` }));
  return firstOf(versions, DROP_COST, versions[0] ?? null);
}

/** Time to apply again after reading the denial, and less than a boot can take: a deadline that is nearer leaves few places. */
const SLACK_SECONDS = HOUR_SECONDS / 2;

/** The earliest end of the run, with the boot if that was why it was denied. */
function earliestEnd({ object, nowSeconds }: DecisionRequest, { denials }: Decision): number {
  const duration = object.spec?.["duration"];
  const withBoot = denials.find(({ code }) => code === "ADM_DEADLINE_BOOT")?.allowed;
  const seconds = typeof duration === "string" ? (parseDuration(duration) ?? 0) : 0;
  return (typeof withBoot === "string" ? parseTime(withBoot) : null) ?? nowSeconds + seconds;
}

/** A deadline that can still be met when the user applies again after reading the denial. Empty if the present one can. */
function laterDeadline(request: DecisionRequest, denied: Decision): CandidateChange[] {
  const present = request.object.spec?.["deadline"];
  const end = earliestEnd(request, denied) + SLACK_SECONDS;
  if (typeof present !== "string" || (parseTime(present) ?? end) >= end) return [];
  const deadline = formatTime(Math.ceil(end / HOUR_SECONDS) * HOUR_SECONDS);
  const version = { fields: { deadline }, text: `deadline ${deadline}` };
  return [firstOf([version], 0.1, version)];
}

/** The lowest price that passes: the denial of the present one names it. A dearer machine is close to what was asked. */
function higherPrice(maxPrice: unknown): CandidateChange[] {
  if (typeof maxPrice !== "string") return [];
  const change: CandidateChange = {
    loosest: drop("maxPrice").loosest,
    smallest: (ask) => {
      const lowest = ask({})?.denials.find(({ code }) => code === "POL_MAX_PRICE")?.allowed;
      if (typeof lowest !== "string") return null;
      const decision = ask({ maxPrice: lowest });
      const text = `maxPrice "${lowest}"`;
      return decision?.allowed === true
        ? { fields: { maxPrice: lowest }, text, where: place(decision), cost: RAISE_COST }
        : null;
    },
  };
  return [change];
}

function numeric(spec: Fields): CandidateChange[] {
  const [memory, cpu, latency] = [number(spec["memory"]), number(spec["cpu"]), number(spec["maxLatency"])];
  return [
    ...inMillicores(spec, RENAME_COST),
    ...memoryInMib(spec, RENAME_COST),
    ...(memory === null ? [] : [less("memory", memory)]),
    ...(cpu === null ? [] : [less("cpu", cpu)]),
    ...(latency === null ? [] : [looserLatency(latency)]),
  ];
}

/** Whether this rule removed the last place. */
const endedAt = ({ candidates }: Decision, name: string): boolean =>
  candidates.funnel.some(({ rule, remaining }) => rule === name && remaining === 0);

/** Whether the denial may be caused by features that no provider offers, and not by size or place. */
const asksTooMuch = (denied: Decision): boolean => hasCode(denied, "POL_FEATURE") || endedAt(denied, "feature");

/** `burstable: false` counts only if a type is named. */
const contradicted = (spec: Fields): string[] =>
  spec["burstable"] === false && spec["instanceType"] !== undefined ? ["burstable"] : [];

/** A wider area of data, and another place that the latency is measured from. Of places that are only too far away, the latency is to blame. */
function whereData({ dataResidency: residency, origin }: Fields, denied: Decision): CandidateChange[] {
  const isTooFar = endedAt(denied, "latency");
  return [
    ...(Array.isArray(residency)
      ? [
          widerResidency(residency.map(textOf), isTooFar ? LAST_COST : WIDEN_COST),
          drop("dataResidency", isTooFar ? LAST_COST : DROP_RESIDENCY_COST),
        ]
      : []),
    ...(origin === undefined ? [] : [drop("origin", isTooFar ? LAST_COST : DROP_COST)]),
  ];
}

function categorical(spec: Fields, denied: Decision): CandidateChange[] {
  const provider = spec["provider"];
  const named = hasCode(denied, "POL_VM_NAME_TAKEN", "POL_NAMING") ? ["vmName"] : [];
  const featured = asksTooMuch(denied) ? ["network", "ports", "osDisk", "disks"] : [];
  const droppable = [
    ...named,
    ...featured,
    "maxPrice",
    "instanceType",
    ...contradicted(spec),
    "zone",
    "image",
    "os",
    "arch",
    "schedulingLocation",
    "schedulingTime",
  ].concat(CLUSTER_WISHES);
  return [
    ...whereData(spec, denied),
    ...(featured.length === 0 ? [] : [...partChanges(spec), ...omitFeatures(spec)]),
    ...droppable.filter((field) => spec[field] !== undefined).map((field) => drop(field)),
    ...(endedAt(denied, "image") && spec["image"] === undefined ? [otherOs(spec["os"])] : []),
    ...(typeof provider === "string" ? [otherProvider(provider)] : []),
    ...recreateInstead(spec, denied, DROP_COST),
    ...(typeof provider === "string" ? [drop("provider")] : []),
  ];
}

/** Optional requirements of a cluster; admission fills in omitted fields. */
const CLUSTER_WISHES = [
  "kubernetesVersion",
  "releaseChannel",
  "zones",
  "poolInstanceTypes",
  "highAvailability",
  "endpoint",
];

/** Denials that a changed requirement can fix. The user must correct malformed values. */
const MENDABLE = /^(POL_|PLACEMENT_|ADM_DEADLINE|ADM_START)/;

/** The corrections of names, each once: one can fix several denials. */
function renamed(request: DecisionRequest, { denials }: Decision): CandidateChange[] {
  return namesFor(request, denials).flatMap((versions) => {
    const [nearest] = versions;
    return nearest === undefined ? [] : [firstOf(versions, RENAME_COST, nearest)];
  });
}

/** Every change worth trying for a denied request. */
export function candidateChanges(request: DecisionRequest, denied: Decision): CandidateChange[] {
  if (!denied.denials.every((entry) => MENDABLE.test(entry.code))) return [];
  // Only the user knows the place of the network.
  if (hasCode(denied, "POL_NETWORK_UNPINNED")) return [];
  // Only time fixes what is not known now.
  if (hasCode(denied, "POL_QUOTA_STALE")) return [];
  // A change of the object cannot fix the settings of the platform or the namespace.
  if (hasCode(denied, "POL_SETTINGS")) return [];
  if (denied.denials.some(({ field }) => field?.startsWith("namespace ") === true)) return [];
  const spec = request.object.spec ?? {};
  return [
    ...laterDeadline(request, denied),
    ...withinDeadline(request, denied),
    ...shorterRun(request, denied),
    ...renamed(request, denied),
    ...higherPrice(spec["maxPrice"]),
    ...eitherCapacity(spec, denied, RAISE_COST),
    ...numeric(spec),
    ...filledPools(spec, denied),
    ...archOfType(spec, denied, RENAME_COST),
    ...otherTypes(spec, denied),
    ...poolChanges(spec, denied),
    ...categorical(spec, denied),
  ];
}
