import { apiPath } from "../../../src/cluster/api-path.ts";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { findOverbooked, storedWorkloads, vmsOf } from "./find-overbooked.ts";
import type { Replicas } from "./start-replicas.ts";

/** `admitted`, the code of the denial, `no answer` of a webhook that was killed or too slow, or the API server's whole text. */
export type Answer = string;

function answerOf(thrown: unknown): Answer {
  if (!(thrown instanceof ApiError)) throw thrown;
  const [code] = /\b(?:ADM|POL|PLACEMENT|BUNDLE)_[A-Z_]+/.exec(thrown.detail) ?? [];
  return code ?? (thrown.detail.includes("failed calling webhook") ? "no answer" : thrown.detail);
}

export async function makeNamespace(client: KubeClient, name: string, quota: number): Promise<void> {
  const metadata = { name, annotations: { "landfall.dev/quota-vcpus": String(quota) } };
  await client.create(apiPath`/api/v1/namespaces`, { apiVersion: "v1", kind: "Namespace", metadata });
}

export interface Load {
  namespaces: readonly string[];
  /** Together they ask one after the other. */
  connections: number;
  each: number;
  spec: (index: number) => Record<string, unknown>;
  /** Names of objects begin with it. */
  prefix?: string;
  onAnswer?: (milliseconds: number) => void;
}

/** Creates VmTemplates through the API server. How many got each answer. */
export async function admitMany(client: KubeClient, load: Load): Promise<Record<Answer, number>> {
  const answers: Record<Answer, number> = {};
  const { namespaces, connections, each, spec, prefix = "vm", onAnswer } = load;
  async function create(index: number): Promise<void> {
    const namespace = namespaces[index % namespaces.length] ?? "";
    const metadata = { name: `${prefix}-${String(index)}`, namespace };
    const object = { apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata, spec: spec(index) };
    const began = performance.now();
    const answer = await client.create(vmsOf(namespace), object).then(() => "admitted", answerOf);
    onAnswer?.(performance.now() - began);
    answers[answer] = (answers[answer] ?? 0) + 1;
  }
  const connection = async (_: unknown, number: number): Promise<void> => {
    for (let turn = 0; turn < each; turn++) await create(turn * connections + number);
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return answers;
}

/** Answers that may come while places are scarce, a replica is killed, or the API server fails. */
export const REFUSALS = [
  ...["admitted", "no answer", "POL_QUOTA", "POL_QUOTA_STALE", "PLACEMENT_BUDGET", "PLACEMENT_NONE"],
  ...["ADM_BUSY", "ADM_LEDGER", "ADM_LEDGER_LOST", "ADM_RESERVATION_LATE", "ADM_RESTARTING", "ADM_UNSTORED"],
];

/** The limits that what is stored exceeds. */
export const overbooked = async (replicas: Replicas, limits: Parameters<typeof findOverbooked>[1]): Promise<string[]> =>
  findOverbooked(await storedWorkloads(replicas.plane.client), limits);
