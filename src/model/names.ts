/** Labels and annotations, in one place because users script against them. */
export const ANNOTATION = {
  /** The compact decision, written at admission. */
  decision: "landfall.dev/decision",
  /** Signature: proves that Landfall made the decision for these inputs. */
  seal: "landfall.dev/seal",
  /** Any new value requests a new decision; `if-better` one that moves the object only for a gain. */
  reevaluate: "landfall.dev/reevaluate",
  /** "true" lets a change move an installed release to another region. */
  allowMove: "landfall.dev/allow-move",
  /** `old=new, …`: pools of an installed cluster that may be replaced by others of these names. */
  renamePool: "landfall.dev/rename-pool",
  /** A reason to start before the decided time. */
  startNow: "landfall.dev/start-now",
  /** When its pause ended, for people and for the conditions about the start. */
  started: "landfall.dev/started",
  /** A reason to hold the object back until the annotation is removed, also after its start. */
  hold: "landfall.dev/hold",
  /** Any new value asks for another run of an object whose run is over. */
  run: "landfall.dev/run",
  /** "never": the controller does not make an operator look again, which would create a deleted machine again. */
  repair: "landfall.dev/repair",
  /** `succeeded` or `failed`: the run is over. */
  completed: "landfall.dev/completed",
  /** Krateo's: "true" holds a composition back. */
  paused: "krateo.io/paused",
  /** On a rendered manifest: `group/Kind/name:path`, a value that exists only later. When it appears, the release is rendered again. */
  awaits: "landfall.dev/awaits",
} as const;

/** Value of `landfall.dev/reevaluate` that is a command: never stored. */
export const IF_BETTER = "if-better";

export const COMPOSITION_GROUP = "composition.krateo.io";
/** Krateo's labels of an installed composition: its definition, its version and its release. */
export const COMPOSITION_LABEL = {
  version: "krateo.io/composition-version",
  releaseName: "krateo.io/release-name",
  definitionName: "krateo.io/composition-definition-name",
  definitionNamespace: "krateo.io/composition-definition-namespace",
  definitionGroup: "krateo.io/composition-definition-group",
  definitionVersion: "krateo.io/composition-definition-version",
  definitionResource: "krateo.io/composition-definition-resource",
} as const;
/** Krateo's finalizer: the composition's resources are removed before the object is. */
export const COMPOSITION_FINALIZER = "composition.krateo.io/finalizer";
/** Krateo appends eight characters and Helm allows 53. */
export const NAME_LIMIT = 44;
/** The version of the kinds that this release's charts define. Those of earlier charts are served beside it. */
export const OBJECT_VERSION = "v0-2-0";
/** The versions that a cluster with this release serves. */
export const SERVED_VERSIONS: readonly string[] = [OBJECT_VERSION, "v0-1-0"];
export const API_VERSION = `${COMPOSITION_GROUP}/${OBJECT_VERSION}`;
export const KINDS = ["VmTemplate", "KaasCluster"] as const;
export type Kind = (typeof KINDS)[number];
/** Whether Landfall decides objects of this kind. */
export const isKind = (kind: string): kind is Kind => (KINDS as readonly string[]).includes(kind);

export const WEBHOOK = { placement: "placement.landfall.dev", guard: "guard.landfall.dev" } as const;
