import { hasStatus } from "../../src/cluster/client/api-error.ts";
import { type ApiPath, below, versionPath } from "../../src/cluster/api-path.ts";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import type { KubernetesObject } from "../../src/model/kubernetes.ts";
import { COMPOSITION_GROUP, PLURAL, WEBHOOK } from "../../src/model/names.ts";
import { faultOf } from "./configuration-fault.ts";
import { GUARD_CONDITIONS, MATCH_CONDITIONS, type MatchCondition } from "./match-conditions.ts";

const ADMISSION_API = "admissionregistration.k8s.io/v1";
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
  /** `https://host:port`, without a path. */
  url?: string;
  /** Instead of `url`. */
  service?: ServiceAddress;
  /** PEM */
  ca: string;
  failurePolicy?: "Fail" | "Ignore";
  timeoutSeconds?: number;
  /** Leaves selectors that others write: AKS adds its own to every webhook. */
  allowSelectors?: boolean;
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
  matchConditions,
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

export const configurationPath = ({ plural, configuration }: Configuration): ApiPath =>
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
  const configuration = (kind: string, name: string, webhooks: unknown[]): KubernetesObject =>
    ({ apiVersion: ADMISSION_API, kind, metadata: { name, labels }, webhooks }) as KubernetesObject;
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

/** Writes the own fields. Null where the result would be invalid, such as a Service next to the URL of an earlier version. */
async function apply(client: KubeClient, wanted: Configuration): Promise<KubernetesObject | null> {
  const query = { fieldManager: FIELD_MANAGER, force: true };
  try {
    return await client.patch<KubernetesObject>(configurationPath(wanted), "apply", wanted.configuration, query);
  } catch (thrown) {
    if (hasStatus(thrown, 422)) return null;
    throw thrown;
  }
}

/** Replaces the webhooks; labels and annotations may be those of others. */
async function replace(client: KubeClient, wanted: Configuration): Promise<void> {
  const path = configurationPath(wanted);
  const present = await client.get<KubernetesObject>(path);
  if (present === null) return;
  const { managedFields: _, ...metadata } = present.metadata as KubernetesObject["metadata"] & {
    managedFields?: unknown;
  };
  const labels = { ...metadata.labels, ...wanted.configuration.metadata.labels };
  const object = { ...wanted.configuration, metadata: { ...metadata, labels } };
  await client.replace(path, object, { fieldManager: FIELD_MANAGER });
}

/**
 * Writes the webhook configurations for this endpoint: only the own fields where that is enough, and everything where others added
 * webhooks or conditions.
 */
export async function register(client: KubeClient, endpoint: Endpoint): Promise<void> {
  for (const wanted of configurationsFor(endpoint)) {
    const present = await apply(client, wanted);
    if (present === null || faultOf(wanted.configuration, present, endpoint) !== null) await replace(client, wanted);
  }
}
