import { describe, expect, it } from "vitest";
import type { Row } from "../../../src/console/contract/rows.ts";
import { chooseRows } from "../../../src/console/objects/choose-rows.ts";
import { judgedRow, rowOf } from "../../../src/console/objects/row-of.ts";
import { stateOf } from "../../../src/console/objects/state-of.ts";
import { summarise } from "../../../src/console/objects/summarise.ts";
import { ANNOTATION } from "../../../src/model/names.ts";
import { admit } from "../../../src/admission/admit.ts";
import { context, create, NOW, patched, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";

const condition = (type: string, status: string, reason: string) => ({
  ...{ type, status, reason, message: `${reason}!`, lastTransitionTime: "2026-11-20T22:00:00Z" },
});

const object = (conditions: object[], metadata: object = {}): Resource => ({
  ...(vm({ cpu: 2, memory: 4 }, { creationTimestamp: "2026-11-20T22:00:00Z", ...metadata }) as Resource),
  status: { conditions },
});

describe("the state of an object", () => {
  it.each([
    ["running", [condition("Ready", "True", "Available")], {}],
    ["failing", [condition("Ready", "True", "PoolErrors")], {}],
    ["starting", [condition("Ready", "False", "Creating")], {}],
    ["starting", [], {}],
    ["failing", [condition("Ready", "False", "ProviderTerminal")], {}],
    ["failing", [condition("Ready", "False", "ReleaseFailed")], {}],
    ["failing", [condition("Synced", "False", "ReconcileError")], {}],
    ["waiting", [condition("Ready", "False", "Paused")], {}],
    ["ended", [condition("Ready", "False", "Completed"), condition("Completed", "True", "DurationOver")], {}],
    ["failing", [condition("Failed", "True", "Reported"), condition("Completed", "False", "Failed")], {}],
    ["overdue", [condition("Ready", "True", "Available"), condition("Overdue", "True", "NothingEndsIt")], {}],
    ["overdue", [condition("Completed", "True", "Reported"), condition("Overdue", "True", "NothingEndsIt")], {}],
    ["failing", [condition("Failed", "True", "Reported"), condition("Overdue", "True", "NothingEndsIt")], {}],
    ["failing", [condition("Ready", "False", "ProviderTerminal"), condition("Overdue", "True", "NothingEndsIt")], {}],
    ["running", [condition("Ready", "True", "Available"), condition("Overdue", "False", "InTime")], {}],
    ["ending", [condition("Ready", "True", "Available")], { deletionTimestamp: "2026-11-20T23:00:00Z" }],
  ])("is %s", (state, conditions, metadata) => {
    expect(stateOf(object(conditions, metadata)).state).toBe(state);
  });
});

async function decided(name: string, spec: object): Promise<Resource> {
  const asked = vm(
    { cpu: 2, memory: 4, ...spec },
    { name, uid: `uid-${name}`, creationTimestamp: "2026-11-20T22:00:00Z" },
  );
  const outcome = admit(create(asked), context(await loadPolicy(), NOW));
  return patched(asked, outcome) as Resource;
}

describe("the row of an object", () => {
  it("has the decision that admission wrote", async () => {
    const row = rowOf(
      await decided("later", {
        duration: "3h",
        deadline: "2026-11-23T22:00:00Z",
        schedulingTime: "2026-11-21T20:00:00Z",
        provider: "azure",
      }),
    );
    expect(row).toMatchObject({ state: "waiting", name: "later", deadline: "2026-11-23T22:00:00Z", verdict: null });
    expect(row.place).toMatch(/^azure\//);
    expect(row.usd).toBeCloseTo(3 * (row.usdPerHour ?? 0));
    expect(row).toMatchObject({ start: "2026-11-21T20:00:00Z", end: "2026-11-21T23:00:00Z" });
    expect([row.grams, row.nowGrams, row.nowUsd].map((figure) => typeof figure)).toEqual([
      "number",
      "number",
      "number",
    ]);
  });

  it.each([
    ["the decided run", { id: "", startsAt: "2026-11-21T20:00:07Z", endsAt: "2026-11-21T23:00:07Z" }, true],
    ["another run of its machine", { id: "2", startsAt: "2026-11-25T08:00:00Z", endsAt: null }, true],
    ["an earlier run than the decided", { id: "0", startsAt: "2026-11-19T20:00:00Z", endsAt: null }, false],
    ["no time", { id: "", startsAt: "soon", endsAt: null }, false],
  ])("has the times of the run that is shown: %s", async (_what, { id, startsAt, endsAt }, isShown) => {
    const asked = await decided("again", { duration: "3h", schedulingTime: "2026-11-21T20:00:00Z" });
    const row = rowOf({ ...asked, status: { startsAt, endsAt, run: { id } } });
    expect(row.startsAt).toBe(isShown ? startsAt : "2026-11-21T20:00:00Z");
    expect(row.endsAt).toBe(isShown ? endsAt : "2026-11-21T23:00:00Z");
    expect([row.start, row.end]).toEqual(["2026-11-21T20:00:00Z", "2026-11-21T23:00:00Z"]);
  });

  it("takes nothing for a figure that a user wrote as a text", () => {
    const forged = {
      id: 7,
      inputs: "x",
      written: [],
      placement: { provider: "<b>", region: {}, gramsCO2: "9", start: "soon" },
    };
    const row = rowOf(object([], { annotations: { [ANNOTATION.decision]: JSON.stringify(forged) } }));
    expect(row).toMatchObject({ place: null, grams: null, start: null, usd: null, decision: null });
  });
});

const rows: Row[] = ["b", "a", "d", "c"].map((name, at) => ({
  ...rowOf(object([], { name, uid: name })),
  ...{ grams: [3, null, 1, 2][at] ?? null, state: name === "a" ? "running" : "waiting", place: `aws/${name}` },
}));
const names = (query: Parameters<typeof chooseRows>[1]): string =>
  chooseRows([...rows], query, NOW)
    .rows.map(({ name }) => name)
    .join("");

describe("a row", () => {
  it("says why the policies in force would deny the object, and nothing of others", () => {
    const row = rowOf(object([]));
    const denied = judgedRow(row, { verdict: "deny", message: "outside residency [EU]" });
    expect(denied).toMatchObject({ verdict: "deny", denial: "outside residency [EU]" });
    expect(judgedRow(denied, { verdict: "move", message: "cleaner" })).toMatchObject({ verdict: "move", denial: "" });
    expect(judgedRow(denied, null)).toEqual(row);
  });
});

describe("a page of rows", () => {
  it("is sorted, with unknown values last in both orders", () => {
    expect(names({})).toBe("abcd");
    expect(names({ order: "descending" })).toBe("dcba");
    expect(names({ sort: "grams" })).toBe("dcba");
    expect(names({ sort: "grams", order: "descending" })).toBe("bcda");
  });

  it("has what the filters leave, from the offset on", () => {
    expect(names({ state: "waiting" })).toBe("bcd");
    expect(names({ search: "A" })).toBe("a");
    expect(names({ place: "aws/c" })).toBe("c");
    expect(names({ provider: "gcp" })).toBe("");
    expect(chooseRows([...rows], { offset: 1, limit: 2 }, NOW)).toMatchObject({
      total: 4,
      all: 4,
      rows: [{ name: "b" }, { name: "c" }],
    });
  });
});

describe("what runs at an hour", () => {
  const runs = (name: string, fields: Partial<Row>): Row => ({
    ...rowOf(object([], { name, uid: name })),
    ...{ state: "running", startsAt: "2026-11-20T20:00:00Z", endsAt: null, ...fields },
  });
  const all = [
    runs("now", {}),
    runs("short", { endsAt: "2026-11-20T23:00:00Z" }),
    runs("later", { state: "waiting", startsAt: "2035-01-01T00:00:00Z" }),
    runs("over", { state: "ended" }),
    runs("kept", { state: "overdue", endsAt: "2026-11-20T21:00:00Z" }),
  ];
  const at = (runsAt: string): string[] => chooseRows(all, { runsAt }, NOW).rows.map(({ name }) => name);

  it("is what the map counts then", () => {
    expect(at("now")).toEqual(["kept", "now", "short"]);
    expect(at("2026-11-21T08:00:00Z")).toEqual(["kept", "now"]);
    expect(at("2035-01-01T00:00:00Z")).toEqual(["kept", "later", "now"]);
    expect(() => at("noon")).toThrow(expect.objectContaining({ code: "CONSOLE_REQUEST" }));
  });

  it("is sorted by the vCPU that quotas count", () => {
    const sized = [runs("a", { vcpus: 2 }), runs("b", { vcpus: 8 })];
    const { rows: found } = chooseRows(sized, { sort: "vcpus", order: "descending" }, NOW);
    expect(found.map(({ name }) => name)).toEqual(["b", "a"]);
  });
});

describe("the overview", () => {
  it("names what is overdue among what needs attention, and counts it", () => {
    const overdue = rowOf({
      ...object([condition("Overdue", "True", "NothingEndsIt")]),
      metadata: { name: "kept", namespace: "demo", uid: "kept" },
    });
    const found = summarise(
      [
        { ...overdue, decision: "d" },
        { ...overdue, state: "running", decision: "d" },
      ],
      true,
    );
    expect(found.states).toMatchObject({ overdue: 1, running: 1, ended: 0 });
    expect(found.attention.map(({ name, reason, message }) => [name, reason, message])).toEqual([
      ["kept", "NothingEndsIt", "NothingEndsIt!"],
    ]);
  });

  it("sums what is known, and counts what is not", async () => {
    const known = rowOf(await decided("run", { duration: "3h", dataResidency: ["EU"], origin: "azure/italynorth" }));
    const unpriced = { ...known, usd: null };
    const { runs, perHour, states } = summarise(
      [known, { ...known, grams: null }, { ...unpriced, baselineUsd: null }, { ...known, end: null }],
      false,
    );
    const { grams, baselineGrams, usd, baselineUsd } = known;
    expect(runs.objects).toBe(3);
    expect(runs.grams).toMatchObject({ decided: 2 * (grams ?? 0), unknown: 1 });
    expect(runs.grams.origin).toEqual({ decided: 2 * (grams ?? 0), instead: 2 * (baselineGrams ?? 0), unknown: 1 });
    expect(runs.usd.origin).toEqual({ decided: 2 * (usd ?? 0), instead: 2 * (baselineUsd ?? 0), unknown: 1 });
    expect(runs.usd).toMatchObject({ decided: 2 * (usd ?? 0), unknown: 1 });
    expect(perHour).toMatchObject({ objects: 1, usd: { decided: known.usdPerHour, unknown: 0 } });
    expect(states["denied"]).toBe(0);
  });
});
