import type { Logger } from "pino";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { messageOf } from "../../errors.ts";
import { conditionsOf } from "../../model/kubernetes.ts";
import { isPaused } from "../../model/decision-annotation/pause.ts";
import type { Composition, RolloutTurns } from "../context/composition-context.ts";
import { writeStatus } from "../definition/write-status.ts";
import { FINALIZER, LABEL } from "../keys.ts";
import type { InstalledChart } from "../record/installed-chart.ts";
import type { Admitted, RolloutProgress, RolloutRecords } from "../record/open-rollouts.ts";
import { repeat } from "../repeat.ts";
import type { CompositionDefinition, Resource, ServedChart } from "../types.ts";
import { followed, planRollout, type RolloutObject, type RolloutPlan } from "./plan-rollout.ts";
import { type ReadSettings, readSettings } from "./read-settings.ts";
import { conditionOf, ROLLED_OUT, waitingText } from "./rollout-condition.ts";

/** Ms between two looks at what may follow. */
const LOOK_MS = 1000;
const FAILED = new Set(["ReconcileError", "ReleaseFailed", "ProviderTerminal"]);

export interface RolloutParts {
  client: KubeClient;
  log: Logger;
  records: RolloutRecords;
  /** Seconds since 1970. */
  nowSeconds: () => number;
  /** The charts that are served now. */
  charts: () => ServedChart[];
  definition: (of: ServedChart["definition"]) => CompositionDefinition | null;
  list: () => Composition[];
  /** The chart of an object by its labels; null for none. */
  servedFor: (object: Resource) => ServedChart | null;
  reconcileNow: (key: string) => void;
}

interface Rollout {
  progress: RolloutProgress;
  /** The progress that is recorded, as text. */
  recorded: string;
  plan: RolloutPlan | null;
  /** The text of the condition that was written last. */
  said: string;
}

/** The chart of an object that is installed, and the definition that it follows. */
interface Noted {
  definition: string;
  installed: InstalledChart | null;
}

const nameOf = ({ definition: { namespace, name } }: ServedChart): string => `${namespace} ${name}`;
const idOf = (chart: ServedChart): string => `${nameOf(chart)} ${chart.version}`;
const uidOf = ({ metadata: { uid = "" } }: Resource): string => uid;
const statusOf = (object: Resource, type: string) => conditionsOf(object).find((one) => one.type === type);

const NONE: RolloutProgress = { admitted: new Map(), failed: new Map(), isProven: false };
const textOf = ({ admitted, failed, isProven }: RolloutProgress): string =>
  JSON.stringify([[...admitted], [...failed], isProven]);

function describe(object: Resource, installed: InstalledChart, { version }: ServedChart): RolloutObject {
  const { uid = "", namespace = "", name = "" } = object.metadata;
  const [ready, synced] = [statusOf(object, "Ready"), statusOf(object, "Synced")];
  const isFailed = [ready, synced].some((one) => one?.status === "False" && FAILED.has(one.reason));
  const isReady = ready?.status === "True" && !isFailed;
  const isDone = installed.version === version;
  return { uid, namespace, name, isDone, isReady, isFailed, isPaused: isPaused(object) };
}

/**
 * Takes the objects of a chart to its new version one after the other: the first alone, then as many in a minute as the definition's
 * annotations say, and none while it is paused or too many have failed. What is installed for an object says its record, since anyone who may
 * change the object may change its labels. What was let through and what failed is recorded, so that another leader continues.
 */
export class Rollouts implements RolloutTurns {
  readonly #parts: RolloutParts;
  readonly #rollouts = new Map<string, Rollout>();
  /** By the uid of an object. */
  readonly #noted = new Map<string, Noted>();

  constructor(parts: RolloutParts) {
    this.#parts = parts;
  }

  /** Looks at intervals. Returns a function that stops it. */
  start(): () => Promise<void> {
    return repeat(() => this.look(), {
      everyMs: LOOK_MS,
      log: this.#parts.log,
      failure: "the state of a rollout was not written",
    });
  }

  note(object: Resource, served: ServedChart, installed: InstalledChart | null): void {
    this.#noted.set(uidOf(object), { definition: nameOf(served), installed });
  }

  turnOf(object: Resource, served: ServedChart, installed: InstalledChart): true | string {
    const rollout = this.#rollouts.get(idOf(served));
    if (rollout?.progress.admitted.has(uidOf(object)) === true) return true;
    return waitingText(rollout?.plan ?? null, installed.chart, served);
  }

  admitChanged(object: Resource, served: ServedChart, installed: InstalledChart): boolean {
    const rollout = this.#rollouts.get(idOf(served));
    if (rollout?.plan?.state !== "Progressing") return false;
    rollout.progress = this.#admitting(rollout.progress, [describe(object, installed, served)]);
    return true;
  }

