import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { openTokenCheck } from "../../../webhook/authentication/check-token.ts";

const ISSUER = "https://kubernetes.default.svc";
const URL = "https://landfall-webhook.landfall-system.svc";
const SUBJECT = "system:serviceaccount:kube-system:webhook-auth";
const NOW_MS = 1_795_212_000_000;

const pair = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
const [first, second] = [pair(), pair()];
const jwk = (key: KeyObject, kid: string) => ({ ...key.export({ format: "jwk" }), kid, alg: "RS256", use: "sig" });

interface Changes {
  claims?: Record<string, unknown>;
  audience?: string[];
  subject?: string;
  issuer?: string;
  key?: KeyObject;
  kid?: string;
  /** Seconds from now. */
  expires?: number;
}

const tokenOf = (changes: Changes = {}): Promise<string> => {
  const now = NOW_MS / 1000;
  return new SignJWT(changes.claims ?? {})
    .setProtectedHeader({ alg: "RS256", kid: changes.kid ?? "one" })
    .setIssuer(changes.issuer ?? ISSUER)
    .setSubject(changes.subject ?? SUBJECT)
    .setAudience(changes.audience ?? [`${URL}/mutate`])
    .setIssuedAt(now)
    .setExpirationTime(now + (changes.expires ?? 600))
    .sign(changes.key ?? first.privateKey);
};

/** An API server that publishes these keys, and how often it was asked for them. */
function door(keys: () => object[] = () => [jwk(first.publicKey, "one")]) {
  const clock = { ms: NOW_MS };
  const asked: string[] = [];
  const get = (path: string): Promise<unknown> => {
    asked.push(path);
    return Promise.resolve(path.endsWith("jwks") ? JSON.stringify({ keys: keys() }) : { issuer: ISSUER });
  };
  const client = { get } as unknown as KubeClient;
  const check = openTokenCheck({ client, urls: [URL], subject: SUBJECT, nowMs: () => clock.ms });
  return { check, clock, reads: () => asked.filter((path) => path.endsWith("jwks")).length };
}

describe("the API server's token", () => {
  it("is accepted for the path that its audience names, with one read of the issuer's keys", async () => {
    const { check, reads } = door();
    const token = await tokenOf();
    expect([await check(token, "/mutate"), await check(token, "/mutate")]).toEqual([null, null]);
    expect(await check(token, "/validate")).toContain('"aud"');
    expect(reads()).toBe(1);
  });

  it("may be bound to the webhook's own configuration", async () => {
    const claims = { "kubernetes.io": { mutatingWebhookConfiguration: { name: "placement.landfall.dev", uid: "u" } } };
    expect(await door().check(await tokenOf({ claims }), "/mutate")).toBeNull();
  });

  it.each<[string, Changes, string]>([
    ["of another account", { subject: "system:serviceaccount:demo:default" }, '"sub"'],
    ["for another webhook", { audience: ["https://other.demo.svc/mutate"] }, '"aud"'],
    ["for the API server itself", { audience: [ISSUER] }, '"aud"'],
    ["of another issuer", { issuer: "https://evil.example" }, '"iss"'],
    ["that has expired", { expires: -60 }, '"exp"'],
    ["signed by another key", { key: second.privateKey }, "signature"],
    [
      "bound to another configuration",
      { claims: { "kubernetes.io": { mutatingWebhookConfiguration: { name: "other" } } } },
      "is bound to mutatingWebhookConfiguration other",
    ],
    [
      "bound to the other kind of configuration",
      { claims: { "kubernetes.io": { validatingWebhookConfiguration: { name: "guard.landfall.dev" } } } },
      "is bound to validatingWebhookConfiguration",
    ],
    [
      "of an aggregated API server for its own group",
      { claims: { "kubernetes.io": { apiService: { name: "v1.other.example" } } } },
      "is bound to the APIService v1.other.example",
    ],
  ])("%s is refused", async (_what, changes, text) => {
    expect(await door().check(await tokenOf(changes), "/mutate")).toContain(text);
  });

  it.each(["", "a.b.c", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.", "x".repeat(5000)])("%j is refused", async (token) => {
    expect(await door().check(token, "/mutate")).toContain("is not valid");
  });

  it("that was accepted is refused once it has expired", async () => {
    const { check, clock } = door();
    const token = await tokenOf({ expires: 60 });
    expect(await check(token, "/mutate")).toBeNull();
    clock.ms += 120_000;
    expect(await check(token, "/mutate")).toContain('"exp"');
  });

  it("of a new key is accepted after the keys were read again, which unknown keys cause at most every ten seconds", async () => {
    let keys = [jwk(first.publicKey, "one")];
    const { check, clock, reads } = door(() => keys);
    expect(await check(await tokenOf(), "/mutate")).toBeNull();
    keys = [jwk(second.publicKey, "two")];
    const next = await tokenOf({ key: second.privateKey, kid: "two", audience: [`${URL}/mutate`, "x"] });
    for (let at = 0; at < 20; at += 1) expect(await check(next, "/mutate")).toContain("is not valid");
    expect(reads()).toBe(1);
    clock.ms += 10_000;
    expect(await check(next, "/mutate")).toBeNull();
    expect(reads()).toBe(2);
  });

  it("is refused with the reason while the issuer's keys cannot be read, and keys that are known stay in use", async () => {
    let fails = true;
    const { check, clock } = door(() => {
      if (fails) throw new TypeError("no answer");
      return [jwk(first.publicKey, "one")];
    });
    const token = await tokenOf();
    expect(await check(token, "/mutate")).toContain("no answer");
    fails = false;
    expect(await check(token, "/mutate")).toBeNull();
    fails = true;
    clock.ms += 3_700_000;
    expect(await check(await tokenOf({ expires: 8000 }), "/mutate")).toBeNull();
  });
});
