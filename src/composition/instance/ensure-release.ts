import { describe, LandfallError } from "../../errors.ts";
import { explainFailure } from "../helm/explain-failure.ts";
import type { Revision } from "../helm/release-storage.ts";
import { dropRevision, listRevisions } from "../helm/release-storage.ts";
import { runHelm } from "../helm/run-helm.ts";
import type { ServedChart } from "../types.ts";
import { buildValues, shortDigest } from "./build-values.ts";
import type { Action } from "./choose-action.ts";
import { chooseAction } from "./choose-action.ts";
import { judgeRelease } from "./find-release.ts";
import { describeOwner } from "./release-owner.ts";
import type { Instance, InstanceContext } from "./context.ts";
import type { DriftHistory } from "./drift-history.ts";
import { afterUpgrade, isTriedLately } from "./drift-history.ts";
import { KRATEO_ANNOTATION, LABEL, RELEASE_LABEL } from "./keys.ts";
import { observeAwaited, observeDrift } from "./observe-release.ts";
import type { Release } from "./release.ts";
import { readRelease } from "./read-release.ts";

export interface EnsureInput {
  context: InstanceContext;
  instance: Instance;
  served: ServedChart;
}

export type Ensured = { release: Release } | { waitMs: number };

interface Wanted extends EnsureInput {
  /** Release name. */
  name: string;
  namespace: string;
  values: Record<string, unknown>;
  inputs: string;
}

const HISTORY_MAX = "5";

function wantedOf(input: EnsureInput): Wanted {
  const { context, instance, served } = input;
  const { composition } = instance;
  const values = buildValues({ composition, served, krateoNamespace: context.krateoNamespace });
  const inputs = shortDigest([values, served.chart.digest, served.chart.version]);
  const name = composition.metadata.labels?.[LABEL.releaseName] ?? "";
  return { ...input, name, namespace: composition.metadata.namespace ?? "", values, inputs };
}

async function callHelm(wanted: Wanted, verb: "install" | "upgrade", awaited: string | null): Promise<void> {
  const { context, served, name, namespace, values, inputs } = wanted;
  const { uid = "" } = wanted.instance.composition.metadata;
  const marks = { [RELEASE_LABEL.composition]: uid, [RELEASE_LABEL.inputs]: inputs };
  const labels = Object.entries({ ...marks, [RELEASE_LABEL.awaited]: awaited ?? "none" }).map((mark) => mark.join("="));
  const common = [
    "--namespace",
    namespace,
    "-f",
    "-",
    "--labels",
    labels.join(),
    "--server-side=true",
    "--force-conflicts",
  ];
  // `upgrade --install` asks for the history that is known here: a plain install saves a quarter of the time.
  const extra = verb === "upgrade" ? ["--history-max", HISTORY_MAX, "--reset-values"] : [];
  const args = [verb, name, served.chart.directory, ...common, ...extra];
  const startedAt = performance.now();
  const result = await context.helmSlot(() => runHelm(context.helm, { args, input: JSON.stringify(values) }));
  const ms = Math.round(performance.now() - startedAt);
  context.log.info({ release: name, namespace, verb, code: result.code, ms }, "helm");
  if (result.code === 0) return;
  throw explainFailure({ action: verb, release: name, chart: served.chart.name, stderr: result.stderr });
}

/** The drift that is worth an upgrade: null for none, and for one that upgrades did not end. */
function worthwhile(wanted: Wanted, release: Release, drift: string | null): string | null {
  if (drift === null || isGracefullyPaused(wanted)) return null;
  if (!isTriedLately(release.drifts, drift, wanted.context.now())) return drift;
  const message = `${describe("REL_DRIFT", { detail: drift }).message} [REL_DRIFT]`;
  wanted.context.record(wanted.instance.composition, { type: "Warning", reason: "Drift", message });
  return null;
}

interface Observed {
  release: Release | null;
  action: Action;
  awaited: string | null;
  drift: string | null;
}

/** Throws REL_RELEASE_FOREIGN for a release that was not installed for this composition. */
async function assertOwn({ context, instance, name, namespace }: Wanted, newest: Revision | undefined): Promise<void> {
  const { claim, owner } = await judgeRelease(context, instance, newest);
  if (claim !== "foreign") return;
  context.releases.delete(instance.composition.metadata.uid ?? "");
  throw new LandfallError("REL_RELEASE_FOREIGN", { release: name, namespace, owner: describeOwner(owner) });
}

