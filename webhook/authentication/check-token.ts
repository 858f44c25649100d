import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose";
import { apiPath } from "../../src/cluster/api-path.ts";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import { messageOf } from "../../src/errors.ts";
import { isObject, textOf } from "../../src/model/json.ts";
import { COMPOSITION_GROUP, WEBHOOK } from "../../src/model/names.ts";
import type { CheckToken } from "./authenticate.ts";
import { table } from "../../src/model/table.ts";

/** The issuer of the cluster's tokens and its keys. */
interface Issuer {
  issuer: string;
  keys: ReturnType<typeof createLocalJWKSet>;
}

/** Keys are read again after this time, in ms, and for a token of an unknown key, but not more often than the second. */
const READ_EVERY_MS = 3_600_000;
const READ_AT_MOST_MS = 10_000;
/** Tokens that were found good are remembered until they expire. The API server has a few at a time. */
const REMEMBERED = 64;
/** Clocks may differ by so many seconds. */
const SKEW_SECONDS = 10;

export interface TokenOptions {
  client: Pick<KubeClient, "get">;
  /** URLs of this webhook as its configurations name it, without a path. */
  urls: readonly string[];
  /** The service account that API servers take tokens of. */
  subject: string;
  nowMs: () => number;
}

/** Path at which the token is shown: the configuration that it has to be bound to, if it is bound to one. */
const BOUND: Readonly<Record<string, { claim: string; name: string }>> = table({
  "/mutate": { claim: "mutatingWebhookConfiguration", name: WEBHOOK.placement },
  "/validate": { claim: "validatingWebhookConfiguration", name: WEBHOOK.guard },
});

/**
 * The audience that the private claims limit the token to, if that is not this webhook. KEP-6060: `apiService` for an aggregated API server,
 * otherwise the webhook configuration.
 */
function boundElsewhere({ "kubernetes.io": claims }: JWTPayload, path: string): string | null {
  if (!isObject(claims)) return null;
  const nameOf = (key: string): string | null => (isObject(claims[key]) ? textOf(claims[key]["name"]) : null);
  const service = nameOf("apiService");
  if (service !== null && !service.endsWith(`.${COMPOSITION_GROUP}`)) return `is bound to the APIService ${service}`;
  for (const { claim, name } of Object.values(BOUND)) {
    const bound = nameOf(claim);
    if (bound !== null && (claim !== BOUND[path]?.claim || bound !== name)) return `is bound to ${claim} ${bound}`;
  }
  return null;
}

/** Checks tokens of API servers by the issuer's keys, without asking anyone for each token. */
export function openTokenCheck({ client, urls, subject, nowMs }: TokenOptions): CheckToken {
  let known: Promise<Issuer> | null = null;
  let readAtMs = -Infinity;
  const good = new Map<string, number>();

  async function read(): Promise<Issuer> {
    const [about, keys] = await Promise.all([
      client.get<{ issuer?: string }>(apiPath`/.well-known/openid-configuration`),
      client.get<JSONWebKeySet | string>(apiPath`/openid/v1/jwks`, { accept: "application/jwk-set+json" }),
    ]);
    const set = typeof keys === "string" ? (JSON.parse(keys) as JSONWebKeySet) : (keys ?? { keys: [] });
    return { issuer: about?.issuer ?? "", keys: createLocalJWKSet(set) };
  }

  /** `atLeastMs`: keys that were read before are read again. */
  async function issuer(atLeastMs: number): Promise<Issuer> {
    if (known === null || (readAtMs < atLeastMs && nowMs() - readAtMs >= READ_AT_MOST_MS)) {
      readAtMs = nowMs();
      const before = known;
      // Without an answer, the keys that are known stay in use.
      known = read().catch((thrown: unknown) => {
        if (before !== null) return before;
        known = null;
        throw thrown;
      });
    }
    return known;
  }

  async function verify(token: string, path: string, from: Issuer): Promise<JWTPayload> {
    const { payload } = await jwtVerify(token, from.keys, {
      issuer: from.issuer,
      subject,
      audience: urls.map((url) => `${url}${path}`),
      requiredClaims: ["exp", "iat"],
      clockTolerance: SKEW_SECONDS,
      currentDate: new Date(nowMs()),
    });
    return payload;
  }

  async function check(token: string, path: string): Promise<JWTPayload> {
    try {
      return await verify(token, path, await issuer(nowMs() - READ_EVERY_MS));
    } catch (thrown) {
      if (!(thrown instanceof errors.JWKSNoMatchingKey)) throw thrown;
      return verify(token, path, await issuer(nowMs()));
    }
  }

  function remember(key: string, exp: number): void {
    good.set(key, exp * 1000);
    const [oldest] = good.keys();
    if (good.size > REMEMBERED && oldest !== undefined) good.delete(oldest);
  }

  return async (token, path) => {
    const key = `${path} ${token}`;
    if ((good.get(key) ?? 0) > nowMs()) return null;
    try {
      const payload = await check(token, path);
      const elsewhere = boundElsewhere(payload, path);
      if (elsewhere === null) remember(key, payload.exp ?? 0);
      return elsewhere;
    } catch (thrown) {
      return `is not valid: ${messageOf(thrown)}`;
    }
  };
}
