import type { FastifyBaseLogger } from "fastify";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import type { WebhookFlags } from "../../src/flags/webhook-options.ts";
import { messageOf } from "../../src/errors.ts";
import { isReleased, keepRegistered, type KeepOptions, type Registration } from "./keep-registered.ts";
import type { Certificate } from "./open-certificate.ts";
import { type Endpoint, register } from "./register.ts";

interface Surroundings {
  client: KubeClient;
  /** URL on which this process listens. */
  address: string;
  certificate: Certificate;
  recordEvent: KeepOptions["onEvent"];
  logger: FastifyBaseLogger;
}

/** The address at which the API server reaches this process, by its flags. */
function endpointOf(flags: WebhookFlags, { address, certificate }: Surroundings): Endpoint {
  const { service: name, systemNamespace: namespace, servicePort: port, url = address } = flags;
  return {
    ...(name === undefined ? { url } : { service: { namespace, name, port } }),
    ca: certificate.current().ca,
    failurePolicy: flags.failurePolicy,
    timeoutSeconds: flags.webhookTimeout,
    allowSelectors: flags.allowSelectors === true,
  };
}

/** Writes the webhook configurations, unless the chart's release is being removed, and keeps them as they are. Throws REL_API…. */
export async function startRegistration(flags: WebhookFlags, surroundings: Surroundings): Promise<Registration> {
  const { client, logger, recordEvent } = surroundings;
  const endpoint = (): Endpoint => endpointOf(flags, surroundings);
  const release = { systemNamespace: flags.systemNamespace, releaseConfigMap: flags.releaseConfigmap ?? null };
  if (await isReleased(client, release)) {
    const { ca: _, ...where } = endpoint();
    await register(client, endpoint());
    logger.info(where, "registered");
  } else logger.warn({ configMap: flags.releaseConfigmap }, "not registered: the chart's release is being removed");
  return keepRegistered({
    ...{ client, endpoint, ...release },
    onEvent: (event) => {
      logger.warn({ detail: event.message }, "the webhook configurations differ");
      recordEvent(event);
    },
    onFailure: (thrown) =>
      logger.warn({ detail: messageOf(thrown) }, "the webhook configurations cannot be read or put back"),
  });
}
