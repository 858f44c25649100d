import type { Result } from "../../cluster/queue/work-queue.ts";
import { LandfallError, messageOf } from "../../errors.ts";
import { specDigest } from "../../model/decision-annotation/still-holds.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { valuesIn } from "../helm/stored-release.ts";
import { FINALIZER, LABEL, RELEASE_LABEL } from "../keys.ts";
import type { Release } from "../managed/release.ts";
import { type InstalledChart, installedChart } from "../record/installed-chart.ts";
import type { RecordedRevision } from "../record/release-record.ts";
import { releaseName } from "../release/find-release.ts";
import { readRelease } from "../release/read-release.ts";
import { foundOf, readyOf, sayTransition } from "../status/ready-condition.ts";
import { writeStatus } from "../status/write-status.ts";
import type { ConditionInput, Resource, ServedChart } from "../types.ts";

/** The chart that an object has now. */
export interface Turn {
  served: ServedChart;
  /** Why this is not the newest version of its chart; null if it is. */
  waits: string | null;
}

/** An object that waits, and whose chart is neither served nor kept any more. */
export interface Unkept {
  served: null;
  waits: string;
}

type Revisions = readonly RecordedRevision[];

async function readRevisions({ records }: CompositionContext, namespace: string, release: string): Promise<Revisions> {
  return (await records.read(namespace, release))?.revisions ?? [];
}

const labelled = ({ labels = {} }: Resource["metadata"]): string => labels[LABEL.releaseName] ?? "";

const likelyNames = (metadata: Resource["metadata"]): string[] =>
  [...new Set([labelled(metadata), releaseName(metadata.name ?? "", metadata.uid ?? "")])].filter(
    (name) => name !== "",
  );

/** Nothing is installed for an object before it has both. */
const isUnadopted = (metadata: Resource["metadata"]): boolean =>
  labelled(metadata) === "" && metadata.finalizers?.includes(FINALIZER) !== true;

/**
 * The recorded revisions of the object's release, newest first; empty for none. Its name is tried before the records are searched for its uid:
 * anyone who may change the object may change the label.
 */
async function revisionsOf(context: CompositionContext, { metadata }: Resource): Promise<Revisions> {
  const { namespace = "", uid = "" } = metadata;
  for (const release of likelyNames(metadata)) {
    const revisions = await readRevisions(context, namespace, release);
    if (revisions[0]?.labels[RELEASE_LABEL.composition] === uid) return revisions;
  }
  if (isUnadopted(metadata)) return [];
  const found = await context.records.find(namespace, uid);
  return found === null ? [] : readRevisions(context, namespace, found);
}

const deployedIn = (revisions: Revisions): RecordedRevision | undefined =>
  revisions.find(({ status }) => status === "deployed");

async function installedFor(context: CompositionContext, object: Resource): Promise<InstalledChart | null> {
  const known = context.releases.get(object.metadata.uid ?? "");
  if (known !== undefined) return known.chart;
  const deployed = deployedIn(await revisionsOf(context, object));
  return deployed === undefined ? null : installedChart(deployed.release);
}

/** Whether the version that is installed is served itself, by another definition: then its label chooses between them. */
function isServed({ servedFor }: CompositionContext, { metadata, ...object }: Resource, version: string): boolean {
  const asInstalled = { ...object, metadata: { ...metadata, labels: { [LABEL.version]: version } } };
  return servedFor(asInstalled)?.version === version;
}

async function keptFor(
  { keptChart, log }: CompositionContext,
  served: ServedChart,
  installed: InstalledChart,
): Promise<ServedChart | null> {
  try {
    return await keptChart(served, installed);
  } catch (thrown) {
    const code = thrown instanceof LandfallError ? thrown.code : undefined;
    log.warn({ chart: served.url, version: installed.chart, code, error: messageOf(thrown) }, "a chart is not kept");
    return null;
  }
}

/**
 * The chart with which an object is installed, repaired, paused, resumed and stopped now: the newest version of its chart, or until its turn
 * in the rollout the one that is installed. Which that is says Landfall's record of its release.
 */
export async function takeTurn(
  context: CompositionContext,
  { object }: Composition,
  served: ServedChart,
): Promise<Turn | Unkept> {
  const installed = await installedFor(context, object);
  context.rollouts.note(object, served, installed);
  if (installed === null || installed.version === served.version) return { served, waits: null };
  if (isServed(context, object, installed.version)) return { served, waits: null };
  const why = context.rollouts.turnOf(object, served, installed);
  if (why === true) return { served, waits: null };
  const kept = await keptFor(context, served, installed);
  if (kept !== null) return { served: kept, waits: `${why}; fields that only ${served.chart.version} has wait, too` };
  const [newest] = await revisionsOf(context, object);
  const isChanged = newest !== undefined && specDigest(valuesIn(newest.release)) !== specDigest(object.spec);
  if (isChanged && context.rollouts.admitChanged(object, served, installed)) return { served, waits: null };
  return {
    served: null,
    waits: `${why}; chart ${installed.chart} is not kept, so that nothing is changed or repaired`,
  };
}

/** The condition of an object that has the installed chart. */
export const awaitsRollout = (why: string, status: "True" | "False"): ConditionInput => ({
  ...{ type: "Synced", status, reason: "AwaitsRollout", message: why },
});

/** The deployed release as it is recorded; null for none. */
async function deployed(context: CompositionContext, composition: Composition): Promise<Release | null> {
  const known = context.releases.get(composition.object.metadata.uid ?? "");
  if (known !== undefined) return known;
  const base = deployedIn(await revisionsOf(context, composition.object));
  return base === undefined ? null : readRelease(context, composition, base);
}

/** Tells that the release of an object whose chart is not kept stays as it is, and how it is. */
export async function reportUnkept(
  context: CompositionContext,
  composition: Composition,
  { waits }: Unkept,
): Promise<Result> {
  const { object } = composition;
  await context.clientIn(object.metadata.namespace ?? "");
  const release = await deployed(context, composition);
  await context.managed.load(composition.key);
  const ready = release === null ? [] : [readyOf(context, object, foundOf(context, release))];
  await writeStatus(context, composition, { conditions: [...ready, awaitsRollout(waits, "False")] });
  for (const one of ready) sayTransition(context, object, one);
  return { requeueAfter: context.resyncSeconds * 1000 };
}
