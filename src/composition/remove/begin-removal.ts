import { trusted } from "../../model/decision-annotation/trusted.ts";
import { verifyDecision } from "../../model/decision-annotation/signature.ts";
import { isKind } from "../../model/names.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { standingFor } from "../decision/own-decision.ts";
import { idOf } from "../claims/object-ids.ts";
import { staysAtProvider } from "../claims/owned-marks.ts";
import { claimedBy } from "../record/record-secret.ts";
import type { ReleaseRecord } from "../record/release-record.ts";
import { manifestsOf } from "../release/recorded/list-recorded.ts";
import { sizeOfObject } from "../record/running-sizes.ts";
import type { Resource } from "../types.ts";

/** The ids of what the release itself leaves at its provider. */
async function keptBy({ revisions, former = [] }: Pick<ReleaseRecord, "revisions" | "former">): Promise<string[]> {
  const manifests = [...(await manifestsOf(revisions)).values(), ...former];
  return manifests.filter(staysAtProvider).map(idOf);
}

/** Records what a release runs by its record, which is gone once helm has uninstalled it. Throws REL_API…: then helm must not be called. */
export async function beginRemoval(
  context: CompositionContext,
  { object }: Composition,
  release: string,
): Promise<void> {
  const { kind, metadata } = object;
  const { namespace = "", name = "", uid = "" } = metadata;
  const mark = isKind(kind) ? await context.records.mark(namespace, release) : null;
  if (mark === null) return;
  const record = (await context.records.read(namespace, release)) ?? { revisions: [] };
  const { current, former } = await claimedBy(record);
  const objects = [...current, ...former];
  await context.removals.begin({ ...mark, kind, namespace, name, uid, objects, kept: await keptBy(record) });
}

/** Whether a place may count the object: only where its decision was made for it, or where none is asked for. */
async function hasPlace(context: CompositionContext, object: Resource): Promise<boolean> {
  if (context.keys === null) return true;
  const verified = verifyDecision(context.keys(), object);
  return verified !== null && (await standingFor(context, object, verified)) === "own";
}

/**
 * Records what is left of a release that no record names, such as one that an earlier version of Landfall uninstalled: as large as its object. Nothing if it is
 * recorded. Throws REL_API….
 */
export async function beginUnrecorded(
  context: CompositionContext,
  { object }: Composition,
  release: string,
): Promise<void> {
  const { kind, metadata } = object;
  const { namespace = "", name = "", uid = "" } = metadata;
  if (!isKind(kind) || (await context.removals.of(uid)) !== null) return;
  const size = sizeOfObject(kind, trusted(context.keys, object));
  const place = (await hasPlace(context, object)) ? size.place : "";
  await context.removals.begin({ kind, namespace, name, uid, release, place, running: [{ ...size, place }] });
}
