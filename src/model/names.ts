import ownPackage from "../../package.json" with { type: "json" };
import type { KubernetesObject } from "./kubernetes.ts";

/** The version of this release of Landfall. */
export const VERSION: string = ownPackage.version;

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
  /** A controller's proof that it saw the object as it is: the decision is final. Never stored. */
  confirm: "landfall.dev/confirm",
  /** In a dry run: the webhook writes how the API server was authenticated. */
  door: "landfall.dev/door",
  /** In the same dry run: when the bundle expires. */
  bundleExpires: "landfall.dev/bundle-expires",
  /** A reason to start before the decided time. */
  startNow: "landfall.dev/start-now",
  /** When its pause ended, for people and for the conditions about the start. */
  started: "landfall.dev/started",
  /** A reason to hold the object back until the annotation is removed, also after its start. */
  hold: "landfall.dev/hold",
  /** Any new value asks for another run of an object whose run is over. */
  run: "landfall.dev/run",
  /** How a machine that was stopped or deleted by hand is repaired: see runs/run-of.ts. */
  repair: "landfall.dev/repair",
  /** `succeeded` or `failed`: the run is over. */
  completed: "landfall.dev/completed",
  /** Krateo's: "true" holds a composition back. */
  paused: "krateo.io/paused",
  /** On a rendered manifest: `group/Kind/name:path`, a value that exists only later. When it appears, the release is rendered again. */
  awaits: "landfall.dev/awaits",
  /** On a rendered manifest: `group/Kind/name`, which is gone before this is deleted; several are separated by commas. */
  outlives: "landfall.dev/outlives",
} as const;

/** Krateo's annotation, which users write. `orphan`: the release outlives its composition. */
export const DELETION_POLICY = "krateo.io/deletion-policy";
export const ORPHAN = "orphan";

/** Value of `landfall.dev/reevaluate` that is a command: never stored. */
export const IF_BETTER = "if-better";

/** Another such command: the provider has no machine of this type for an installed object, so one of another size of its series is taken. */
export const ANOTHER_SIZE = "another-size";
/** Another one: the provider has no machine in this zone, or none of this type is sold there, so another zone of the region is taken. */
export const ANOTHER_ZONE = "another-zone";
/** Another one: the provider has no machine at all for a run that leaves nothing in its place, so it continues in another place. */
export const ANOTHER_PLACE = "another-place";
/** Values of `landfall.dev/reevaluate` that are commands. */
export const COMMANDS = [IF_BETTER, ANOTHER_ZONE, ANOTHER_SIZE, ANOTHER_PLACE] as const;
export type Command = (typeof COMMANDS)[number];

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
/** The name of a namespace (RFC 1123), which needs no escape in CEL. */
export const NAMESPACE_NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
/** The version of the kinds that this release's charts define. Those of earlier charts are served next to it. */
export const OBJECT_VERSION = "v0-2-0";
/** The versions that a cluster with this release serves. */
export const SERVED_VERSIONS: readonly string[] = [OBJECT_VERSION, "v0-1-0"];
export const API_VERSION = `${COMPOSITION_GROUP}/${OBJECT_VERSION}`;
export const KINDS = ["VmTemplate", "KaasCluster"] as const;
export type Kind = (typeof KINDS)[number];
/** How the API server names the kinds in its paths. */
export const PLURAL: Readonly<Record<Kind, string>> = { VmTemplate: "vmtemplates", KaasCluster: "kaasclusters" };
/** Whether Landfall decides objects of this kind. */
export const isKind = (kind: string): kind is Kind => (KINDS as readonly string[]).includes(kind);

/** An annotation of the Secret of the webhook's certificate: why its CA is to be replaced now. */
export const ROTATE_CA = "landfall.dev/rotate-ca";
/** The Secret of the webhook's certificate in Landfall's own namespace, as the chart names it. */
export const CERTIFICATE_SECRET = "landfall-webhook-tls";
/** ConfigMap in Landfall's own namespace: which certificate each replica of the webhook serves, and which CAs it needs. */
export const REPLICAS_CONFIGMAP = "landfall-webhook-replicas";
/** ConfigMap in Landfall's own namespace: which bundles decide, and which are not used. */
export const BUNDLES_CONFIGMAP = "landfall-bundles";

/** The ConfigMap that is there as long as the chart's release is, in Landfall's own namespace. */
export const RELEASE_CONFIGMAP = "landfall-release";

/** The Lease of the controller that installs, in Landfall's own namespace. */
export const CONTROLLER_LEASE = "landfall-composition";
/** That of a controller with --schedule-only: it must not keep one that installs from leading. */
export const SCHEDULE_LEASE = "landfall-schedule";
/** An annotation of these Leases: the version of their holder, for `landfall doctor`. */
export const VERSION_ANNOTATION = "landfall.dev/version";
/** An annotation of the former: how its holder calls helm, for `landfall doctor`. */
export const HELM_BY_ANNOTATION = "landfall.dev/helm-by";
/** Who changes releases: the worker if its program is there, always the worker, or always helm's program. */
export const HELM_BY = ["auto", "worker", "program"] as const;
export type HelmBy = (typeof HELM_BY)[number];

/** An annotation of the webhook configurations: the namespace of the installation that they belong to. */
export const INSTALLATION = "landfall.dev/installation";

export const WEBHOOK = { placement: "placement.landfall.dev", guard: "guard.landfall.dev" } as const;

const RESERVED = /^(?:[a-z0-9.-]+\.)?(?:kubernetes|k8s)\.io\//;

/** Whether a label or a taint is one of Kubernetes' own. A kubelet refuses to set most of these labels, and EKS to take any of both. */
export const isReservedName = (key: string): boolean => RESERVED.test(key);

/** The prefix that the charts add to a name that does not begin with a letter. */
const BEFORE_DIGIT: Readonly<Record<Kind, string>> = { VmTemplate: "vm-", KaasCluster: "k8s-" };

type Named = Pick<KubernetesObject, "metadata"> & { spec?: Record<string, unknown> };

/** The name that the charts make their resources' names of: `vmName`, or the object's name. */
function givenName(kind: Kind, { metadata, spec = {} }: Named): string {
  const { vmName } = spec;
  const name = kind === "VmTemplate" && typeof vmName === "string" ? vmName : (metadata.name ?? "");
  return name.replaceAll(".", "-");
}

const withLetter = (kind: Kind, name: string): string => (/^[a-z]/.test(name) ? name : `${BEFORE_DIGIT[kind]}${name}`);

/** The prefix of all resources of an object, as `vm.prefix` and `kaas.prefix` of the charts render it. */
export const resourcePrefix = (kind: Kind, object: Named): string =>
  withLetter(kind, givenName(kind, object))
    .slice(0, NAME_LIMIT)
    .replace(/^-{1,44}|-{1,44}$/g, "");

/**
 * Most characters of the object's name with which the prefix of its resources is not cut. Names that are cut are the same for two objects, so
 * that one would render the resources of the other.
 */
export const longestName = (kind: Kind, object: Named): number =>
  NAME_LIMIT - (withLetter(kind, givenName(kind, object)).length - givenName(kind, object).length);

/** The label of what Landfall writes in its own namespace, and the selector of it. */
export const PART_OF_LANDFALL = { "app.kubernetes.io/part-of": "landfall" } as const;
export const LANDFALL_SECRETS = "app.kubernetes.io/part-of=landfall";
