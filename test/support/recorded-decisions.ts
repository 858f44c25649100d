import { clusterDataOf } from "../../src/external-data/cluster-data-of.ts";
import { createClusterData, keyOfWorkload } from "../../src/external-data/cluster-data.ts";
import { vmNameOf } from "../../src/model/read-workload.ts";
import { admit } from "../../src/admission/admit.ts";
import type { Outcome } from "../../src/admission/types.ts";
import { HOUR_SECONDS } from "../../src/model/time.ts";
import type { Workload, WorkloadObject } from "../../src/model/workload.ts";
import type { ForecastBook } from "../../src/model/places/forecast.ts";
import { sha256 } from "../../src/model/sha256.ts";
import type { LoadedBundle } from "../../src/policy/loaded-bundle.ts";
import { context } from "./admission.ts";

/** One request of test/fixtures/decisions/cases.json. */
export interface RecordedCase {
  name: string;
  operation: "CREATE" | "UPDATE";
  object: Workload;
  oldObject: WorkloadObject | null;
  namespace: { name: string; labels: Record<string, string>; annotations: Record<string, string> };
  /** Seconds since 1970. */
  now: number;
  /** The other objects of the cluster; null if nothing is known of them. */
  others: Workload[] | null;
  /** Electricity zone -> g/kWh of each hour from `nowSeconds`; null for climatology alone. */
  forecasts: Record<string, number[]> | null;
}

function forecastBook({ forecasts, now }: RecordedCase): ForecastBook | null {
  if (forecasts === null) return null;
  const zones = Object.fromEntries(
    Object.entries(forecasts).map(([zone, values]) => [
      zone,
      { issuedAt: now, start: now, stepSeconds: HOUR_SECONDS, values, band: null },
    ]),
  );
  return { sources: [{ name: "grid", maxAgeSeconds: 48 * HOUR_SECONDS, zones, problems: {}, problem: null }] };
}

/** The mutating webhook's answer to a recorded request. */
export function answerCase(recorded: RecordedCase, policy: LoadedBundle): Outcome {
  const { object, oldObject, operation, namespace, now: nowSeconds, others } = recorded;
  const { kind } = object;
  const clusterData = others === null ? createClusterData() : clusterDataOf([], others, nowSeconds);
  const asked = { key: keyOfWorkload(object), namespace: namespace.name, vmName: vmNameOf(kind, object) };
  return admit(
    { uid: "1", operation, kind, object, oldObject },
    {
      ...context(policy, nowSeconds),
      namespace,
      relatedWorkloads: clusterData.around(asked, nowSeconds),
      placed: () => clusterData.workloads(nowSeconds, asked.key),
      forecasts: forecastBook(recorded),
    },
  );
}

export interface Recorded {
  /** Decision and patch without texts for people, decision ids, signatures and the bundle's digest. */
  decision: unknown;
  /** The texts for people, in the order of the answer. */
  texts: string[];
}

const TEXT_KEYS = new Set(["message", "remedy", "text", "why", "summary"]);
const ID_KEYS = new Set(["id", "digest", "revision", "policy"]);
/** A longer list of rejected places is recorded by its hash, which keeps the file small. */
const LONGEST_LIST = 3;

/** A denial's last line names the decision and the bundle. */
const stable = (text: string): string =>
  text.replace(/decision [0-9a-f]{6}/, "decision <id>").replace(/sha256:[0-9a-f]+/, "sha256:<digest>");

/** Replaces what a changed text or bundle changes inside a compact decision or a signature. */
function withoutIds(value: string, key: string): string {
  if (key === "landfall.dev~1seal" || key === "landfall.dev/seal") return "<signature>";
  if (!value.startsWith("{")) return value;
  return JSON.stringify(separate(JSON.parse(value), "", []));
}

function separateText(value: string, key: string, texts: string[]): string {
  if (!TEXT_KEYS.has(key)) return ID_KEYS.has(key) ? `<${key}>` : withoutIds(value, key);
  texts.push(stable(value));
  return "<text>";
}

const isPlace = (value: unknown): boolean => /^\w+\/[\w-]+$/.test(String(value));

function separateList(list: readonly unknown[], key: string, texts: string[]): unknown {
  if (list.length <= LONGEST_LIST || !list.every(isPlace))
    return list.map((item) => separate(item, key === "warnings" ? "message" : key, texts));
  const hash = sha256(list.join()).slice(0, 16);
  return `${String(list.length)} places, sha256 ${hash}`;
}

/** A copy of `value` without texts and ids; the texts are added to `texts`. */
function separate(value: unknown, key: string, texts: string[]): unknown {
  if (typeof value === "string") return separateText(value, key, texts);
  if (Array.isArray(value)) return separateList(value, key, texts);
  if (typeof value !== "object" || value === null) return value;
  // An operation of a patch: its value belongs to the last part of its path.
  const path = "op" in value && "path" in value ? String(value.path).split("/").at(-1) : undefined;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      separate(item, name === "value" ? (path ?? name) : name, texts),
    ]),
  );
}

/** Splits an answer into what must stay the same and what people read. */
export function record(outcome: Outcome): Recorded {
  const texts: string[] = [];
  // The patch has it too, in the signature.
  const { signatureId: _, ...written } = { signatureId: undefined, ...outcome };
  return { decision: separate(written, "", texts), texts };
}