/** The release of the newest revision: the known one where it is still that, else as helm stored it. */
async function currentRelease(wanted: Wanted, known: Release | undefined, all: Revision[]): Promise<Release | null> {
  const { context, instance } = wanted;
  const [last] = all;
  if (known && known.secret === last?.secret) return { ...known, checkedAt: context.now() };
  await assertOwn(wanted, last);
  if (last?.status === "deployed") return readRelease(context, instance, last);
  // What runs although a later revision failed: what a controller that restarted has to report meanwhile.
  const deployed = known ? undefined : all.find(({ status }) => status === "deployed");
  if (deployed) remember(wanted, await readRelease(context, instance, deployed));
  return null;
}

function remember({ context, instance }: Wanted, release: Release): void {
  context.releases.set(instance.composition.metadata.uid ?? "", release);
}

async function observe(wanted: Wanted, known: Release | undefined): Promise<Observed> {
  const { context, instance, inputs } = wanted;
  const revisions = await listRevisions(context.cluster, wanted.namespace, wanted.name);
  const release = await currentRelease(wanted, known, revisions);
  // Known already when what follows fails.
  if (release && !known) remember(wanted, release);
  const awaited = release && (await observeAwaited(context, instance, release));
  const drift = release && worthwhile(wanted, release, await observeDrift(context, release));
  const action = chooseAction({ revisions, inputs, awaited, drift, now: context.now() });
  return { release, action, awaited, drift };
}

/** True where nothing can have changed since the release was last looked at. */
async function isSettled(wanted: Wanted, known: Release | undefined): Promise<boolean> {
  const { context, instance, inputs } = wanted;
  if (known?.inputs !== inputs) return false;
  if (context.now() - known.checkedAt >= context.resyncSeconds) return false;
  if (isGracefullyPaused(wanted)) return true;
  const awaited = await observeAwaited(context, instance, known);
  if (awaited !== null && awaited !== known.awaited) return false;
  return worthwhile(wanted, known, await observeDrift(context, known)) === null;
}

const isGracefullyPaused = ({ instance }: EnsureInput): boolean =>
  instance.composition.metadata.annotations?.[KRATEO_ANNOTATION.gracefullyPaused] === "true";

async function afterHelm(wanted: Wanted, drifts: Release["drifts"]): Promise<Release> {
  const { context, instance } = wanted;
  const [last] = await listRevisions(context.cluster, wanted.namespace, wanted.name);
  if (last?.status !== "deployed") {
    const detail = `helm ended well, but the release is ${last?.status ?? "not there"}`;
    throw new LandfallError("REL_HELM", { action: "install", release: wanted.name, detail });
  }
  const release = { ...(await readRelease(context, instance, last)), drifts };
  remember(wanted, release);
  return release;
}

async function perform(wanted: Wanted, observed: Observed, attempts: number): Promise<Ensured> {
  const { context, instance, namespace, name } = wanted;
  const { action, awaited, drift, release } = observed;
  const say = (reason: string, message: string): void => {
    context.record(instance.composition, { type: "Normal", reason, message });
  };
  const history = (reason: string): DriftHistory =>
    afterUpgrade(release?.drifts ?? new Map(), reason === drift ? drift : null, context.now());
  switch (action.do) {
    case "wait":
      return { waitMs: action.ms };
    case "recover":
      context.log.warn({ release: name, namespace, secret: action.secret }, "a revision was never finished; dropped");
      await dropRevision(context.cluster, namespace, action.secret);
      if (attempts > 0) return perform(wanted, await observe(wanted, undefined), attempts - 1);
      return { waitMs: 1000 };
    case "install":
      await callHelm(wanted, "install", null);
      say("Installed", `release ${name} of chart ${wanted.served.chart.name} ${wanted.served.chart.version}`);
      return { release: await afterHelm(wanted, new Map()) };
    case "upgrade":
      await callHelm(wanted, "upgrade", awaited);
      say("Upgraded", `release ${name}: ${action.reason}`);
      return { release: await afterHelm(wanted, history(action.reason)) };
    case "nothing":
      if (!release) return { waitMs: 1000 };
      remember(wanted, release);
      return { release };
  }
}

/**
 * Brings the release to what the composition says, by one helm call at most, or none where it is there already.
 * Throws REL_RENDER, REL_HELM, REL_RELEASE_FOREIGN and the API server's errors.
 */
export async function ensureRelease(input: EnsureInput): Promise<Ensured> {
  const wanted = wantedOf(input);
  const known = input.context.releases.get(input.instance.composition.metadata.uid ?? "");
  if (known && (await isSettled(wanted, known))) return { release: known };
  return perform(wanted, await observe(wanted, known), 3);
}
