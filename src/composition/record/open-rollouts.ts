import { below } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { retryConflicts } from "../../cluster/retry-conflicts.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import { isObject } from "../../model/json.ts";
import { PART_OF_LANDFALL } from "../../model/names.ts";
import { sha256 } from "../../model/sha256.ts";
import type { Resource, ServedChart } from "../types.ts";

/** An object that was let through. */
export interface Admitted {
  /** Seconds since 1970. */
  at: number;
  /** Whether it was ready before: only then does its state say something about the chart. */
  wasReady: boolean;
}

/** An object that was ready and failed after its upgrade. */
export interface FailedUpgrade {
  namespace: string;
  name: string;
}

/** How far a rollout is, as far as its objects do not say it themselves. Objects by their uid. */
export interface RolloutProgress {
  /** Those whose upgrade is not over yet, and those of the last minute. */
  admitted: ReadonlyMap<string, Admitted>;
  /** Also those that are gone by now. */
  failed: ReadonlyMap<string, FailedUpgrade>;
  /** Whether an object became ready with the new version. */
  isProven: boolean;
}

/** The progress of rollouts, where tenants cannot write: the next leader continues with it. */
export interface RolloutRecords {
  /** Of the rollout of this version; null for a new one, which ends that of another version. */
  resume(of: ServedChart): Promise<RolloutProgress | null>;
  write(of: ServedChart, progress: RolloutProgress): Promise<void>;
}

const TYPE = "landfall.dev/rollout";
/** A Secret holds at most 1 MiB. */
const MOST = { admitted: 5000, failed: 500 };

const isAdmitted = (value: unknown): value is Admitted =>
  isObject(value) && Number.isFinite(value["at"]) && typeof value["wasReady"] === "boolean";

const isFailed = (value: unknown): value is FailedUpgrade =>
  isObject(value) && typeof value["namespace"] === "string" && typeof value["name"] === "string";

/** The values of a map in a record that have this form. */
function mapOf<T>(value: unknown, isOne: (one: unknown) => one is T): Map<string, T> {
  const entries = Object.entries(isObject(value) ? value : {});
  return new Map(entries.filter((entry): entry is [string, T] => isOne(entry[1])));
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const newest = <T>(map: ReadonlyMap<string, T>, most: number): Record<string, T> =>
  Object.fromEntries([...map].slice(-most));

/** Opens the records: one Secret for each definition, in Landfall's own namespace. */
export function openRollouts(client: KubeClient, systemNamespace: string): RolloutRecords {
  const collection = secretsPath(systemNamespace);
  const nameOf = ({ definition: { namespace, name } }: ServedChart): string =>
    `landfall.rollout.${sha256(`${namespace}/${name}`).slice(0, 24)}`;
  const load = (of: ServedChart): Promise<(Resource & { data?: { rollout?: string } }) | null> =>
    client.get(below(collection, nameOf(of)));

  const records: RolloutRecords = {
    async resume(of) {
      const stored = await load(of);
      if (stored === null) return null;
      const value = parse(Buffer.from(stored.data?.rollout ?? "", "base64").toString());
      if (value["version"] !== of.version) {
        // A version that was set back and is set again begins from its first object.
        await records.write(of, { admitted: new Map(), failed: new Map(), isProven: false });
        return null;
      }
      const admitted = mapOf(value["admitted"], isAdmitted);
      return { admitted, failed: mapOf(value["failed"], isFailed), isProven: value["isProven"] === true };
    },
    async write(of, { admitted, failed, isProven }) {
      const { namespace, name } = of.definition;
      const text = JSON.stringify({
        ...{ version: of.version, isProven },
        ...{ admitted: newest(admitted, MOST.admitted), failed: newest(failed, MOST.failed) },
      });
      const about = {
        ...{ name: nameOf(of), namespace: systemNamespace, labels: PART_OF_LANDFALL },
        annotations: { "landfall.dev/definition": `${namespace}/${name}` },
      };
      await retryConflicts(async () => {
        const resourceVersion = (await load(of))?.metadata.resourceVersion;
        const metadata = { ...about, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
        const data = { rollout: Buffer.from(text).toString("base64") };
        const secret = { apiVersion: "v1", kind: "Secret", type: TYPE, metadata, data };
        if (resourceVersion === undefined) await client.create(collection, secret);
        else await client.replace(below(collection, secret.metadata.name), secret);
      });
    },
  };
  return records;
}
