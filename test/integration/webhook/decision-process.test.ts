import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ClusterEvent } from "../../../src/external-data/cluster-data.ts";
import type { LandfallError } from "../../../src/errors.ts";
import type { Claim } from "../../../src/external-data/ledger/ledger-entry.ts";
import type { ForecastBook } from "../../../src/model/places/forecast.ts";
import { reviewOf, vm } from "../../support/admission.ts";
import { policyFile } from "../../support/load-policy.ts";
import { type DecisionProcess, startProcess } from "../../../webhook/decisions/start-process.ts";
import { nowSeconds } from "../../../src/model/time.ts";

const file = await policyFile();
const trust = { mode: "off", keys: [], identities: [], root: null } as const;
const opened: DecisionProcess[] = [];
afterEach(() => Promise.all(opened.splice(0).map((decider) => decider.stop())));

function open(
  options: {
    bytes?: Uint8Array;
    events?: ClusterEvent[];
    timeoutMs?: number;
    onDecision?: (line: string) => void;
    onReserved?: (event: ClusterEvent) => void;
    ledger?: NonNullable<Parameters<typeof startProcess>[0]["ledger"]>;
    traced?: boolean;
  } = {},
): DecisionProcess {
  const { onReserved = () => undefined, ledger, traced = false } = options;
  const { bytes = readFileSync(file), events = [], timeoutMs = 8000, onDecision = () => undefined } = options;
  const decider = startProcess({
    bytes,
    ref: "test",
    trust,
    signed: false,
    keys: [Buffer.alloc(32, 7)] as const,
    events,
    forecasts: null,
    timeoutMs,
    traced,
    onReserved,
    ...(ledger === undefined ? {} : { ledger }),
    logLabels: { id: "test" },
    onDecision,
  });
  opened.push(decider);
  return decider;
}

const review = (uid: string, spec: object = {}): string => reviewOf(vm({ cpu: 2, memory: 4, ...spec }), { uid });

const pinnedTo = (providers: string): ClusterEvent => ({
  type: "namespace",
  name: "demo",
  data: { name: "demo", labels: {}, annotations: { "landfall.dev/providers": providers } },
});

