import { claimNames } from "../../cluster/claim-names.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { createEventRecorder } from "../../cluster/create-event-recorder.ts";
import type { Discovery } from "../../cluster/discover.ts";
import { chooseChart } from "../chart/choose-chart.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import type { ControllerOptions } from "./controller.ts";
import { pluralIn } from "./watch-compositions.ts";
import { openEmergencies } from "../record/open-emergencies.ts";
import { openBindings } from "../record/open-bindings.ts";
import type { Installer } from "../identity/open-installer.ts";
import type { Definitions } from "../definition/serve-definitions.ts";
import type { Lanes } from "../context/lanes.ts";
import type { ManagedWatches } from "../managed/watch-managed.ts";
import { Looks } from "../context/looks.ts";
import { openBoots } from "../record/open-boots.ts";
import { openRemovals } from "../record/open-removals.ts";
import { openRuns } from "../record/open-runs.ts";

export interface ContextInput {
  options: ControllerOptions;
  client: KubeClient;
  installer: Installer;
  discovery: Discovery;
  managed: ManagedWatches;
  nowSeconds: () => number;
  /** Null until the API server has answered once. */
  serverSeconds: () => number | null;
  lanes: Lanes;
  rollouts: CompositionContext["rollouts"];
  /** Null while this process does not install. */
  definitions: () => Definitions | null;
}

/** The parts that reconciling compositions needs. */
export function openContext(input: ContextInput): CompositionContext {
  const { client, discovery, managed, nowSeconds, serverSeconds, lanes, rollouts } = input;
  const { log, krateoNamespace, resyncSeconds, keys, systemNamespace, graceSeconds, runMetrics, reports } =
    input.options;
  const { lookSeconds = null, timeLapse = 1, metrics } = input.options;
  const { tenant, clientIn, withHelm, records, retentions } = input.installer;
  const runs = openRuns(client, systemNamespace);
  const boots = openBoots(client, systemNamespace);
  runMetrics.observe({
    ...{ list: () => runs.list(), boots: () => boots.known() },
    ...{ nowSeconds: serverSeconds, ownSeconds: nowSeconds },
  });
  return {
    ...{ runs, runMetrics, boots, graceSeconds, serverSeconds, timeLapse, reportUrl: reports?.url ?? null },
    ...{ client, discovery, managed, log, krateoNamespace, resyncSeconds, lookSeconds, keys, nowSeconds },
    ...{ metrics, lanes, rollouts, tenant, clientIn, withHelm, records, retentions, alone: claimNames() },
    removals: openRemovals(client, systemNamespace),
    emergencies: openEmergencies(client, systemNamespace),
    bindings: openBindings({ client, systemNamespace, nowSeconds }),
    record: createEventRecorder(client, { component: "landfall-composition", nowMs: Date.now }),
    servedFor: (composition) => chooseChart(composition, input.definitions()?.charts() ?? []),
    keptChart: (served, installed) => input.definitions()?.kept(served, installed) ?? Promise.resolve(null),
    isUnserved: ({ key }) => input.definitions()?.isUnserved(pluralIn(key)) ?? null,
    ...{ releases: new Map(), uninstalled: new Map(), retrying: new Map(), sizesAsked: new Map(), looks: new Looks() },
  };
}
