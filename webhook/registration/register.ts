import { hasStatus } from "../../src/cluster/client/api-error.ts";
import { type ApiPath, below, versionPath } from "../../src/cluster/api-path.ts";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import { LandfallError } from "../../src/errors.ts";
import type { KubernetesObject } from "../../src/model/kubernetes.ts";
import { COMPOSITION_GROUP, INSTALLATION, PLURAL, WEBHOOK } from "../../src/model/names.ts";
import { faultOf } from "./configuration-fault.ts";
import { GUARD_CONDITIONS, MATCH_CONDITIONS, type MatchCondition } from "./match-conditions.ts";

export const ADMISSION_API = "admissionregistration.k8s.io/v1";
/** Owns the fields of the configurations that Landfall writes; the others belong to those who wrote them. */
const FIELD_MANAGER = "landfall-webhook";
/** The API server waits this long for an answer. */
const TIMEOUT_SECONDS = 10;

export interface ServiceAddress {
  namespace: string;
  name: string;
  port: number;
}

/** How the API server reaches this webhook, and what it does if it cannot. */
export interface Endpoint {
  /** Landfall's own namespace: the configurations belong to the installation there. */
  installation?: string;
  /** `https://host:port`, without a path. */
  url?: string;
  /** Instead of `url`. */
  service?: ServiceAddress;
  /** PEM of every CA that the API server has to trust. */
  ca: string;
  /** PEM of further CAs that may stay in the configurations for some seconds. */
  toleratedCa?: string;
  failurePolicy?: "Fail" | "Ignore";
  timeoutSeconds?: number;
  /** Leaves selectors that others write: AKS adds its own to every webhook. */
  allowSelectors?: boolean;
  /** Leaves the webhooks out where admission is switched off. */
  emergency?: MatchCondition | null;
}

function clientConfig({ url = "", service, ca }: Endpoint, path: string): Record<string, unknown> {
  const caBundle = Buffer.from(ca).toString("base64");
  return service === undefined ? { url: `${url}${path}`, caBundle } : { service: { ...service, path }, caBundle };
}

const webhook = (
  name: string,
  endpoint: Endpoint,
  path: string,
  matchConditions: readonly MatchCondition[],
): Record<string, unknown> => ({
  name,
  admissionReviewVersions: ["v1"],
  clientConfig: clientConfig(endpoint, path),
  // Without the webhook, objects would be created without a placement.
  failurePolicy: endpoint.failurePolicy ?? "Fail",
  matchPolicy: "Equivalent",
  matchConditions: endpoint.emergency ? [...matchConditions, endpoint.emergency] : matchConditions,
  sideEffects: "None",
  timeoutSeconds: endpoint.timeoutSeconds ?? TIMEOUT_SECONDS,
  // An own empty selector takes the place of a foreign one.
  ...(endpoint.allowSelectors === true ? {} : { namespaceSelector: {}, objectSelector: {} }),
  rules: [
    {
      apiGroups: [COMPOSITION_GROUP],
      apiVersions: ["*"],
      operations: ["CREATE", "UPDATE"],
      resources: Object.values(PLURAL),
      scope: "Namespaced",
    },
  ],
});

export interface Configuration {
  plural: "mutatingwebhookconfigurations" | "validatingwebhookconfigurations";
  configuration: KubernetesObject;
}

const configurationPath = ({ plural, configuration }: Configuration): ApiPath =>
  below(versionPath(ADMISSION_API), plural, configuration.metadata.name ?? "");

/** The mutating and the validating webhook configuration for this endpoint. */
export function configurationsFor(endpoint: Endpoint): Configuration[] {
  const placement = {
    ...webhook(WEBHOOK.placement, endpoint, "/mutate", MATCH_CONDITIONS),
    reinvocationPolicy: "IfNeeded",
  };
  const guard = webhook(WEBHOOK.guard, endpoint, "/validate", GUARD_CONDITIONS);
  // AKS leaves configurations with this label alone.
  const labels = { "admissions.enforcer/disabled": "true", "app.kubernetes.io/part-of": "landfall" };
  const { installation } = endpoint;
  const annotations = installation === undefined ? {} : { [INSTALLATION]: installation };
  const configuration = (kind: string, name: string, webhooks: unknown[]): KubernetesObject =>
    ({ apiVersion: ADMISSION_API, kind, metadata: { name, labels, annotations }, webhooks }) as KubernetesObject;
  return [
    {
      plural: "mutatingwebhookconfigurations",
      configuration: configuration("MutatingWebhookConfiguration", WEBHOOK.placement, [placement]),
    },
    {
      plural: "validatingwebhookconfigurations",
      configuration: configuration("ValidatingWebhookConfiguration", WEBHOOK.guard, [guard]),
    },
  ];
}

