import type { NamespaceData } from "../../model/kubernetes.ts";
import type { PolicyDenial } from "../../model/policy.ts";
import { inside } from "../../model/schemas/setting-problem.ts";
import { parseWait } from "../../model/time.ts";
import { namespaceSettings } from "../../model/wrong-value/namespace-setting.ts";
import type { Setting } from "../contract/policies.ts";
import { textOf as jsonText } from "../../model/json.ts";

/**
 * How a namespace's value meets the platform's. `instead`: it replaces a default; `least`: the lower limit applies; `shared`: what both
 * lists have, where an empty list of the platform is everything; `both`: both apply, each on its own.
 */
type Rule = "instead" | "least" | "shared" | "both";

interface Meeting {
  path: readonly string[];
  rule: Rule;
  /** In an annotation as in a label, which can hold neither slashes nor commas: an underscore replaces this. */
  separator: string;
}

const meet = (rule: Rule, path: string, separator = "_"): Meeting => ({ rule, path: path.split("."), separator });

/** Setting of a namespace without its prefix -> the platform's. The rules of policies/bundle/landfall/scope.rego and quota.rego in short. */
const MEETINGS = new Map<string, Meeting>([
  ["origin", meet("instead", "origin", "/")],
  ["providers", meet("shared", "providers", ",")],
  ["regions", meet("shared", "places.allowed", "/")],
  ["residency", meet("both", "residency", ",")],
  ["families", meet("shared", "families", ",")],
  ["max-latency", meet("least", "latency.max")],
  ["estimates", meet("both", "latency.estimates")],
  ["optimize-for", meet("instead", "objective.default", "-")],
  ["waiting-cost-percent", meet("instead", "schedule.waitingCostPercent")],
  ["max-wait", meet("least", "schedule.maxWait")],
  ["os", meet("instead", "os", "-")],
  ["os-disk-gib", meet("instead", "osDisk.sizeGiB")],
  ["os-disk-type", meet("instead", "osDisk.type", "-")],
  ["when-done", meet("instead", "runs.whenDone")],
  ["name-pattern", meet("both", "naming.name")],
  ["quota-objects", meet("least", "quotas.default.objects")],
  ["quota-vcpus", meet("least", "quotas.default.vcpus")],
  ["quota-memory", meet("least", "quotas.default.memoryGiB")],
  ["quota-price", meet("least", "quotas.default.pricePerMonth")],
]);

const PREFIX = "landfall.dev/";
const NONE = "not set";
const UNREADABLE = "every object is denied";

const listOf = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** A value of the settings as text; empty for null and for nothing. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return Array.isArray(value) ? value.map(jsonText).join(", ") : JSON.stringify(value).replaceAll('"', "");
}

/** The platform's limit for a namespace: its own of the settings, otherwise the default. */
function platformValue(settings: unknown, { path }: Meeting, namespace: string): string {
  const [first, , last = ""] = path;
  const own = first === "quotas" ? inside(settings, "quotas", "namespaces", namespace, last) : undefined;
  return textOf(own ?? inside(settings, ...path));
}

/** A number, or seconds of a time. */
const sizeOf = (text: string): number => parseWait(text) ?? Number(text);

type InForce = Pick<Setting, "inForce" | "from">;

const shared = (platform: string, own: string): InForce => {
  const allowed = listOf(platform);
  const left = listOf(own).filter((one) => allowed.length === 0 || allowed.includes(one));
  return {
    inForce: left.length === 0 ? "nothing" : left.join(", "),
    from: allowed.length === 0 ? "namespace" : "both",
  };
};

/** The value in force of two that are both set. */
function combined(rule: Rule, platform: string, own: string): InForce {
  switch (rule) {
    case "instead":
      return { inForce: own, from: "namespace" };
    case "least":
      return sizeOf(own) <= sizeOf(platform)
        ? { inForce: own, from: "namespace" }
        : { inForce: platform, from: "platform" };
    case "shared":
      return shared(platform, own);
    case "both":
      return platform === own ? { inForce: own, from: "both" } : { inForce: `${platform}; and ${own}`, from: "both" };
  }
}

function inForceOf({ rule }: Meeting, platform: string, own: string | null): InForce {
  if (own === null) return platform === "" ? { inForce: NONE, from: "none" } : { inForce: platform, from: "platform" };
  return platform === "" ? { inForce: own, from: "namespace" } : combined(rule, platform, own);
}

/** The problem of each setting that a denial names, by its annotation: the policy writes `namespace landfall.dev/regions`. */
const problemsIn = (denials: readonly PolicyDenial[]): Map<string, string> =>
  new Map(
    denials.flatMap(({ field, message }) => (field === null ? [] : [[field.replace("namespace ", ""), message]])),
  );

/**
 * The settings of a namespace, each with where it comes from. `settings`: those of the platform's bundle; `denials`: those for settings that no
 * decision can read. Pure.
 */
export function settingsInForce(
  settings: unknown,
  { name, annotations, labels }: NamespaceData,
  denials: readonly PolicyDenial[] = [],
): Setting[] {
  const schema = namespaceSettings() as Readonly<Record<string, { description?: string }>>;
  const problems = problemsIn(denials);
  return [...MEETINGS].map(([key, meeting]) => {
    const annotation = `${PREFIX}${key}`;
    const own = annotations[annotation] ?? labels[annotation]?.replaceAll("_", meeting.separator) ?? null;
    const platform = platformValue(settings, meeting, name);
    const problem = problems.get(annotation) ?? null;
    const inForce: InForce =
      problem === null ? inForceOf(meeting, platform, own) : { inForce: UNREADABLE, from: "namespace" };
    return {
      ...{ name: annotation, meaning: schema[annotation]?.description ?? "", problem },
      ...{ platform: platform === "" ? NONE : platform, namespace: own, ...inForce },
    };
  });
}
