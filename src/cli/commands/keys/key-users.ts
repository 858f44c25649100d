import { SIGNATURE_ANNOTATION } from "../../../composition/record/record-secret.ts";
import { parseSignature } from "../../../model/decision-annotation/signature.ts";
import type { Resource } from "../../../model/kubernetes.ts";
import { ANNOTATION } from "../../../model/names.ts";
import type { KeyCluster } from "./open-cluster.ts";

/** The id under which signatures of versions that named no key are counted. */
export const NO_KEY = "unnamed";

/** The id of the key that a decision's signature names; null for a text that is none. */
export function keyOfSignature(text = ""): string | null {
  const signature = parseSignature(text);
  return signature === null ? null : signature.use === "legacy" ? NO_KEY : signature.keyId;
}

/** The id of the key that a shard of the ledger names; null for one without a signature. */
export function keyOfShard({ spec = {} }: Resource): string | null {
  const { signature } = spec;
  return typeof signature === "string" && signature !== "" ? (signature.split(".")[0] ?? null) : null;
}

/** How many decisions, records and shards of the ledger name each key. */
export async function keyUsers({ objects, secrets, shards }: KeyCluster): Promise<Map<string, number>> {
  const users = new Map<string, number>();
  const count = (id: string | null | undefined): void => {
    if (id !== null && id !== undefined) users.set(id, (users.get(id) ?? 0) + 1);
  };
  for (const { object } of await objects()) count(keyOfSignature(object.metadata.annotations?.[ANNOTATION.seal]));
  for (const { metadata } of await secrets()) {
    const signature = metadata.annotations?.[SIGNATURE_ANNOTATION];
    count(signature?.split(".")[0] === "" ? null : signature?.split(".")[0]);
  }
  for (const shard of await shards()) count(keyOfShard(shard));
  return users;
}