  /** Lets the next objects through, and tells how far it is. */
  async look(): Promise<void> {
    const { charts, list, log } = this.#parts;
    const served = charts();
    const ids = new Set(served.map(idOf));
    for (const id of this.#rollouts.keys()) if (!ids.has(id)) this.#rollouts.delete(id);
    const all = list();
    const uids = new Set(all.map(({ object }) => uidOf(object)));
    for (const uid of this.#noted.keys()) if (!uids.has(uid)) this.#noted.delete(uid);
    const staying = all.filter(({ object }) => object.metadata.deletionTimestamp === undefined);
    for (const chart of served) {
      // A definition whose status cannot be written does not hold up the rollouts of the others.
      await this.#lookAt(chart, staying).catch((thrown: unknown) => {
        const { name, namespace } = chart.definition;
        log.warn(
          { definition: `${namespace}/${name}`, detail: messageOf(thrown) },
          "the state of a rollout was not written",
        );
      });
    }
  }

  async #lookAt(chart: ServedChart, all: readonly Composition[]): Promise<void> {
    const { nowSeconds, records, reconcileNow } = this.#parts;
    const rollout = this.#rollouts.get(idOf(chart)) ?? (await this.#resumed(chart));
    this.#rollouts.set(idOf(chart), rollout);
    const definition = this.#parts.definition(chart.definition);
    const settings = readSettings(definition?.metadata.annotations ?? {});
    const objects = all.flatMap(({ object }) => {
      const noted = this.#noted.get(uidOf(object));
      const isOwn = noted?.definition === nameOf(chart) && noted.installed !== null;
      return isOwn && noted.installed !== null ? [describe(object, noted.installed, chart)] : [];
    });
    const isPartial = all.some(({ object }) => this.#isUnknown(object, chart));
    const now = nowSeconds();
    const progress = followed(objects, rollout.progress, now);
    rollout.progress = progress;
    rollout.plan = planRollout({ objects, progress, settings, isPartial, now });
    const next = new Set(rollout.plan.next);
    const admitting = this.#admitting(
      progress,
      objects.filter(({ uid }) => next.has(uid)),
    );
    // Recorded first: another leader would not know of a failure of what was let through.
    if (textOf(admitting) !== rollout.recorded) await records.write(chart, admitting);
    rollout.recorded = textOf(admitting);
    rollout.progress = this.#joined(admitting, rollout.progress);
    for (const { key, object } of all) if (next.has(uidOf(object))) reconcileNow(key);
    if (definition !== null) await this.#tell(definition, rollout, { chart, settings });
  }

  /** As the last leader left it. */
  async #resumed(chart: ServedChart): Promise<Rollout> {
    const progress = (await this.#parts.records.resume(chart)) ?? NONE;
    return { progress, recorded: textOf(progress), plan: null, said: "" };
  }

  /** Whether an object seems to have an earlier version, but its release was not looked at yet. */
  #isUnknown(object: Resource, chart: ServedChart): boolean {
    const { labels = {}, finalizers = [] } = object.metadata;
    if (this.#noted.has(uidOf(object)) || isPaused(object) || !finalizers.includes(FINALIZER)) return false;
    return labels[LABEL.version] !== chart.version && this.#parts.servedFor(object) === chart;
  }

  #admitting(progress: RolloutProgress, objects: readonly RolloutObject[]): RolloutProgress {
    const at = this.#parts.nowSeconds();
    const added = objects.map(({ uid, isReady }): [string, Admitted] => [uid, { at, wasReady: isReady }]);
    return { ...progress, admitted: new Map([...progress.admitted, ...added]) };
  }

  /** With what was let through while it was being recorded. */
  #joined(one: RolloutProgress, other: RolloutProgress): RolloutProgress {
    return { ...one, admitted: new Map([...other.admitted, ...one.admitted]) };
  }

  async #tell(
    definition: CompositionDefinition,
    rollout: Rollout,
    { chart, settings }: { chart: ServedChart; settings: ReadSettings },
  ): Promise<void> {
    const { plan } = rollout;
    const before = conditionsOf(definition).find(({ type }) => type === ROLLED_OUT);
    // A chart that never had another version needs no condition.
    if (plan === null || (plan.state === "Complete" && before === undefined)) return;
    const wanted = conditionOf(plan, { chart, settings });
    const said = `${wanted.reason} ${wanted.message}`;
    if (rollout.said === said) return;
    await writeStatus(this.#parts, definition, [wanted], {});
    rollout.said = said;
    const { name, namespace } = chart.definition;
    if (plan.state === "Stopped")
      this.#parts.log.warn(
        { definition: `${namespace}/${name}`, version: chart.chart.version, failed: plan.failed.slice(0, 5) },
        "a rollout stopped",
      );
  }
}
