import {
  type AdmissionregistrationV1Api,
  ApiException,
  type V1MutatingWebhook,
  type V1ValidatingWebhook,
} from "@kubernetes/client-node";
import { COMPOSITION_GROUP, WEBHOOK } from "../src/model/names.ts";

/** The API server waits this long for an answer. */
const TIMEOUT_SECONDS = 10;

export interface Endpoint {
  /** `https://host:port`, without a path. */
  url: string;
  /** PEM */
  ca: string;
}

function common(name: string, { url, ca }: Endpoint, path: string): V1ValidatingWebhook {
  return {
    name,
    admissionReviewVersions: ["v1"],
    clientConfig: { url: `${url}${path}`, caBundle: Buffer.from(ca).toString("base64") },
    // Where and when a workload lands must not depend on whether the webhook was reachable.
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
  };
}

async function createOrReplace(create: () => Promise<unknown>, replace: () => Promise<unknown>): Promise<void> {
  try {
    await create();
  } catch (thrown) {
    if (!(thrown instanceof ApiException) || thrown.code !== 409) throw thrown;
    await replace();
  }
}

/** Writes both webhook configurations for this endpoint, over whatever an earlier process wrote. */
export async function register(api: AdmissionregistrationV1Api, endpoint: Endpoint): Promise<void> {
  const placement: V1MutatingWebhook = {
    ...common(WEBHOOK.placement, endpoint, "/mutate"),
    reinvocationPolicy: "IfNeeded",
  };
  const mutating = { metadata: { name: WEBHOOK.placement }, webhooks: [placement] };
  const validating = {
    metadata: { name: WEBHOOK.guard },
    webhooks: [common(WEBHOOK.guard, endpoint, "/validate")],
  };
  await createOrReplace(
    () => api.createMutatingWebhookConfiguration({ body: mutating }),
    async () => {
      const { name } = mutating.metadata;
      const { metadata } = await api.readMutatingWebhookConfiguration({ name });
      const resourceVersion = metadata?.resourceVersion ?? "";
      await api.replaceMutatingWebhookConfiguration({
        name,
        body: { ...mutating, metadata: { name, resourceVersion } },
      });
    },
  );
  await createOrReplace(
    () => api.createValidatingWebhookConfiguration({ body: validating }),
    async () => {
      const { name } = validating.metadata;
      const { metadata } = await api.readValidatingWebhookConfiguration({ name });
      const resourceVersion = metadata?.resourceVersion ?? "";
      await api.replaceValidatingWebhookConfiguration({
        name,
        body: { ...validating, metadata: { name, resourceVersion } },
      });
    },
  );
}