const iso = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, -5)}Z`;

function valueOf(body: string, field: string): unknown {
  const { response } = JSON.parse(body) as { response: { patch: string } };
  const patch = JSON.parse(Buffer.from(response.patch, "base64").toString()) as { path: string; value: unknown }[];
  return patch.find(({ path }) => path === `/spec/${field}`)?.value;
}
const providerOf = (body: string): unknown => valueOf(body, "provider");

describe("the decision process", () => {
  it("answers reviews by its bundle and the cluster's data, initial and updated", async () => {
    const decider = open({ events: [pinnedTo("gcp")] });
    const bundle = await decider.ready;
    expect(bundle.ref).toBe("test");
    expect(bundle.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(providerOf((await decider.ask("/mutate", review("1"))).body)).toBe("gcp");
    decider.tell(pinnedTo("aws"));
    const { status, body, log } = await decider.ask("/mutate", review("2"));
    expect(status).toBe(200);
    expect(providerOf(body)).toBe("aws");
    expect(log).toMatchObject({ uid: "2", kind: "VmTemplate", namespace: "demo", allowed: true });
  });

  it("answers a namespace before the many requests that another one sent earlier", async () => {
    const decider = open();
    await decider.ready;
    const order: string[] = [];
    const ask = async (namespace: string): Promise<void> => {
      await decider.ask("/mutate", reviewOf(vm({ cpu: 2, memory: 4 }, { namespace })), { quiet: true, namespace });
      order.push(namespace);
    };
    await Promise.all([...Array.from({ length: 100 }, () => ask("crowd")), ask("other")]);
    expect(order.indexOf("other")).toBeLessThan(10);
  });

  it("decides by the latest forecasts", async () => {
    const decider = open();
    await decider.ready;
    const now = nowSeconds();
    const start = now - (now % 3600);
    const best = (hour: number): number[] => Array.from({ length: 72 }, (_, index) => (index === hour ? 1 : 400));
    const book = (hour: number): ForecastBook => {
      const zones = { DE: { issuedAt: start, start, stepSeconds: 3600, values: best(hour), band: null } };
      return { sources: [{ name: "grid", maxAgeSeconds: 86_400, zones, problems: {}, problem: null }] };
    };
    const spec = {
      provider: "gcp",
      schedulingLocation: "europe-west3",
      duration: "1h",
      deadline: iso(start + 172_800),
    };
    for (const hour of [5, 9]) {
      decider.tell({ type: "forecasts", book: book(hour) });
      const { body } = await decider.ask("/mutate", review(String(hour), spec));
      expect(valueOf(body, "schedulingTime")).toBe(iso(start + hour * 3600));
    }
  });

  it("answers many concurrent requests correctly, and the pending ones before it stops", async () => {
    const decider = open();
    await decider.ready;
    const uids = Array.from({ length: 40 }, (_, index) => `u${String(index)}`);
    const asked = uids.map((uid) => decider.ask("/mutate", review(uid)));
    await decider.stop();
    const answers = (await Promise.all(asked)).map(({ body }) => JSON.parse(body) as { response: { uid: string } });
    expect(answers.map(({ response }) => response.uid)).toEqual(uids);
    await expect(decider.ask("/mutate", review("late"))).rejects.toMatchObject({ code: "ADM_INTERNAL" });
  });

  it("emits one decision log line per decision, without secrets, and none for unlogged requests", async () => {
    const lines: string[] = [];
    const decider = open({ onDecision: (line) => void lines.push(line) });
    await decider.ready;
    const sshPublicKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"A".repeat(43)}`;
    await decider.ask("/mutate", review("1", { userData: "#!/bin/sh\necho secret", sshPublicKey }));
    await decider.ask("/mutate", review("2", { cpu: "two" }));
    await decider.ask("/mutate", review("3"), { quiet: true });
    const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events).toMatchObject([
      {
        decision_id: expect.stringMatching(/^[0-9a-f]{6}-1$/) as string,
        result: { allowed: true },
        labels: { id: "test" },
      },
      {
        decision_id: expect.stringMatching(/-2$/) as string,
        result: { allowed: false, denials: [{ code: "ADM_SCHEMA" }] },
      },
    ]);
    expect(lines.join()).not.toMatch(/secret|AAAA/);
    expect(events[0]?.["erased"]).toContain("/input/object/spec/userData");
  });

  it("reports why a bundle does not load", async () => {
    const decider = open({ bytes: Buffer.from("no tarball") });
    await expect(decider.ready).rejects.toMatchObject({ code: "BUNDLE_UNREADABLE" });
    expect((await decider.ended).error.code).toBe("BUNDLE_UNREADABLE");
  });

  it("refuses requests that wait too long, and goes on", async () => {
    const decider = open({ timeoutMs: 4000 });
    await decider.ready;
    // Far more than it can answer in that time. Afterwards it still has to drop those that are late.
    const asked = Array.from({ length: 15_000 }, (_, index) => decider.ask("/mutate", review(String(index))));
    const results = await Promise.allSettled(asked);
    // How many it answers in time depends on the machine.
    const refused = results.filter((result) => result.status === "rejected");
    expect(new Set(refused.map(({ reason }) => (reason as LandfallError).code))).toEqual(new Set(["ADM_BUSY"]));
    expect(results.at(-1)?.status).toBe("rejected");
    expect((await decider.ask("/mutate", review("later"))).status).toBe(200);
  });

  it("273: takes back what a request takes that was refused while its claim was written", async () => {
    const data = { name: "demo", labels: {}, annotations: { "landfall.dev/quota-vcpus": "2" } };
    const events: ClusterEvent[] = [
      { type: "namespace", name: "demo", data },
      { type: "seen", at: nowSeconds() },
    ];
    const [told, withdrawn]: [ClusterEvent[], Claim[]] = [[], []];
    let isSlow = true;
    const decider = open({
      ...{ events, timeoutMs: 2000 },
      onReserved: (event) => told.push(event),
      ledger: {
        claim: async () => {
          if (isSlow) await sleep(3000);
          return "taken";
        },
        withdraw: (claim) => withdrawn.push(claim),
      },
    });
    await decider.ready;
    const named = (name: string): string => reviewOf(vm({ cpu: 2, memory: 4 }, { name }), { uid: name });
    await expect(decider.ask("/mutate", named("a"))).rejects.toMatchObject({ code: "ADM_BUSY" });
    const { log: full } = await decider.ask("/mutate", named("b"));
    expect(full).toMatchObject({ allowed: false });
    await vi.waitFor(() => expect(withdrawn).toMatchObject([{ key: "VmTemplate/demo/a" }]), 5000);
    expect(told.map(({ type }) => type)).toEqual(["reservation", "withdrawn"]);
    isSlow = false;
    const { log } = await decider.ask("/mutate", named("b"));
    expect(log).toMatchObject({ allowed: true });
  });

  it("gives the times of its stages, with that of the claim, where they are traced alone", async () => {
    const data = { name: "demo", labels: {}, annotations: { "landfall.dev/quota-vcpus": "8" } };
    const events: ClusterEvent[] = [
      { type: "namespace", name: "demo", data },
      { type: "seen", at: nowSeconds() },
    ];
    const claim = async (): Promise<"taken"> => {
      await sleep(50);
      return "taken";
    };
    const ledger = { claim, withdraw: () => undefined };
    const [traced, untraced] = [open({ events, ledger, traced: true }), open({ events, ledger })];
    await Promise.all([traced.ready, untraced.ready]);
    expect((await untraced.ask("/mutate", review("a"))).stages).toBeUndefined();
    const { stages = [] } = await traced.ask("/mutate", review("b"));
    expect(stages.map(({ stage }) => stage)).toEqual(["decode", "sign", "decide", "reserve", "claim"]);
    const tookMs = stages.map(({ beganMs, endedMs }) => endedMs - beganMs);
    expect(tookMs.at(-1)).toBeGreaterThan(45);
    for (const ms of tookMs) expect(ms).toBeGreaterThanOrEqual(0);
  });
});
