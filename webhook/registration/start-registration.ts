import type { FastifyBaseLogger } from "fastify";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import type { ServerClock } from "../../src/cluster/server-clock.ts";
import type { WebhookFlags } from "../../src/flags/webhook-options.ts";
import { messageOf } from "../../src/errors.ts";
import type { KeptCertificate } from "../certificates/keep-certificate.ts";
import { followEmergencies } from "./follow-emergencies.ts";
import { keepRegistered, type KeepOptions, registerFirst, type Registration } from "./keep-registered.ts";
import type { Endpoint } from "./register.ts";

interface Surroundings {
  client: KubeClient;
  /** The API server's. */
  clock: ServerClock;
  /** URL on which this process listens. */
  address: string;
  certificate: KeptCertificate;
  recordEvent: KeepOptions["onEvent"];
  logger: FastifyBaseLogger;
}

/** The address at which the API server reaches this process, by its flags. */
function endpointOf(flags: WebhookFlags, { address, certificate }: Surroundings): Endpoint {
  const { service: name, systemNamespace: namespace, servicePort: port, url = address } = flags;
  const { needed, tolerated } = certificate.authorities();
  return {
    ...(name === undefined ? { url } : { service: { namespace, name, port } }),
    installation: flags.systemNamespace,
    ca: needed,
    toleratedCa: tolerated,
    failurePolicy: flags.failurePolicy,
    timeoutSeconds: flags.webhookTimeout,
    allowSelectors: flags.allowSelectors === true,
  };
}

/** Writes the webhook configurations, unless the chart's release is being removed, and keeps them as they are. Throws REL_API…. */
export async function startRegistration(flags: WebhookFlags, surroundings: Surroundings): Promise<Registration> {
  const { client, logger, recordEvent, certificate } = surroundings;
  const emergencies = followEmergencies(surroundings, flags.systemNamespace);
  const endpoint = (): Endpoint => ({ ...endpointOf(flags, surroundings), emergency: emergencies.condition() });
  const release = { systemNamespace: flags.systemNamespace, releaseConfigMap: flags.releaseConfigmap ?? null };
  const options: KeepOptions = {
    ...{ client, endpoint, certificate, prepare: emergencies.read, ...release },
    onEvent: (event) => {
      logger.warn({ detail: event.message }, "the webhook configurations differ");
      recordEvent(event);
    },
    onFailure: (thrown) =>
      logger.warn({ detail: messageOf(thrown) }, "the webhook configurations cannot be read or put back"),
  };
  const reason = await registerFirst(options);
  const { ca: _, toleratedCa: __, ...where } = endpoint();
  if (reason === null) logger.info(where, "registered");
  else logger.warn({ reason }, "not registered: the webhook configurations stay as they are");
  return keepRegistered(options);
}
