import { expect, test } from "vitest";
import { type CallEvent, serviceUrls } from "../../../src/elemento/api/client-options.ts";
import { openBoth, vmRequest } from "./open-both.ts";

test("shares one login among fifty concurrent calls", async () => {
  await using both = await openBoth({ latencyMs: [5, 10] });
  await Promise.all(Array.from({ length: 50 }, () => both.api.listVms()));
  expect(both.double.counts().logins).toBe(1);
});

test.each(["daemon", "cookie", "token"] as const)(
  "a session held by %s that ends is renewed once for all",
  async (session) => {
    await using both = await openBoth({ session, latencyMs: [5, 10] });
    await both.api.listVms();
    both.double.world.sessions.clear();
    await Promise.all(Array.from({ length: 20 }, () => both.api.listVms()));
    expect(both.double.counts().logins).toBe(2);
  },
);

test("sends a create once, after a new login, if the session ended", async () => {
  await using both = await openBoth();
  await both.api.listVms();
  both.double.world.sessions.clear();
  await both.api.registerVm(vmRequest("web"));
  expect(both.double.counts().vms.created).toBe(1);
});

test("gives up if every session ends at once", async () => {
  await using both = await openBoth({ sessionMs: -1 });
  await expect(both.api.listVms()).rejects.toMatchObject({ code: "ELEMENTO_SESSION" });
  expect(both.double.counts().logins).toBe(3);
});

test.each(["401", "false"] as const)("a refused login (%s) is not tried again for a while", async (refusal) => {
  await using both = await openBoth({ refusal }, { account: { username: "landfall", password: "wrong" } });
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => both.api.listVms()));
  for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: "ELEMENTO_LOGIN" } });
  await expect(both.api.listVms()).rejects.toMatchObject({ code: "ELEMENTO_LOGIN" });
  expect(both.double.counts().logins).toBe(1);
});

test("repeats a login after a temporary failure", async () => {
  await using both = await openBoth({ faultRate: 0.5, faults: ["error"] }, { retries: 20 });
  expect(await both.api.listVms()).toEqual([]);
});

test("checks the daemon's status, and logs in again if it is logged out", async () => {
  await using both = await openBoth();
  expect(await both.api.checkSession()).toBe(true);
  both.double.world.sessions.clear();
  expect(await both.api.checkSession()).toBe(true);
  expect(both.double.counts().logins).toBe(2);
});

test("starts at most the allowed requests per second", async () => {
  await using both = await openBoth({}, { requestsPerSecond: 5, parallel: 10 });
  const begin = performance.now();
  await Promise.all(Array.from({ length: 6 }, () => both.api.listVms()));
  expect(performance.now() - begin).toBeGreaterThan(990);
});

test("pauses all calls while Elemento asks for it, without losses", async () => {
  await using both = await openBoth({ retryAfterSeconds: 0.2, faultRate: 1, faults: ["busy"] });
  await both.api.checkSession().catch(() => undefined);
  const pending = Promise.all([both.api.listVms(), both.api.registerVm(vmRequest("web")), both.api.listVolumes()]);
  both.double.change({ faultRate: 0 });
  await pending;
  expect(both.double.counts().vms.created).toBe(1);
});

test("fails calls at once during a pause of minutes, and sends nothing", async () => {
  await using both = await openBoth({}, { parallel: 1 });
  await both.api.checkSession();
  both.double.change({ retryAfterSeconds: 300, faultRate: 1, faults: ["busy"] });
  const calls = [both.api.listVms(), both.api.listVolumes(), both.api.registerVm(vmRequest("web"))];
  for (const outcome of await Promise.allSettled(calls)) {
    expect(outcome).toMatchObject({ reason: { code: "ELEMENTO_BUSY", params: { seconds: 300 } } });
  }
  expect(both.double.counts().faults).toEqual({ busy: 1 });
});

test("limits concurrent calls", async () => {
  await using both = await openBoth({ latencyMs: [20, 20] }, { parallel: 2 });
  await both.api.checkSession();
  const begin = performance.now();
  await Promise.all(Array.from({ length: 6 }, () => both.api.listVms()));
  expect(performance.now() - begin).toBeGreaterThan(55);
});

test("reports each request to the observer", async () => {
  const events: CallEvent[] = [];
  await using both = await openBoth({}, { onCall: (event) => events.push(event) });
  await both.api.listVms();
  both.double.change({ faultRate: 1, faults: ["expire"] });
  await both.api.listVms().catch(() => undefined);
  expect(events.map(({ service, operation, outcome }) => [service, operation, outcome].join(" "))).toEqual([
    "authentication login ok",
    "compute listVms ok",
    "compute listVms ELEMENTO_SESSION",
    "authentication login ok",
    "compute listVms ELEMENTO_SESSION",
    "authentication login ok",
    "compute listVms ELEMENTO_SESSION",
  ]);
  for (const { seconds } of events) expect(seconds).toBeGreaterThan(0);
});

test("uses a port per service on a bare host, and one gateway for an address with a port", () => {
  expect(serviceUrls("http://127.0.0.1")).toEqual({
    authentication: "http://127.0.0.1:47777/api/v1/authenticate",
    compute: "http://127.0.0.1:17777/api/v1.0/client/vm",
    storage: "http://127.0.0.1:27777/api/v1.0/client/volume",
    network: "http://127.0.0.1:37777/api/v1.0/client/network",
    clusters: "http://127.0.0.1:6777/api/v1.0/kaas",
  });
  expect(serviceUrls("https://elemento.example:8443/door/").compute).toBe(
    "https://elemento.example:8443/door/api/v1.0/client/vm",
  );
});
