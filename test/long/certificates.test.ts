// 10,000 admissions on 16 connections while the CA is replaced and all replicas of the webhook are rolled.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ChartWebhooks, startChartWebhooks, startLoad } from "../support/certificates/chart-webhooks.ts";

const ADMISSIONS = Number(process.env["LANDFALL_CERTIFICATE_ADMISSIONS"] ?? "10000");
const CONNECTIONS = 16;

let webhooks: ChartWebhooks;
beforeAll(async () => {
  webhooks = await startChartWebhooks();
});
afterAll(() => webhooks.stop());

it(`none of ${String(ADMISSIONS)} admissions fails while CAs are replaced and replicas are rolled`, async () => {
  const before = await webhooks.untilSettled();
  const load = startLoad(webhooks.chart.plane.client, CONNECTIONS);
  const seen = new Set([before]);
  for (let rounds = 1; rounds === 1 || load.done() < ADMISSIONS; rounds += 1) {
    await webhooks.rotate(`round ${String(rounds)}`);
    await Promise.all([webhooks.roll(), sleep(6000)]);
    seen.add(await webhooks.untilSettled(300));
    expect(load.failures.slice(0, 3)).toEqual([]);
    expect(seen.size).toBe(rounds + 1);
  }
  await load.stop();
  process.stdout.write(`${String(load.done())} admissions, ${String(seen.size - 1)} CAs replaced\n`);
  expect(load.failures).toEqual([]);
});