/** The configurations as the API server has them, in the order of `configurationsFor`; null for one that does not exist. */
export type Present = readonly (KubernetesObject | null)[];

/** Fails with a conflict (409) if the configuration was changed since it was read: what was read of the CAs may be old. */
const asRead = ({ configuration }: Configuration, present: KubernetesObject): KubernetesObject => {
  const { resourceVersion } = present.metadata;
  return { ...configuration, metadata: { ...configuration.metadata, ...(resourceVersion ? { resourceVersion } : {}) } };
};

/** Writes the own fields. Null where the result would be invalid, such as a Service next to the URL of an earlier version. */
async function apply(
  client: KubeClient,
  wanted: Configuration,
  present: KubernetesObject,
): Promise<KubernetesObject | null> {
  const query = { fieldManager: FIELD_MANAGER, force: true };
  try {
    return await client.patch<KubernetesObject>(configurationPath(wanted), "apply", asRead(wanted, present), query);
  } catch (thrown) {
    if (hasStatus(thrown, 422)) return null;
    throw thrown;
  }
}

/** Replaces the webhooks; labels and annotations may be those of others. */
async function replace(client: KubeClient, wanted: Configuration, present: KubernetesObject): Promise<void> {
  const { managedFields: _, ...metadata } = present.metadata as KubernetesObject["metadata"] & {
    managedFields?: unknown;
  };
  const labels = { ...metadata.labels, ...wanted.configuration.metadata.labels };
  const annotations = { ...metadata.annotations, ...wanted.configuration.metadata.annotations };
  const object = { ...wanted.configuration, metadata: { ...metadata, labels, annotations } };
  await client.replace(configurationPath(wanted), object, { fieldManager: FIELD_MANAGER });
}

/** Reads the configurations as they are stored, or through the API server's cache, which its admission follows, too. */
export const readConfigurations = async (
  client: KubeClient,
  endpoint: Endpoint,
  from: "latest" | "cached",
): Promise<Present> =>
  Promise.all(
    configurationsFor(endpoint).map((wanted) =>
      client.get<KubernetesObject>(
        configurationPath(wanted),
        from === "cached" ? { query: { resourceVersion: "0" } } : {},
      ),
    ),
  );

/** Throws ADM_INSTALLED where a configuration belongs to another installation: two would overwrite each other. */
export function refuseOthers(present: Present, { installation }: Endpoint): void {
  for (const one of present) {
    const other = one?.metadata.annotations?.[INSTALLATION] ?? installation;
    if (one === null || other === undefined || other === installation) continue;
    throw new LandfallError("ADM_INSTALLED", { kind: one.kind, name: one.metadata.name ?? "", other });
  }
}

/** Only the own fields where that is enough, and everything where others added webhooks or conditions. */
async function write(
  client: KubeClient,
  endpoint: Endpoint,
  wanted: Configuration,
  before: KubernetesObject | null,
): Promise<void> {
  if (before === null) {
    const collection = below(versionPath(ADMISSION_API), wanted.plural);
    await client.create(collection, wanted.configuration, { fieldManager: FIELD_MANAGER });
    return;
  }
  const written = await apply(client, wanted, before);
  if (written === null || faultOf(wanted.configuration, written, endpoint) !== null)
    await replace(client, wanted, written ?? before);
}

/**
 * Writes the webhook configurations for this endpoint, also one of them if the other cannot be written. Of several replicas the one that
 * knows the latest CAs has to win, so `present` has to be read before these CAs: a configuration that changed since is not written (409).
 */
export async function register(client: KubeClient, endpoint: Endpoint, present: Present): Promise<void> {
  const failures: unknown[] = [];
  for (const [at, wanted] of configurationsFor(endpoint).entries())
    await write(client, endpoint, wanted, present[at] ?? null).catch((thrown: unknown) => void failures.push(thrown));
  if (failures.length > 0) throw failures.find((one) => !hasStatus(one, 409)) ?? failures[0];
}
