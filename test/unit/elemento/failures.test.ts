import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { LandfallError } from "../../../src/errors.ts";
import { failureClass } from "../../../src/elemento/api/failure-class.ts";
import { answering } from "./answering.ts";
import { clusterRequest, MACHINE, networkRequest, openBoth, PLACE, vmRequest, volumeRequest } from "./open-both.ts";

async function failureOf(work: Promise<unknown>): Promise<LandfallError> {
  const thrown: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof LandfallError)) throw new Error(`no LandfallError: ${inspect(thrown)}`);
  return thrown;
}

describe("what an answer means", () => {
  // status, body, then for a read: code, reason, class; and for a create: code.
  test.each([
    [400, { error: "BadRequest" }, "ELEMENTO_REFUSED", "BadRequest", "terminal", "ELEMENTO_REFUSED"],
    [400, "nonsense", "ELEMENTO_REFUSED", "Http400", "terminal", "ELEMENTO_REFUSED"],
    [
      403,
      { error: "forbidden", message: "Forbidden request" },
      "ELEMENTO_FORBIDDEN",
      "Forbidden",
      "terminal",
      "ELEMENTO_FORBIDDEN",
    ],
    [
      403,
      { error: "ResourceLimitExceeded" },
      "ELEMENTO_CAPACITY",
      "ResourceLimitExceeded",
      "capacity",
      "ELEMENTO_CAPACITY",
    ],
    [404, { error: "NotFound" }, "ELEMENTO_NOT_FOUND", "NotFound", "terminal", "ELEMENTO_NOT_FOUND"],
    [409, { error: "conflict" }, "ELEMENTO_IN_USE", "Conflict", "retry", "ELEMENTO_IN_USE"],
    [409, { error: "networks_overlap" }, "ELEMENTO_CONFLICT", "NetworksOverlap", "terminal", "ELEMENTO_CONFLICT"],
    [409, { error: "uniqueness_error" }, "ELEMENTO_CONFLICT", "UniquenessError", "terminal", "ELEMENTO_CONFLICT"],
    [409, { error: "CannotBeDeleted" }, "ELEMENTO_IN_USE", "CannotBeDeleted", "retry", "ELEMENTO_IN_USE"],
    [425, { error: "TooEarly" }, "ELEMENTO_TOO_EARLY", "TooEarly", "retry", "ELEMENTO_TOO_EARLY"],
    [422, { error: "UnsupportedFormat" }, "ELEMENTO_REFUSED", "UnsupportedFormat", "terminal", "ELEMENTO_REFUSED"],
    [500, { error: "InternalServerError" }, "ELEMENTO_FAILED", "InternalServerError", "retry", "ELEMENTO_UNCERTAIN"],
    [500, { error: "CreationFailed" }, "ELEMENTO_FAILED", "CreationFailed", "retry", "ELEMENTO_UNCERTAIN"],
    [502, "<html>bad gateway</html>", "ELEMENTO_FAILED", "Http502", "retry", "ELEMENTO_UNCERTAIN"],
    [503, { error: "NotAllocable" }, "ELEMENTO_CAPACITY", "NotAllocable", "capacity", "ELEMENTO_CAPACITY"],
    [
      503,
      { error: "no_space_left_in_location" },
      "ELEMENTO_CAPACITY",
      "NoSpaceLeftInLocation",
      "capacity",
      "ELEMENTO_CAPACITY",
    ],
    [507, "", "ELEMENTO_CAPACITY", "Http507", "capacity", "ELEMENTO_CAPACITY"],
    [200, "<html>a portal</html>", "ELEMENTO_ANSWER", undefined, "retry", "ELEMENTO_UNCERTAIN"],
    [200, '{"half": ', "ELEMENTO_ANSWER", undefined, "retry", "ELEMENTO_UNCERTAIN"],
    [200, [{ uniqueID: 5 }], "ELEMENTO_ANSWER", undefined, "retry", "ELEMENTO_UNCERTAIN"],
  ] as const)("HTTP %i %j is %s (%s, %s), for a create %s", async (...[status, body, ...expected]) => {
    await using service = await answering(status, typeof body === "string" ? body : JSON.stringify(body));
    const error = await failureOf(service.api.listVms());
    const created = await failureOf(service.api.registerVm(vmRequest("web")));
    expect([error.code, error.params["reason"], failureClass(error), created.code]).toEqual(expected);
    if (created.code === "ELEMENTO_UNCERTAIN") expect(failureClass(created)).toBe("uncertain");
  });

  test("reports the field of a service's field error", async () => {
    const body = { error: "BadRequest", field_errors: [{ field: "ramsize", where: "BODY", error: "WRONG_VALUE" }] };
    await using service = await answering(400, JSON.stringify(body));
    const error = await failureOf(service.api.registerVm(vmRequest("web")));
    expect(error.message).toBe("Elemento refuses registerVm: BadRequest ramsize: WRONG_VALUE in BODY");
  });

  test("reads an empty answer as an empty list", async () => {
    await using service = await answering(204, "");
    expect(await service.api.listVms()).toEqual([]);
    expect(await service.api.listVolumes()).toEqual([]);
    expect(await service.api.listClusters()).toEqual([]);
  });

  test("reads an undocumented state as unknown", async () => {
    const vm = { uniqueID: "a", status: "hibernating", req_json: { slots: 1, ramsize: 1 }, creation_date: "soon" };
    await using service = await answering(200, JSON.stringify([vm]));
    expect(await service.api.listVms()).toEqual([
      {
        id: "a",
        name: "",
        state: "unknown",
        ipv4: null,
        slots: 1,
        memoryMiB: 1024,
        labels: {},
        volumeIds: [],
        createdAt: null,
      },
    ]);
  });
});

