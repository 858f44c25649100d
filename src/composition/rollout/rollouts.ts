import type { Logger } from "pino";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { messageOf } from "../../errors.ts";
import { conditionsOf } from "../../model/kubernetes.ts";
import { isPaused } from "../../model/decision-annotation/pause.ts";
import type { Composition } from "../context/composition-context.ts";
import { condition, writeStatus } from "../definition/write-status.ts";
import { FINALIZER, LABEL } from "../keys.ts";
import { repeat } from "../repeat.ts";
import type { CompositionDefinition, ConditionInput, Resource, ServedChart } from "../types.ts";
import { type Admitted, planRollout, type RolloutObject, type RolloutPlan } from "./plan-rollout.ts";
import { type ReadSettings, readSettings } from "./read-settings.ts";

/** Ms between two looks at what may follow. */
const LOOK_MS = 1000;
const FAILED = new Set(["ReconcileError", "ReleaseFailed", "ProviderTerminal"]);
const TYPE = "RolledOut";

export interface RolloutParts {
  client: KubeClient;
  log: Logger;
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
  admitted: Map<string, Admitted>;
  plan: RolloutPlan | null;
  /** The text of the condition that was written last. */
  said: string;
}

const idOf = ({ definition, version }: ServedChart): string =>
  [definition.namespace, definition.name, version].join(" ");

/** Whether a release is installed for the object, with the version that its label names. */
export const isOnVersion = ({ metadata: { labels = {}, finalizers = [] } }: Resource): boolean =>
  finalizers.includes(FINALIZER) && (labels[LABEL.releaseName] ?? "") !== "" && (labels[LABEL.version] ?? "") !== "";

const statusOf = (object: Resource, type: string) => conditionsOf(object).find((one) => one.type === type);

/**
 * Takes the objects of a chart to its new version one after the other: the first alone, then as many in a minute as the definition's
 * annotations say, and none while it is paused or too many have failed. All but the times is read from the objects, so that another leader
 * continues.
 */
export class Rollouts {
  readonly #parts: RolloutParts;
  readonly #rollouts = new Map<string, Rollout>();

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

  /** Whether an object may be upgraded to this chart now; otherwise why not, as text. */
  turnOf({ metadata, status }: Resource, served: ServedChart): true | string {
    const rollout = this.#rollouts.get(idOf(served));
    if (rollout?.admitted.has(metadata.uid ?? "") === true) return true;
    const installed = status?.["helmChartVersion"];
    const from = typeof installed === "string" ? `chart ${installed}` : "the installed chart";
    const about = `${from} stays until its turn for ${served.chart.version}`;
    return rollout?.plan ? `${about}: ${told(rollout.plan)}` : about;
  }

  /** Lets an object through that its user changed, unless the rollout is held up. */
  admitChanged(object: Resource, served: ServedChart): boolean {
    const rollout = this.#rollouts.get(idOf(served));
    if (rollout?.plan?.state !== "Progressing") return false;
    this.#admit(rollout, object);
    return true;
  }

