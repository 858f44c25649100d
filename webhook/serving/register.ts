import { hasStatus } from "../../src/cluster/api-error.ts";
import { below, versionPath } from "../../src/cluster/api-path.ts";
import type { KubeClient } from "../../src/cluster/create-client.ts";
import type { KubernetesObject } from "../../src/model/kubernetes.ts";
import { COMPOSITION_GROUP, WEBHOOK } from "../../src/model/names.ts";

export const ADMISSION_API = "admissionregistration.k8s.io/v1";
/** The API server waits this long for an answer. */
const TIMEOUT_SECONDS = 10;

export interface Endpoint {
  /** `https://host:port`, without a path. */
  url: string;
  /** PEM */
  ca: string;
}

const webhook = (name: string, { url, ca }: Endpoint, path: string): Record<string, unknown> => ({
  name,
  admissionReviewVersions: ["v1"],
  clientConfig: { url: `${url}${path}`, caBundle: Buffer.from(ca).toString("base64") },
  // Without the webhook, objects would be created without a placement.
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  sideEffects: "None",
  timeoutSeconds: TIMEOUT_SECONDS,
  rules: [
    {
      apiGroups: [COMPOSITION_GROUP],
      apiVersions: ["*"],
      operations: ["CREATE", "UPDATE"],
      resources: ["vmtemplates", "kaasclusters"],
      scope: "Namespaced",
    },
  ],
});

async function createOrReplace(client: KubeClient, plural: string, object: KubernetesObject): Promise<void> {
  const path = below(versionPath(ADMISSION_API), plural);
  try {
    await client.create(path, object);
  } catch (thrown) {
    if (!hasStatus(thrown, 409)) throw thrown;
    const own = below(path, object.metadata.name ?? "");
    // Labels and annotations may be those of others.
    const { metadata = object.metadata } = (await client.get<KubernetesObject>(own)) ?? {};
    await client.replace(own, { ...object, metadata });
  }
}

export interface Configuration {
  plural: "mutatingwebhookconfigurations" | "validatingwebhookconfigurations";
  configuration: KubernetesObject;
}

/** The mutating and the validating webhook configuration for this endpoint. */
export function configurationsFor(endpoint: Endpoint): Configuration[] {
  const placement = { ...webhook(WEBHOOK.placement, endpoint, "/mutate"), reinvocationPolicy: "IfNeeded" };
  const guard = webhook(WEBHOOK.guard, endpoint, "/validate");
  const configuration = (kind: string, name: string, webhooks: unknown[]): KubernetesObject =>
    ({ apiVersion: ADMISSION_API, kind, metadata: { name }, webhooks }) as KubernetesObject;
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

/** Creates or replaces the webhook configurations for this endpoint. */
export async function register(client: KubeClient, endpoint: Endpoint): Promise<void> {
  for (const { plural, configuration } of configurationsFor(endpoint))
    await createOrReplace(client, plural, configuration);
}
