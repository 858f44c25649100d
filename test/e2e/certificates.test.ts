// The webhook's certificates on a real API server: three replicas of the chart, with the rights that it gives them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import type { Resource } from "../../src/model/kubernetes.ts";
import { untilReady } from "../support/charts/run-pods.ts";
import {
  type ChartWebhooks,
  CONFIGURATIONS,
  SECRET,
  startChartWebhooks,
  startLoad,
} from "../support/certificates/chart-webhooks.ts";

let webhooks: ChartWebhooks;

beforeAll(async () => {
  webhooks = await startChartWebhooks();
});

afterAll(() => webhooks.stop());

const SELECTOR = { matchExpressions: [{ key: "control-plane", operator: "DoesNotExist" }] };

/** Writes its own fields into both configurations every second, as the admissions enforcer of AKS does. Returns what ends it. */
function startRival({ client }: { client: KubeClient }): () => Promise<number> {
  let [writes, stopped] = [0, false];
  const names = ["placement.landfall.dev", "guard.landfall.dev"];
  const kinds = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];
  const run = async (): Promise<void> => {
    for (; !stopped; writes += 1) {
      for (const [at, path] of CONFIGURATIONS.entries()) {
        const name = names[at] ?? "";
        const metadata = { name, annotations: { "rival.example/write": String(writes) } };
        const webhooks = [{ name, namespaceSelector: SELECTOR }];
        const body = { apiVersion: "admissionregistration.k8s.io/v1", kind: kinds[at], metadata, webhooks };
        await client.patch(path, "apply", body, { fieldManager: "admissionsenforcer", force: true });
      }
      await sleep(1000);
    }
  };
  const running = run();
  return async () => {
    stopped = true;
    await running;
    return writes;
  };
}

describe("the CA of three replicas", () => {
  it("is replaced while admissions go on and a rival writes into the configurations, and none fails", async () => {
    const before = await webhooks.untilSettled();
    const load = startLoad(webhooks.chart.plane.client, 4);
    const stopRival = startRival(webhooks.chart.plane);
    await webhooks.rotate("a test");
    await sleep(6000);
    const after = await webhooks.untilSettled();
    expect(await stopRival()).toBeGreaterThan(10);
    await load.stop();
    expect([load.failures, after === before]).toEqual([[], false]);
    for (const path of CONFIGURATIONS) {
      const kept = await webhooks.chart.plane.client.get<{ webhooks: { namespaceSelector: object }[] }>(path);
      expect(kept?.webhooks[0]?.namespaceSelector).toEqual(SELECTOR);
    }
    expect(load.done()).toBeGreaterThan(300);
  });

  it("is replaced though every replica is killed in each step", async () => {
    const before = await webhooks.untilSettled();
    const seen: string[] = [];
    await webhooks.rotate("another test");
    while (seen.at(-1) !== "served") {
      const step = await webhooks.step();
      if (step === "none" || seen.includes(step)) {
        await sleep(50);
        continue;
      }
      seen.push(step);
      for (const pod of webhooks.pods) process.kill(pod.pid(), "SIGKILL");
    }
    const after = await webhooks.untilSettled();
    expect([seen, after === before]).toEqual([["made", "published", "served"], false]);
    await Promise.all(webhooks.pods.map((pod) => untilReady(pod)));
    await webhooks.admit();
  });

  it("stays when somebody deletes or damages the Secret: it is put back, and no admission fails", async () => {
    const { client } = webhooks.chart.plane;
    const before = await webhooks.untilSettled();
    const stored = (await client.get<Resource>(SECRET))?.data;
    const load = startLoad(client, 2);
    const restored = async (): Promise<void> => {
      const end = performance.now() + 30_000;
      while (JSON.stringify((await client.get<Resource>(SECRET))?.data) !== JSON.stringify(stored)) {
        if (performance.now() > end) throw new TypeError("the Secret was not put back");
        await sleep(200);
      }
    };
    await client.remove(SECRET);
    await restored();
    await client.patch(SECRET, "merge", { data: { "tls.crt": "bm8=", "ca.key": null } });
    await restored();
    await sleep(6000);
    await load.stop();
    expect([load.failures, await webhooks.untilSettled()]).toEqual([[], before]);
  });

  it("are followed with the rights of the chart", async () => {
    const logs = await Promise.all(webhooks.pods.map((pod) => pod.log()));
    expect(logs.join("\n")).not.toMatch(/forbidden/i);
  });
});
