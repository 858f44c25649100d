import { describe, expect, it } from "vitest";
import type { NamespaceData } from "../../../../../src/model/kubernetes.ts";
import { askSafely } from "../../../../../webhook/decisions/ask-safely.ts";
import { awaitNamespace, type NamespaceSource } from "../../../../../webhook/decisions/limits/await-namespace.ts";
import { openIntake } from "../../../../../webhook/decisions/limits/intake.ts";
import { openRefusedInputs } from "../../../../../webhook/decisions/limits/refused-inputs.ts";
import { scanReview } from "../../../../../webhook/review/scan-review.ts";
import { reviewOf, vm } from "../../../../support/admission.ts";

const data = (name: string): NamespaceData => ({ name, labels: {}, annotations: { "landfall.dev/residency": "EU" } });

function source(changes: Partial<NamespaceSource> = {}) {
  const known = new Map<string, NamespaceData>();
  const reads: string[] = [];
  const waits = awaitNamespace({
    hasSynced: () => true,
    knows: (name) => known.has(name),
    read: (name) => {
      reads.push(name);
      return Promise.resolve(data(name));
    },
    onRead: (read) => void known.set(read.name, read),
    ...changes,
  });
  return { waits, known, reads };
}

describe("4: a namespace that is not known yet", () => {
  it("is read once for all requests that wait, before any is decided", async () => {
    const { waits, known, reads } = source();
    await Promise.all([waits("eu"), waits("eu"), waits("us")]);
    expect(reads).toEqual(["eu", "us"]);
    expect(known.get("eu")?.annotations).toEqual({ "landfall.dev/residency": "EU" });
    await waits("eu");
    expect(reads).toHaveLength(2);
  });

  it("is waited for: its event may come while the API server does not have it or does not answer", async () => {
    let calls = 0;
    const { waits, known } = source({
      read: () => {
        calls += 1;
        return calls === 1 ? Promise.resolve(null) : Promise.reject(new TypeError("away"));
      },
    });
    setTimeout(() => known.set("eu", data("eu")), 300);
    await waits("eu");
    expect(calls).toBeGreaterThan(1);
  });

  it("never replaces what its event said meanwhile", async () => {
    const { waits, known } = source({
      read: () => {
        known.set("eu", { ...data("eu"), annotations: { newer: "yes" } });
        return Promise.resolve(data("eu"));
      },
    });
    await waits("eu");
    expect(known.get("eu")?.annotations).toEqual({ newer: "yes" });
  });

  it.each([
    ["there is none", source({ read: () => Promise.resolve(null) }), "ADM_NAMESPACE_UNKNOWN"],
    ["nothing was read yet", source({ hasSynced: () => false }), "ADM_STARTING"],
  ])("refuses with status 429 if %s, and asks no process", async (_name, { waits }, code) => {
    const ask = askSafely({
      ...{ decider: () => expect.fail("asked"), decisionLog: null, intake: openIntake() },
      ...{ refused: openRefusedInputs(Date.now), namespaceKnown: waits },
    });
    const review = reviewOf(vm({ cpu: 2, memory: 4 }));
    const { status, body } = await ask("/mutate", review, scanReview(review));
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      response: {
        allowed: false,
        status: {
          code: 429,
          details: { retryAfterSeconds: 1 },
          message: expect.stringContaining(code) as string,
        },
      },
    });
  });
});