describe("what is repeated", () => {
  test("repeats a failed read, but not a create", async () => {
    await using service = await answering(500, "{}");
    await failureOf(service.api.listVms());
    expect(service.asked()).toBe(2);
    await failureOf(service.api.registerVm(vmRequest("web")));
    expect(service.asked()).toBe(3);
  });

  test("repeats even a create after a rate limit, because nothing was done", async () => {
    await using service = await answering(429, "", { "retry-after": "0" });
    const error = await failureOf(service.api.registerVm(vmRequest("web")));
    expect([error.code, service.asked()]).toEqual(["ELEMENTO_BUSY", 2]);
  });

  test("leaves a pause of minutes to the caller", async () => {
    await using service = await answering(429, "", { "retry-after": "120" });
    const error = await failureOf(service.api.listVms());
    expect([error.code, error.params["seconds"], service.asked()]).toEqual(["ELEMENTO_BUSY", 120, 1]);
  });

  test("knows that a create had no effect if the connection is refused", async () => {
    const both = await openBoth();
    await both.double.close();
    const error = await failureOf(both.api.registerVm(vmRequest("web")));
    expect([error.code, error.params["reason"]]).toEqual(["ELEMENTO_AWAY", "Away"]);
    await both.api.close();
  });

  test.each(["hang", "reset", "error"] as const)(
    "fault %s: whether it was done is not known, and nothing is done twice",
    async (fault) => {
      for (const seed of [1, 2, 3, 4, 5, 6]) {
        await using both = await openBoth({ hangMs: 5000 }, { timeoutMs: 60 }, { seed });
        await both.api.checkSession();
        both.double.change({ faultRate: 1, faults: [fault] });
        const error = await failureOf(both.api.registerVm(vmRequest("web")));
        expect(error.code).toBe("ELEMENTO_UNCERTAIN");
        expect(both.double.counts().vms.created).toBeLessThanOrEqual(1);
      }
    },
  );

  test("reads and deletes get through one fault in three", async () => {
    await using both = await openBoth(
      { faultRate: 0.33, faults: ["busy", "error", "hang", "reset"], retryAfterSeconds: 0, hangMs: 5000 },
      { timeoutMs: 80, retries: 20 },
    );
    for (let round = 0; round < 10; round += 1) {
      expect(await both.api.listVms()).toEqual([]);
      await both.api.destroyVolume("0".repeat(32));
    }
    expect(Object.values(both.double.counts().faults).reduce((sum, count) => sum + count)).toBeGreaterThan(5);
  });
});

describe("secrets", () => {
  const SECRET = "my-own-secret-user-data";
  /** Everything that a log of the error could show. */
  const shown = (error: LandfallError): string => inspect(error, { depth: 10, showHidden: true }) + error.line;

  test.each([400, 403, 500])("user data that Elemento quotes (HTTP %i) is in no error", async (status) => {
    await using service = await answering(
      status,
      JSON.stringify({ error: SECRET, message: `bad: ${SECRET}`, trace: SECRET }),
    );
    const request = { name: "c", place: PLACE, private: true, userData: SECRET };
    expect(shown(await failureOf(service.api.createCloudInit(request)))).not.toContain(SECRET);
    expect(shown(await failureOf(service.api.feedCloudInit("0", SECRET)))).not.toContain(SECRET);
    expect(
      shown(
        await failureOf(service.api.readKubeconfig("0")).catch(
          () => new LandfallError("ELEMENTO_AWAY", { service: "s", operation: "o", detail: "d" }),
        ),
      ),
    ).not.toContain(SECRET);
  });

  test("masks the password and the session's token wherever Elemento quotes them", async () => {
    const message = "hunter2 and more is wrong for token-of-the-session";
    await using service = await answering(400, JSON.stringify({ error: "BadRequest", message }));
    const error = await failureOf(service.api.listVms());
    expect(error.message).toBe("Elemento refuses listVms: BadRequest *** is wrong for ***");
    expect(shown(error)).not.toMatch(/hunter2|token-of-the-session/);
  });

  test("reports a refused login without what was sent", async () => {
    await using both = await openBoth({}, { account: { username: "landfall", password: "hunter2" } });
    const error = await failureOf(both.api.listVms());
    expect(error.code).toBe("ELEMENTO_LOGIN");
    expect(shown(error)).not.toContain("hunter2");
  });
});

test("fails every call with a code if Elemento is broken", async () => {
  await using service = await answering(500, "{}");
  const { api } = service;
  const calls = [
    api.checkSession(),
    api.listOffers(MACHINE),
    api.unregisterVm("a"),
    api.startVm("a"),
    api.stopVm("a"),
    api.rebootVm("a"),
    api.createVolume(volumeRequest("a")),
    api.createImageVolume({ name: "a", place: PLACE, sizeGB: 50, private: true, imageUrl: "https://images.example/a" }),
    api.findVolume("a"),
    api.createNetwork(networkRequest("a")),
    api.findNetwork("a"),
    api.deleteNetwork("a"),
    api.canCreateCluster(clusterRequest("a")),
    api.createCluster(clusterRequest("a")),
    api.findCluster("a"),
    api.deleteCluster("a"),
    api.readKubeconfig("a"),
  ];
  const codes = await Promise.all(calls.map(async (call) => (await failureOf(call)).code));
  expect(codes.map((code) => code.replace("ELEMENTO_", "")).join(" ")).toBe(
    "FAILED FAILED FAILED FAILED FAILED UNCERTAIN UNCERTAIN UNCERTAIN FAILED UNCERTAIN FAILED FAILED FAILED UNCERTAIN FAILED FAILED FAILED",
  );
});
