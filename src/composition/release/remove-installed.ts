import { describe } from "../../errors.ts";
import { below } from "../../cluster/api-path.ts";
import { listCopies } from "../helm/release-storage.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import type { Composition, CompositionContext } from "../context.ts";
import type { Resource } from "../types.ts";
import { listInstalled } from "./list-installed.ts";

async function forget(context: CompositionContext, namespace: string, release: string): Promise<void> {
  const client = context.tenant(namespace);
  for (const [secret] of await listCopies(client, namespace, release)) {
    await client.remove(below(secretsPath(namespace), secret));
  }
  // A record whose signature is not valid.
  await context.records.change(namespace, release, () => []);
}

/**
 * Deletes what a release without a valid record installed, by helm's marks on it. Nothing is rendered and helm is not called:
 * the object may never have been decided, and its release's Secrets are its tenant's. Returns what still exists.
 */
export async function removeInstalled(
  context: CompositionContext,
  { object: { metadata, ...object } }: Composition,
  release: string,
): Promise<Resource[]> {
  const { namespace = "" } = metadata;
  const client = context.tenant(namespace);
  const found = await listInstalled(context, namespace, release);
  const running = found.filter((one) => one.object.metadata.deletionTimestamp === undefined);
  if (running.length > 0) {
    const { message } = describe("REL_UNRECORDED", { release, count: running.length });
    context.log.warn({ release, namespace, code: "REL_UNRECORDED" }, message);
    const said = `${message} [REL_UNRECORDED]`;
    context.record({ ...object, metadata }, { type: "Warning", reason: "REL_UNRECORDED", message: said });
  }
  for (const { path } of running) await client.remove(path);
  const left = await Promise.all(found.map(({ path }) => client.get<Resource>(path)));
  const existing = left.filter((one) => one !== null);
  if (existing.length === 0) await forget(context, namespace, release);
  return existing;
}
