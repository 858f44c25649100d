import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import type { WebhookFlags } from "../../src/flags/webhook-options.ts";
import { openTokenCheck } from "./check-token.ts";
import type { AuthenticationParts } from "./create-authenticator.ts";
import { readStored } from "./read-stored.ts";

/** A stored object is read within this part of the API server's time limit, in ms for each second of it. */
const READ_SHARE_MS = 300;

/** How the API server names this webhook in the audience of its tokens. */
function urlsOf({ service, systemNamespace, servicePort, url }: WebhookFlags, listening: string): string[] {
  if (service === undefined) return [url ?? listening];
  const host = `https://${service}.${systemNamespace}.svc`;
  return servicePort === 443 ? [host, `${host}:443`] : [`${host}:${String(servicePort)}`];
}

/** The flags about callers and their authentication. */
export function authenticationParts(flags: WebhookFlags, client: KubeClient): AuthenticationParts {
  const { door, sourceRate, webhookTimeout, tokenSubject: subject } = flags;
  const read = readStored(client, webhookTimeout * READ_SHARE_MS);
  const urls = urlsOf(flags, `https://${flags.host}:${String(flags.port)}`);
  const takesTokens = door === "token" || door === "auto";
  const checkToken = takesTokens ? openTokenCheck({ client, urls, subject, nowMs: Date.now }) : null;
  return { mode: door, checkToken, unauthenticated: { read, perSecond: sourceRate } };
}
