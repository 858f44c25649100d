import { LandfallError, messageOf } from "../../errors.ts";
import { below } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import { listCopies } from "../helm/release-storage.ts";
import { secretsPath } from "../../cluster/secrets-path.ts";
import { helmSecretOf } from "../record/helm-secret.ts";
import type { RecordedRevision, ReleaseRecord } from "../record/release-record.ts";
import { writeCopy } from "../record/write-copy.ts";

async function rewrite(
  tenant: KubeClient,
  namespace: string,
  changed: RecordedRevision[],
): Promise<Map<string, string>> {
  const written = new Map<string, string>();
  for (const revision of changed) {
    written.set(revision.secret, await writeCopy(tenant, namespace, await helmSecretOf(namespace, revision)));
  }
  return written;
}

async function restore(context: CompositionContext, { namespace, release, revisions }: ReleaseRecord): Promise<void> {
  const tenant = context.tenant(namespace);
  const copies = new Map(await listCopies(tenant, namespace, release));
  const changed = revisions.filter(({ secret, copy }) => copy === "" || copies.get(secret) !== copy);
  const recorded = new Set(revisions.map(({ secret }) => secret));
  const foreign = [...copies.keys()].filter((secret) => !recorded.has(secret));
  if (changed.length === 0 && foreign.length === 0) return;
  const { message: error, code } = new LandfallError("REL_COPY", { release, namespace });
  context.log.warn({ release, namespace, code, error }, "the copies of a release are restored");
  for (const secret of foreign) await tenant.remove(below(secretsPath(namespace), secret));
  const written = await rewrite(tenant, namespace, changed);
  await context.records.change(namespace, release, (all) =>
    all.map((one) => ({ ...one, copy: written.get(one.secret) ?? one.copy })),
  );
}

/**
 * Puts the copies in the release's namespace back to what is recorded, where someone changed, added or removed one. Nothing
 * reads them here, but people and their tools do. A failure is logged: it concerns these copies only.
 */
export async function restoreCopies(context: CompositionContext, record: ReleaseRecord): Promise<void> {
  const { namespace, release } = record;
  await restore(context, record).catch((thrown: unknown) => {
    context.log.warn({ namespace, release, error: messageOf(thrown) }, "the copies of a release were not restored");
  });
}
