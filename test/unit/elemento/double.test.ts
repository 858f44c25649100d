import { describe, expect, test } from "vitest";
import type { DoubleOptions } from "../../doubles/elemento/start-double.ts";
import { startDouble } from "../../doubles/elemento/start-double.ts";
import { clusterRequest, MACHINE, networkRequest, openBoth, vmRequest, volumeRequest } from "./open-both.ts";

/** What Elemento answers to a body, without the client between. */
async function opened(options: DoubleOptions) {
  const double = await startDouble(options);
  const send = async (path: string, body?: unknown, method = body === undefined ? "GET" : "POST") => {
    const answer = await fetch(`${double.url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? null : (JSON.parse(text) as unknown) };
  };
  return { double, send, [Symbol.asyncDispose]: () => double.close() };
}

const CREDENTIALS = { username: "landfall", password: "correct horse" };
const VM = "/api/v1.0/client/vm";

describe("the contract", () => {
  test("answers nothing without a session, as the gateway does", async () => {
    await using it = await opened({});
    expect(await it.send(`${VM}/status`)).toEqual({
      status: 401,
      body: { error: "unauthorized", message: "No active session" },
    });
    expect(await it.send("/api/v1/authenticate/login", { ...CREDENTIALS, password: "no" })).toMatchObject({
      status: 401,
    });
    expect(await it.send("/api/v1/authenticate/login", CREDENTIALS)).toEqual({
      status: 200,
      body: { authenticated: true },
    });
    expect(await it.send(`${VM}/status`)).toEqual({ status: 200, body: [] });
    expect(await it.send("/api/v1/authenticate/status")).toEqual({
      status: 200,
      body: { authenticated: true, username: "landfall" },
    });
    await it.send("/api/v1/authenticate/logout", {});
    expect(await it.send(`${VM}/status`)).toMatchObject({ status: 401 });
  });

  test("moves a machine through its states over time, and gives it an address when it runs", async () => {
    let nowMs = 1_800_000_000_000;
    await using it = await opened({ nowMs: () => nowMs, settings: { vmMs: 3000, deleteMs: 1000, listLagMs: 500 } });
    await it.send("/api/v1/authenticate/login", CREDENTIALS);
    const request = {
      info: { vm_name: "a" },
      slots: 1,
      ramsize: 1024,
      archs: ["X86_64"],
      misc: { os_family: "linux" },
    };
    const { body } = await it.send(`${VM}/register`, request);
    const { vm_uuid: id } = body as { vm_uuid: string };
    const seen: unknown[] = [];
    const look = async (passed: number) => {
      nowMs += passed;
      const list = (await it.send(`${VM}/status`)).body as Record<string, unknown>[];
      seen.push(
        list.map(({ status, network_config: network }) => [status, (network as { ipv4: unknown }).ipv4 !== null]),
      );
    };
    for (const passed of [0, 500, 1000, 2000]) await look(passed);
    expect(await it.send(`${VM}/start`, { local_index: id })).toMatchObject({
      status: 425,
      body: { error: "TooEarly" },
    });
    await it.send(`${VM}/stop`, { local_index: id });
    for (const passed of [0, 1000]) await look(passed);
    await it.send(`${VM}/unregister`, { local_index: id });
    for (const passed of [0, 1000]) await look(passed);
    expect(seen).toEqual([
      [],
      [["initializing", false]],
      [["starting", false]],
      [["running", true]],
      [["stopping", false]],
      [["off", true]],
      [["deleting", false]],
      [],
    ]);
  });

  test("names a refused field", async () => {
    await using it = await opened({});
    await it.send("/api/v1/authenticate/login", CREDENTIALS);
    const { status, body } = await it.send(`${VM}/register`, { info: { vm_name: "a" }, ramsize: "many" });
    expect([status, body]).toEqual([
      400,
      {
        origin: "MESON",
        error: "BadRequest",
        field_errors: [{ field: "ramsize", where: "BODY", error: "WRONG_VALUE" }],
      },
    ]);
  });

  test("accepts the Go client's deletes only if enabled", async () => {
    await using it = await opened({});
    await it.send("/api/v1/authenticate/login", CREDENTIALS);
    const volume = (await it.send("/api/v1.0/client/volume/create", { name: "a", size: 1 })).body as { vid: string };
    const request = { volume_id: volume.vid };
    expect(await it.send("/api/v1.0/client/volume/delete", request)).toMatchObject({ status: 404 });
    it.double.change({ goClientDeletes: true });
    expect(await it.send("/api/v1.0/client/volume/delete", request)).toMatchObject({ status: 200 });
    expect(it.double.counts().volumes.alive).toBe(0);
  });
});

describe("limits", () => {
  test("lets the client distinguish missing capacity, an exceeded quota and an unavailable provider", async () => {
    await using both = await openBoth({ capacity: 3, quota: { vms: 9, volumes: 0, networks: 0, clusters: 0 } });
    const { api, double } = both;
    await api.registerVm(vmRequest("one"));
    expect(await api.listOffers(MACHINE)).toEqual([]);
    await expect(api.registerVm(vmRequest("two"))).rejects.toMatchObject({
      code: "ELEMENTO_CAPACITY",
      params: { reason: "NotAllocable" },
    });
    const overQuota = { code: "ELEMENTO_CAPACITY", params: { reason: "ResourceLimitExceeded" } };
    await expect(api.createVolume(volumeRequest("a"))).rejects.toMatchObject(overQuota);
    await expect(api.createNetwork(networkRequest("a"))).rejects.toMatchObject(overQuota);
    await expect(api.createCluster(clusterRequest("a"))).rejects.toMatchObject(overQuota);
    expect((await api.canCreateCluster(clusterRequest("a"))).canCreate).toBe(false);
    double.change({ outages: ["ovh"] });
    await expect(api.createCluster(clusterRequest("a"))).rejects.toMatchObject({ code: "ELEMENTO_UNCERTAIN" });
    expect(double.counts().clusters.created).toBe(0);
  });

  test("attaches only existing, complete and unused volumes", async () => {
    await using both = await openBoth({ volumeMs: 60_000 });
    const { api, double } = both;
    const register = (id: string) => api.registerVm(vmRequest("web", { volumeIds: [id] }));
    await expect(register("0".repeat(32))).rejects.toMatchObject({ code: "ELEMENTO_NOT_FOUND" });
    const slow = await api.createVolume(volumeRequest("slow"));
    await expect(register(slow.id)).rejects.toMatchObject({ code: "ELEMENTO_IN_USE", params: { reason: "Locked" } });
    double.change({ volumeMs: 0 });
    const quick = await api.createVolume(volumeRequest("quick"));
    await register(quick.id);
    await expect(register(quick.id)).rejects.toMatchObject({ params: { reason: "VolumeAlreadyAttached" } });
  });

  test("refuses requests over the rate limit, with a pause", async () => {
    await using both = await openBoth({ requestsPerSecond: 5, retryAfterSeconds: 30 }, {}, { nowMs: () => 0 });
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => both.api.listVms()));
    const refused = outcomes.filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    for (const outcome of refused)
      expect(outcome).toMatchObject({ reason: { code: "ELEMENTO_BUSY", params: { seconds: 30 } } });
  });
});

describe("the controls for tests", () => {
  test("allows two resources with the same name, and counts them even after a deletion", async () => {
    await using both = await openBoth();
    const { api, double } = both;
    await api.registerVm(vmRequest("web"));
    const second = await api.registerVm(vmRequest("web"));
    await api.createVolume(volumeRequest("loose"));
    await api.unregisterVm(second.id);
    await api.registerVm(vmRequest("other"));
    expect(double.counts()).toMatchObject({
      vms: {
        alive: 2,
        created: 3,
        deleted: 1,
        duplicates: ["web"],
        byName: { web: 1, other: 1 },
        byState: { running: 2 },
      },
      volumes: { alive: 1, duplicates: [] },
      unattached: ["loose"],
      logins: 1,
    });
  });

  test("makes some volumes and clusters fail, at a rate and by the seed", async () => {
    await using both = await openBoth({ brokenRate: 0.5 }, {}, { seed: 5 });
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => both.api.createVolume(volumeRequest(`v${String(index)}`))),
    );
    const { error = 0, available = 0 } = both.double.counts().volumes.byState;
    expect(error + available).toBe(40);
    expect(Math.abs(error - 20)).toBeLessThan(10);
  });

  test("produces the same faults from the same seed", async () => {
    const run = async (): Promise<unknown> => {
      await using it = await opened({ seed: 3, settings: { faultRate: 0.4, faults: ["error", "busy", "expire"] } });
      const statuses: number[] = [];
      for (let round = 0; round < 12; round += 1) {
        statuses.push((await it.send("/api/v1/authenticate/login", CREDENTIALS)).status);
      }
      return statuses;
    };
    expect(new Set((await run()) as number[]).size).toBeGreaterThan(2);
    expect(await run()).toEqual(await run());
  });
});
