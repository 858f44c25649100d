import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";
import type { Trusted } from "../../model/decision-annotation/trusted.ts";
import type { Logger } from "pino";
import type { ApiPath } from "../../cluster/api-path.ts";
import type { ClaimNames } from "../../cluster/claim-names.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { Discovery } from "../../cluster/discover.ts";
import type { EventRecorder } from "../../cluster/create-event-recorder.ts";
import type { ReadEmergencies } from "../record/open-emergencies.ts";
import type { ManagedWatches } from "../managed/watch-managed.ts";
import type { Helm } from "../helm/run-helm.ts";
import type { Bindings } from "../record/open-bindings.ts";
import type { Records } from "../record/open-records.ts";
import type { Removals } from "../record/open-removals.ts";
import type { Retentions } from "../record/open-retentions.ts";
import type { Boots } from "../record/open-boots.ts";
import type { RunMetrics } from "../run/state/run-metrics.ts";
import type { Runs } from "../record/open-runs.ts";
import type { Resource, ServedChart } from "../types.ts";
import type { CompositionMetrics } from "./composition-metrics.ts";
import type { Lanes } from "./lanes.ts";
import type { Looks } from "./looks.ts";
import type { Release } from "../managed/release.ts";
import type { InstalledChart } from "../record/installed-chart.ts";

/** Since when each resource has an error that its operator tries to overcome, in seconds since 1970. */
export type RetryTimes = ReadonlyMap<string, number>;

/** Which objects may be upgraded to a new version of their chart. */
export interface RolloutTurns {
  /** Notes what is installed for an object, by the record of its release; null for nothing. */
  note(object: Resource, served: ServedChart, installed: InstalledChart | null): void;
  /** Whether an object may be upgraded to this chart now; otherwise why not, as text. */
  turnOf(object: Resource, served: ServedChart, installed: InstalledChart): true | string;
  /** Lets an object through that its user changed and whose chart is not kept, unless the rollout is held up. */
  admitChanged(object: Resource, served: ServedChart, installed: InstalledChart): boolean;
}

/** The slot that a call of helm waits for. */
export interface HelmSlot {
  namespace: string;
  /** The deletions of a namespace count apart from its other calls. */
  isDeletion: boolean;
  /** It comes first. */
  isUrgent: boolean;
  /** Refuses, by an error, a revision that helm is about to record: before helm writes any of its objects. */
  guard?: (resources: readonly Resource[]) => Promise<void>;
}

/** The parts that a reconcile of one composition uses. */
export interface CompositionContext {
  client: KubeClient;
  discovery: Discovery;
  /** A client with the rights of the namespace's identity, which are those of the charts in this namespace. */
  tenant: (namespace: string) => KubeClient;
  /** The same, once the identity is there and has its rights. Throws REL_IDENTITY. */
  clientIn: (namespace: string) => Promise<KubeClient>;
  /** Calls helm with the rights of the namespace's identity. Bounds how many helm processes run at the same time; urgent ones come first. */
  withHelm: <T>(slot: HelmSlot, work: (helm: Helm) => Promise<T>) => Promise<T>;
  metrics: CompositionMetrics;
  /** Leaves calls of helm to the lane that waits for them. */
  lanes: Pick<Lanes, "leaveToHelm" | "settle">;
  /** Verifies decisions; null where objects without one are installed too. */
  keys: (() => KeyRing) | null;
  /** Which object each decision counts for. */
  bindings: Bindings;
  /** When admission was switched off, and where. */
  emergencies: ReadEmergencies;
  /** The releases that helm was asked to install. Nothing else is upgraded or uninstalled. */
  records: Records;
  /** The records of releases that helm uninstalls, until nothing of them is left. */
  removals: Removals;
  /** The records of what deleted objects left running. */
  retentions: Retentions;
  /** When runs started, and how they ended. */
  runs: Runs;
  runMetrics: RunMetrics;
  /** How long boots took. */
  boots: Boots;
  /** Seconds from the end of a run to its deletion. */
  graceSeconds: number;
  /** The address at which machines report their completion, without a path; null if they do not. */
  reportUrl: string | null;
  /** Seconds since 1970 by the API server's clock, which ends go by; null before its first answer. */
  serverSeconds: () => number | null;
  /** Seconds that pass in one second of a run that may pause; one if omitted, as in every real cluster. */
  timeLapse?: number;
  /** Runs work that shares a name one at a time: helm checks the owner of a resource before it writes it. */
  alone: ClaimNames;
  managed: ManagedWatches;
  record: EventRecorder;
  log: Logger;
  /** Seconds since 1970. */
  nowSeconds: () => number;
  krateoNamespace: string;
  resyncSeconds: number;
  /** The chart of a composition; null if no CompositionDefinition serves it. */
  servedFor: (composition: Resource) => ServedChart | null;
  /** Whether its kind is Landfall's, and no CompositionDefinition serves it any more; null while that is not known. */
  isUnserved: (composition: Composition) => boolean | null;
  /** The order in which objects get a new version of their chart. */
  rollouts: RolloutTurns;
  /** The chart that is installed for an object which waits for its turn; null if it is not kept. Throws REL_CHART_…. */
  keptChart: (served: ServedChart, installed: InstalledChart) => Promise<ServedChart | null>;
  /** A cache of the releases, by the composition's uid. */
  releases: Map<string, Release>;
  /** By the uid of a composition, its recorded release that helm has uninstalled, while the resources are being deleted. */
  uninstalled: Map<string, string>;
  /** When operators were asked to look at machines. */
  looks: Looks;
  /** Seconds between two looks; null for what catalog/operations.json says, 0 for never. */
  lookSeconds: number | null;
  /** When another size was last asked for, in seconds since 1970, by the composition's uid. */
  sizesAsked: Map<string, number>;
  /** Since when resources have errors that pass, by the composition's uid. */
  retrying: Map<string, RetryTimes>;
}

/** One composition in a reconcile. */
export interface Composition {
  /** Its key in the queue. */
  key: string;
  object: Resource;
  /** Its path at the API server. */
  path: ApiPath;
}

/** One whose decision, if it has one, admission signed. */
export interface TrustedComposition extends Composition {
  object: Trusted<Resource>;
}