  /** Lets the next objects through, and tells how far it is. */
  async look(): Promise<void> {
    const { charts, list, servedFor, log } = this.#parts;
    const served = charts();
    const ids = new Set(served.map(idOf));
    for (const id of this.#rollouts.keys()) if (!ids.has(id)) this.#rollouts.delete(id);
    const installed = list().filter(({ object }) => isOnVersion(object) && !isPaused(object));
    for (const chart of served) {
      const own = installed.filter(({ object }) => servedFor(object) === chart);
      // A definition whose status cannot be written does not hold up the rollouts of the others.
      await this.#lookAt(chart, own).catch((thrown: unknown) => {
        const { name, namespace } = chart.definition;
        log.warn(
          { definition: `${namespace}/${name}`, detail: messageOf(thrown) },
          "the state of a rollout was not written",
        );
      });
    }
  }

  async #lookAt(chart: ServedChart, own: readonly Composition[]): Promise<void> {
    const { reconcileNow, nowSeconds } = this.#parts;
    const rollout = this.#rollouts.get(idOf(chart)) ?? { admitted: new Map<string, Admitted>(), plan: null, said: "" };
    this.#rollouts.set(idOf(chart), rollout);
    const definition = this.#parts.definition(chart.definition);
    const settings = readSettings(definition?.metadata.annotations ?? {});
    const objects = own.map(({ object }) => this.#describe(object, chart, rollout));
    rollout.plan = planRollout(objects, rollout.admitted, settings, nowSeconds());
    const next = new Set(rollout.plan.next);
    for (const { key, object } of own.filter(({ object: one }) => next.has(one.metadata.uid ?? ""))) {
      this.#admit(rollout, object);
      reconcileNow(key);
    }
    if (definition !== null) await this.#tell(definition, rollout, { chart, settings, own });
  }

  #admit({ admitted }: Rollout, object: Resource): void {
    const wasReady = statusOf(object, "Ready")?.status === "True";
    admitted.set(object.metadata.uid ?? "", { at: this.#parts.nowSeconds(), wasReady });
  }

  #describe(object: Resource, { version, chart }: ServedChart, { admitted }: Rollout): RolloutObject {
    const { uid = "", labels } = object.metadata;
    const [ready, synced] = [statusOf(object, "Ready"), statusOf(object, "Synced")];
    const isFailed = [ready, synced].some((one) => one?.status === "False" && FAILED.has(one.reason));
    const isMoved = labels?.[LABEL.version] === version || admitted.has(uid);
    const isDone = isMoved && object.status?.["helmChartVersion"] === chart.version;
    return { uid, isMoved, isDone, isReady: ready?.status === "True" && !isFailed, isFailed };
  }

  async #tell(
    definition: CompositionDefinition,
    rollout: Rollout,
    { chart, settings, own }: { chart: ServedChart; settings: ReadSettings; own: readonly Composition[] },
  ): Promise<void> {
    const { plan } = rollout;
    const before = conditionsOf(definition).find(({ type }) => type === TYPE);
    // A chart that never had another version needs no condition.
    if (plan === null || (plan.state === "Complete" && before === undefined)) return;
    const names = own
      .filter(({ object }) => plan.failed.includes(object.metadata.uid ?? ""))
      .map(({ object: { metadata } }) => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`);
    const wanted = conditionOf(plan, { chart, settings, names });
    const said = `${wanted.reason} ${wanted.message}`;
    if (rollout.said === said) return;
    await writeStatus(this.#parts, definition, [wanted], {});
    rollout.said = said;
    const { name, namespace } = chart.definition;
    if (plan.state === "Stopped")
      this.#parts.log.warn(
        { definition: `${namespace}/${name}`, version: chart.chart.version, failed: names },
        "a rollout stopped",
      );
  }
}

/** For people. */
function told({ state, moved, total, failed }: RolloutPlan): string {
  const counts = `${String(moved)} of ${String(total)} objects have it`;
  if (state === "Paused") return `${counts}; the rollout is paused`;
  if (state === "Stopped")
    return `${counts}; the rollout stopped, as ${String(failed.length)} failed after their upgrade`;
  return counts;
}

function conditionOf(
  plan: RolloutPlan,
  { chart, settings, names }: { chart: ServedChart; settings: ReadSettings; names: string[] },
): ConditionInput {
  const { version } = chart.chart;
  const why = plan.state === "Paused" ? `: ${settings.paused}` : "";
  const failed = names.length === 0 ? "" : `: ${names.slice(0, 5).join(", ")}`;
  const advice =
    plan.state === "Stopped"
      ? "; correct them, set the chart's version back, or raise landfall.dev/rollout-failures"
      : "";
  const parts = [`chart ${version}: ${told(plan)}${why}${failed}${advice}`, ...settings.problems];
  return condition(TYPE, plan.state === "Complete", plan.state, parts.join(". "));
}
