import type { Claim } from "../../claims/open-claims.ts";
import { idOf } from "../../claims/object-ids.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { TakenObject } from "../../helm/read-conflict.ts";
import type { Resource } from "../../types.ts";
import { formerPath } from "./former-path.ts";
import { locate } from "./list-recorded.ts";

export interface TakenQuestion {
  namespace: string;
  /** The release that is to have the objects. */
  release: string;
  manifests: readonly Resource[];
  /** Whether what its record names already is its own: nothing else got it since. */
  hasOwn: boolean;
}

/** The objects that removals of the namespace name. A release that is installed again while its former objects are deleted has its own. */
async function removalsIn({ removals }: CompositionContext, { namespace, release }: TakenQuestion): Promise<Claim[]> {
  const all = (await removals.list()).filter((one) => one.namespace === namespace && one.release !== release);
  return all.map(({ objects = [], ...one }) => ({ ...one, current: [], former: objects }));
}

/** Whether the object is still there for which the release was installed: not so for one that was orphaned. */
async function hasObject(context: CompositionContext, namespace: string, { kind, name, uid }: Claim): Promise<boolean> {
  const path = await formerPath(context, { kind, namespace, name });
  return path !== null && (await context.client.get<Resource>(path))?.metadata.uid === uid;
}

async function exists(context: CompositionContext, namespace: string, manifest: Resource): Promise<boolean> {
  const [found] = await locate(context, namespace, [manifest]);
  return found !== undefined && (await context.tenant(namespace).get<Resource>(found.path)) !== null;
}

/**
 * The first of these objects that the record of another release or removal of the namespace names, whatever its metadata say: Helm would take an object
 * over whose marks were changed. What is orphaned, being deleted or left by an earlier revision is taken only while it exists. Null for none.
 * Throws REL_API….
 */
export async function findTaken(context: CompositionContext, question: TakenQuestion): Promise<TakenObject | null> {
  const { namespace, release, manifests, hasOwn } = question;
  const recorded = await context.records.claims(namespace);
  const own = new Set(recorded.find((one) => hasOwn && one.release === release)?.current);
  const asked = new Map(manifests.map((one) => [idOf(one), one] as const).filter(([id]) => !own.has(id)));
  const others = [...recorded.filter((one) => one.release !== release), ...(await removalsIn(context, question))];
  for (const claim of others) {
    const mine = [...claim.current, ...claim.former].filter((id) => asked.has(id));
    for (const id of mine) {
      const manifest = asked.get(id) as Resource;
      const isHeld = claim.current.includes(id) && (await hasObject(context, namespace, claim));
      if (!isHeld && !(await exists(context, namespace, manifest))) continue;
      const holder = { release: claim.release, namespace };
      return { kind: manifest.kind, name: manifest.metadata.name ?? "", holder };
    }
  }
  return null;
}
