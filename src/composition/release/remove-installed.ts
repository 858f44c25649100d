import pLimit from "p-limit";
import { describe } from "../../errors.ts";
import { below } from "../../cluster/api-path.ts";
import { listCopies } from "../helm/release-storage.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import type { Resource } from "../types.ts";
import { type Installed, listInstalled } from "./list-installed.ts";

/** How many resources are read at a time. */
const AT_ONCE = 8;

async function forget(context: CompositionContext, namespace: string, release: string): Promise<void> {
  const client = context.tenant(namespace);
  for (const [secret] of await listCopies(client, namespace, release)) {
    await client.remove(below(secretsPath(namespace), secret));
  }
  // A record whose signature is not valid.
  await context.records.change(namespace, release, () => []);
}

type Code = "REL_UNRECORDED" | "REL_LEFTOVERS";

/** Deletes these resources of a release, and says why. */
export async function deleteInstalled(
  context: CompositionContext,
  { object }: Composition,
  release: string,
  { found, code }: { found: readonly Installed[]; code: Code },
): Promise<void> {
  const { namespace = "" } = object.metadata;
  const running = found.filter((one) => one.object.metadata.deletionTimestamp === undefined);
  if (running.length === 0) return;
  const { message } = describe(code, { release, count: running.length });
  context.log.warn({ release, namespace, code }, message);
  context.record(object, { type: "Warning", reason: code, message: `${message} [${code}]` });
  for (const { path } of running) await context.tenant(namespace).remove(path);
}

/**
 * Deletes what a release installed and no valid record names, by helm's marks on it. Nothing is rendered and helm is not called:
 * the object may never have been decided, and its release's Secrets are its tenant's. Returns what still exists.
 */
export async function removeInstalled(
  context: CompositionContext,
  composition: Composition,
  release: string,
  code: Code,
): Promise<Resource[]> {
  const { namespace = "" } = composition.object.metadata;
  const client = context.tenant(namespace);
  const found = await listInstalled(context, namespace, release);
  await deleteInstalled(context, composition, release, { found, code });
  const limit = pLimit(AT_ONCE);
  const left = await Promise.all(found.map(({ path }) => limit(() => client.get<Resource>(path))));
  const existing = left.filter((one) => one !== null);
  if (existing.length === 0) await forget(context, namespace, release);
  return existing;
}
