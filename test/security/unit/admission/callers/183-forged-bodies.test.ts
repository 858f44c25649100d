import { describe, expect, it, vi } from "vitest";
import type { Resource } from "../../../../../src/model/kubernetes.ts";
import { composeReview } from "../../../../../webhook/authentication/compose-review.ts";
import { limitSources } from "../../../../../webhook/authentication/limit-sources.ts";
import { withStored } from "../../../../../webhook/authentication/read-stored.ts";
import { askSafely } from "../../../../../webhook/decisions/ask-safely.ts";
import { openIntake } from "../../../../../webhook/decisions/limits/intake.ts";
import { openRefusedInputs } from "../../../../../webhook/decisions/limits/refused-inputs.ts";
import type { DecisionProcess } from "../../../../../webhook/decisions/start-process.ts";
import { scanReview } from "../../../../../webhook/review/scan-review.ts";
import { reviewOf, vm } from "../../../../support/admission.ts";

const MIB = 1024 * 1024;
const stored = vm({ cpu: 2, memory: 4 }, { name: "web", uid: "u-1" }) as Resource;
const read = () => Promise.resolve(stored);
const update = reviewOf(vm({ cpu: 4, memory: 4 }), { operation: "UPDATE", oldObject: stored });
/** The update with this JSON as one more value of the request. */
const withValue = (name: string, json: string): string =>
  update.replace('"request":{', `"request":{"${name}":${json},`);

const keys = `{${Array.from({ length: 600_000 }, (_, index) => `"k${String(index)}":0`).join(",")}}`;
const nested = "[".repeat(20_000) + "]".repeat(20_000);
const caller = { authentication: "none", source: "10.0.0.66" } as const;

/** Asks as a caller without an identity. Returns what the process that decides was sent, the answer, and the longest text that was parsed here. */
async function ask(body: string, path: "/mutate" | "/validate" = "/mutate") {
  const sent: string[] = [];
  const decider = {
    ask: (_path: string, text: string) => {
      sent.push(text);
      return Promise.resolve({ status: 200, body: '{"response":{"allowed":true}}', log: null });
    },
  } as unknown as DecisionProcess;
  const parse = vi.spyOn(JSON, "parse");
  try {
    const asking = askSafely({
      ...{ decider: () => Promise.resolve(decider), decisionLog: null, intake: openIntake() },
      ...{ refused: openRefusedInputs(Date.now), namespaceKnown: () => Promise.resolve() },
      unauthenticated: { limit: limitSources(10, () => 0), read },
    });
    const reply = await asking(path, body, scanReview(body), caller);
    return { sent, reply, parsed: Math.max(0, ...parse.mock.calls.map(([text]) => text.length)) };
  } finally {
    parse.mockRestore();
  }
}

describe("183: the body of a caller without an identity", () => {
  it.each([
    ["600,000 keys", keys],
    ["20,000 levels", nested],
    ["what is not JSON", "{{,}}"],
  ])("is not parsed by the main thread, and what no one reads is dropped: %s", async (_, json) => {
    for (const path of ["/mutate", "/validate"] as const) {
      const { sent, parsed } = await ask(withValue("options", json), path);
      expect(parsed).toBeLessThan(200);
      expect(sent).toHaveLength(1);
      const { request } = JSON.parse(String(sent[0])) as { request: Record<string, unknown> };
      expect(Object.keys(request).toSorted()).toEqual(
        ["kind", "namespace", "object", "oldObject", "operation", "uid"].filter(
          (key) => key in (JSON.parse(update) as typeof request & { request: object }).request,
        ),
      );
      expect(request["oldObject"]).toEqual(stored);
    }
  });

  it.each([
    [
      "an object that calls itself deleted",
      `{"metadata":{"deletionTimestamp":"x"},"spec":${keys}}`,
      "ADM_OBJECT_TOO_LARGE",
    ],
    [
      "a deep object that calls itself deleted",
      `{"metadata":{"deletionTimestamp":"x"},"spec":${nested}}`,
      "ADM_OBJECT_TOO_LARGE",
    ],
  ])("is refused, and parsed by no one, for %s", async (_, json, code) => {
    const { sent, parsed, reply } = await ask(reviewOf(vm({})).replace(/"object":\{.*\}(?=\}|,")/, `"object":${json}`));
    expect([sent, parsed < 200]).toEqual([[], true]);
    expect(reply.body).toContain(code);
  });

  it.each(["uid", "operation", "kind", "namespace", "dryRun"])("is refused for a long %s", async (name) => {
    const { sent, reply, parsed } = await ask(withValue(name, `"${"x".repeat(5000)}"`));
    expect([sent, parsed < 200]).toEqual([[], true]);
    expect(reply.body).toContain(`${name} has 5002 characters; at most 4096 are read`);
    expect(reply.body.length).toBeLessThan(1000);
  });

  it("counts more of an address's rate the longer it is", () => {
    const clock = { ms: 0 };
    const limit = limitSources(100, () => clock.ms);
    const enter = () => limit.enter("10.0.0.66", 7 * MIB);
    enter()();
    enter()();
    expect(enter).toThrow("100 times 64 KiB per second are");
    clock.ms += 230;
    expect(enter).toThrow("100 times 64 KiB per second are");
    clock.ms += 1000;
    enter()();
    limit.enter("10.0.0.1", 7 * MIB)();
  });
});

describe("183: the parts of a review", () => {
  const all = (text: string, old?: string): unknown => JSON.parse(composeReview(text, scanReview(text), old));

  it("are those of its request, and of no list or other object", () => {
    const text = `{"x":{"uid":1,"request":{"uid":2}},"y":[{"request":{"uid":3}}],"request":[{"uid":4}],"kind":"K"}`;
    expect(all(text)).toEqual({ kind: "K", request: {} });
  });

  it("keep strings with brackets and escapes, and the first of several", () => {
    const text = String.raw`{ "request" : { "uid" : "a}\"],{" , "object" : [ {"uid":"b"} ] , "uid" : "c" , "dryRun" : true } , "kind":"K" }`;
    expect(all(text)).toEqual({ kind: "K", request: { uid: 'a}"],{', object: [{ uid: "b" }], dryRun: true } });
  });

  it("name no stored object outside of the old object's metadata", async () => {
    const asked: unknown[] = [];
    const text = update.replace(
      /"oldObject":\{.*?"metadata"/,
      '"oldObject":{"spec":{"name":"other","uid":"u-1"},"meta"',
    );
    await withStored(text, (about) => Promise.resolve(asked.push(about)).then(() => stored)).catch(() => null);
    expect(asked).toEqual([]);
  });
});
