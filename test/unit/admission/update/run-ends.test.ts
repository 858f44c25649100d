import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { runFault } from "../../../../src/admission/guard-run.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import { describe as describeError } from "../../../../src/errors.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { formatTime, HOUR_SECONDS } from "../../../../src/model/time.ts";
import type { DecisionOwners } from "../../../../src/model/decision-annotation/standing.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { context, create, NO_OWNERS, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const MACHINE = { cpu: 2, memory: 4, duration: "3h" };
const ask = (spec: Record<string, unknown>): Outcome => admit(create(vm({ ...MACHINE, ...spec })), context(policy));
const codesOf = (outcome: Outcome): readonly string[] => (outcome.allowed ? [] : outcome.codes);
const messageOf = (outcome: Outcome): string => (outcome.allowed ? "" : outcome.message);

describe("an end that cannot be held", () => {
  it.each([
    ["a limit below the duration", { maxLifetime: "2h" }, "ADM_LIFETIME_SHORT", "at least 3h"],
    ["a limit that is no duration", { maxLifetime: "P" }, "ADM_DURATION", "spec.maxLifetime"],
    ["a time to keep a failed one that is none", { keepFailed: "soon" }, "ADM_DURATION", "spec.keepFailed"],
    ["an unknown end", { whenDone: "explode" }, "ADM_SCHEMA", "delete, stop, keep"],
    ["a deletion of what is retained", { whenDone: "delete", deletionPolicy: "retain" }, "POL_RUN_RETAINS", "stop"],
    ["a limit of what is retained", { maxLifetime: "4h", deletionPolicy: "retain" }, "POL_RUN_RETAINS", "retain"],
    ["a stop where the operator cannot", { whenDone: "stop", provider: "azure" }, "POL_RUN_STOP", "power state"],
    ["a stop where the operator cannot", { whenDone: "stop", provider: "aws" }, "POL_RUN_STOP", "never stops"],
  ])("is denied: %s", (_what, spec, code, text) => {
    const outcome = ask(spec);
    expect(codesOf(outcome)).toContain(code);
    expect(messageOf(outcome)).toContain(text);
  });

  it.each([
    ["a limit below the duration", { maxLifetime: "2h" }, "ADM_LIFETIME_SHORT"],
    ["a stop, which no provider has", { whenDone: "stop" }, "ADM_SCHEMA"],
    ["a deletion of what is retained", { whenDone: "delete", deletionPolicy: "retain" }, "POL_RUN_RETAINS"],
  ])("is denied for a cluster: %s", (_what, spec, code) => {
    const pools = [{ name: "web", cpu: 2, memory: 4 }];
    const object = { ...vm({ duration: "3h", nodePools: pools, ...spec }), kind: "KaasCluster" };
    expect(codesOf(admit({ ...create(object), kind: "KaasCluster" }, context(policy)))).toContain(code);
  });

  it("is no reason to deny a machine that may go where it can be stopped", () => {
    const object = vm({ ...MACHINE, whenDone: "stop" });
    const { spec = {} } = patched(object, admit(create(object), context(policy)));
    expect(["gcp", "elemento"]).toContain(spec["provider"]);
  });
});

describe("what apply says of the end", () => {
  const warningsOf = (spec: Record<string, unknown>): string[] => {
    const outcome = ask(spec);
    return outcome.allowed ? outcome.warnings.filter((text) => /END_/.test(text)) : [];
  };

  it("is that nothing ends it, or only its limit, and nothing where it ends", () => {
    expect(warningsOf({})).toEqual([
      expect.stringMatching(/^nothing ends it after its 3h: .*write whenDone: delete.*\[END_KEPT\]$/),
    ]);
    expect(warningsOf({ maxLifetime: "4h" })).toEqual([
      expect.stringMatching(/deleted after maxLifetime 4h \[END_AT_LIMIT\]$/),
    ]);
    expect(warningsOf({ whenDone: "delete" })).toEqual([]);
  });

  it("is which disks stay, unless everything does", () => {
    const disks = [
      { name: "data", sizeGiB: 100, deletionPolicy: "retain" },
      { name: "tmp", sizeGiB: 20, deletionPolicy: "delete" },
    ];
    const kept = (spec: Record<string, unknown>): string[] => {
      const outcome = ask({ provider: "gcp", disks, ...spec });
      return outcome.allowed ? outcome.warnings.filter((text) => text.includes("[DISK_KEPT]")) : [outcome.message];
    };
    expect(kept({ whenDone: "delete" })).toEqual([expect.stringMatching(/^data: stays at the provider .*is paid for/)]);
    expect(kept({ duration: undefined, deletionPolicy: "retain" })).toEqual([]);
  });

  it("that a disk stays is denied where it cannot", () => {
    const disks = [{ name: "data", sizeGiB: 100, deletionPolicy: "retain" }];
    const outcome = ask({ provider: "elemento", schedulingLocation: "ovh-fr-strasbourg", disks });
    expect(outcome.allowed ? [] : outcome.codes).toEqual(["POL_FEATURE"]);
  });

  it.each([
    ["without a run", { duration: undefined }, "with whenDone keep"],
    ["of a run that is kept", { maxLifetime: "4h" }, "with whenDone keep"],
    ["of a run that is stopped", { whenDone: "stop", provider: "gcp" }, "with whenDone stop"],
  ])("is that keepFailed has no effect: %s", (_what, spec, text) => {
    expect(warningsOf({ ...spec, keepFailed: "24h" }).at(-1)).toMatch(
      new RegExp(`^keepFailed 24h has no effect: ${text} .*write whenDone: delete.*\\[END_KEEP_FAILED\\]$`),
    );
  });

  it("is that the limit ends what is kept for a look", () => {
    expect(warningsOf({ whenDone: "delete", keepFailed: "24h", maxLifetime: "8h" })).toEqual([
      "keepFailed 24h is cut short by maxLifetime 8h, which counts from the start; write maxLifetime: 27h or longer, or a shorter keepFailed [END_KEEP_FAILED]",
    ]);
  });

  it("is nothing about keepFailed where a failed run is deleted", () => {
    expect(warningsOf({ whenDone: "delete", keepFailed: "24h" })).toEqual([]);
    expect(warningsOf({ whenDone: "delete", keepFailed: "24h", maxLifetime: "48h", duration: undefined })).toEqual([]);
  });

  it.each(["delete", "stop"])(
    "is that nothing but a report ends a run with whenDone %s and without a duration",
    (end) => {
      const spec = { whenDone: end, provider: "gcp", duration: undefined };
      expect(warningsOf(spec)).toEqual([
        `whenDone ${end} waits for a report (landfall.dev/completed): without a duration nothing else ends the run; add duration, for example duration: 3h [END_UNTIMED]`,
      ]);
      expect(warningsOf({ ...spec, whenDone: "keep" })).toEqual([]);
    },
  );
});

describe("the end that a namespace sets", () => {
  const inNamespace = {
    ...context(policy),
    namespace: { name: "demo", labels: {}, annotations: { "landfall.dev/when-done": "delete" } },
  };
  const stored = (spec: Record<string, unknown>): WorkloadObject => {
    const object = vm(spec);
    return patched(object, admit(create(object), inNamespace));
  };

  it("is written into runs, and not into services, nor over what the object says", () => {
    expect(stored(MACHINE).spec?.["whenDone"]).toBe("delete");
    expect(stored({ cpu: 2, memory: 4 }).spec).not.toHaveProperty("whenDone");
    expect(stored({ ...MACHINE, whenDone: "keep" }).spec?.["whenDone"]).toBe("keep");
  });
});

const condition = (type: string, status: string) => ({
  type,
  status,
  reason: "X",
  message: "",
  lastTransitionTime: "",
});
const withRun = (
  object: WorkloadObject,
  conditions: object[],
  annotations: Record<string, string>,
): WorkloadObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
  status: { conditions },
});
const RUNNING = [condition("Running", "True")];
const OVER = [condition("Running", "False"), condition("Completed", "True")];

describe("a report of a completion", () => {
  const object = vm(MACHINE);
  const fault = (before: object[] | null, old: string | null, now: string | null): string | null => {
    const annotations = (word: string | null): Record<string, string> =>
      word === null ? {} : { [ANNOTATION.completed]: word };
    const oldObject = before === null ? null : withRun(object, before, annotations(old));
    return (
      runFault(withRun(object, before ?? [], annotations(now)), oldObject, { owners: NO_OWNERS, nowSeconds: NOW })
        ?.code ?? null
    );
  };

  it.each<[string, object[] | null, string | null, string | null, string | null]>([
    ["counts once, while the run goes on", RUNNING, null, "succeeded", null],
    ["may stay and may go", RUNNING, "failed", "failed", null],
    ["may stay and may go", OVER, "failed", null, null],
    ["is refused on a new object, which is another one", null, null, "succeeded", "ADM_COMPLETED"],
    ["is refused if it is repeated with another outcome", RUNNING, "failed", "succeeded", "ADM_COMPLETED"],
    ["is refused when the run is over", OVER, null, "succeeded", "ADM_COMPLETED"],
    ["is refused before the run", [], null, "succeeded", "ADM_COMPLETED"],
    ["is refused with any other word", RUNNING, null, "done", "ADM_COMPLETED"],
  ])("%s", (_what, ...asked) => {
    const [before, old, now, code] = asked;
    expect(fault(before, old, now)).toBe(code);
  });
});

describe("a report of a completion while its machine is off", () => {
  it("counts in a planned pause and while it waits for another spot machine, by the controller's record", () => {
    const off = [condition("Running", "False")];
    const now = withRun(vm(MACHINE), off, { [ANNOTATION.completed]: "succeeded" });
    const codeOf = (standing: "running" | "over") =>
      runFault(now, withRun(vm(MACHINE), off, {}), {
        owners: { ...NO_OWNERS, runOf: () => standing },
        nowSeconds: NOW,
      })?.code;
    expect([codeOf("running"), codeOf("over")]).toEqual([undefined, "ADM_COMPLETED"]);
  });
});

describe("another run on a machine with a limit", () => {
  const fault = (spec: Record<string, unknown>, hours: number, next?: WorkloadObject) => {
    const object = vm({ ...MACHINE, maxLifetime: "4h", ...spec });
    const began = { startedAt: NOW, firstStartedAt: NOW };
    const owners = { ...NO_OWNERS, runOf: () => "over" as const, beganOf: () => began };
    const asked = withRun(next ?? object, OVER, { [ANNOTATION.run]: "2" });
    return runFault(asked, withRun(object, OVER, {}), { owners, nowSeconds: NOW + hours * HOUR_SECONDS });
  };

  it("is denied if the machine has to go before it would be done", () => {
    expect(fault({}, 1)).toBeNull();
    expect(fault({}, 2)).toMatchObject({
      code: "ADM_RUN_SHORT",
      params: { duration: "3h", maxLifetime: "4h", needed: "6h", ends: formatTime(NOW + 4 * HOUR_SECONDS) },
    });
  });

  it("is denied where only the next run is to stop it: a machine that was kept works on", () => {
    const stopping = vm({ ...MACHINE, maxLifetime: "4h", whenDone: "stop" });
    expect(fault({ whenDone: "keep" }, 3.9, stopping)).toMatchObject({ code: "ADM_RUN_SHORT" });
  });

  it("is not denied where the limit begins again, with a longer limit, or without one", () => {
    expect(fault({ whenDone: "stop" }, 3.9)).toBeNull();
    expect(fault({ maxLifetime: "8h" }, 3.9)).toBeNull();
    expect(fault({ maxLifetime: undefined }, 3.9)).toBeNull();
  });
});

it("the denial of another run promises no end that never comes", () => {
  const { remedy } = describeError("ADM_RUN_ACTIVE", { annotation: ANNOTATION.run });
  expect(remedy).not.toContain("or wait for it");
  expect(remedy).toContain("time alone ends none with whenDone: keep, but at maxLifetime");
});

describe("a run whose resources are being deleted", () => {
  it("allows no other run before they are gone, whatever whenDone says", () => {
    const object = vm({ ...MACHINE, whenDone: "keep" });
    const faultWhile = (isDeleting: object) => {
      const began = { startedAt: NOW, firstStartedAt: NOW, ...isDeleting };
      const owners = { ...NO_OWNERS, runOf: () => "over" as const, beganOf: () => began };
      const asked = withRun(object, OVER, { [ANNOTATION.run]: "2" });
      return runFault(asked, withRun(object, OVER, {}), { owners, nowSeconds: NOW })?.code;
    };
    expect(faultWhile({ isDeleting: true })).toBe("ADM_RUN_ACTIVE");
    expect(faultWhile({})).toBeUndefined();
  });
});

describe("landfall.dev/repair", () => {
  const repaired = (word: string | null): WorkloadObject =>
    vm(MACHINE, word === null ? {} : { annotations: { [ANNOTATION.repair]: word } });

  it.each<[string, string | null | undefined, string | null, string | null]>([
    ["takes auto", undefined, "auto", null],
    ["takes never", null, "never", null],
    ["takes recreate", "never", "recreate", null],
    ["may be absent", "recreate", null, null],
    ["refuses another word on a new object", undefined, "always", "ADM_REPAIR"],
    ["refuses another word in an update", "never", "Never", "ADM_REPAIR"],
    ["refuses no word at all", null, "", "ADM_REPAIR"],
    ["keeps what was there before", "always", "always", null],
  ])("%s", (_what, before, now, code) => {
    const oldObject = before === undefined ? null : repaired(before);
    expect(runFault(repaired(now), oldObject, { owners: NO_OWNERS, nowSeconds: NOW })?.code ?? null).toBe(code);
  });
});

describe("another run", () => {
  const first = vm({ ...MACHINE, whenDone: "delete" });
  const stored = { ...patched(first, admit(create(first), context(policy))) };
  const created = { ...stored, metadata: { ...stored.metadata, creationTimestamp: formatTime(NOW) } };

  it("cannot be asked for while the present one goes on", () => {
    const old = withRun(created, RUNNING, {});
    expect(
      runFault(withRun(created, RUNNING, { [ANNOTATION.run]: "2" }), old, { owners: NO_OWNERS, nowSeconds: NOW })?.code,
    ).toBe("ADM_RUN_ACTIVE");
  });

  it("is decided anew, without the last one's report", () => {
    const old = withRun(created, OVER, { [ANNOTATION.completed]: "succeeded" });
    const next = withRun(old, OVER, { [ANNOTATION.run]: "2" });
    const owners = { ...NO_OWNERS, ownerOf: () => old.metadata.uid ?? null, runOf: () => "gone" as const };
    const later = { ...context(policy, NOW + 30 * HOUR_SECONDS), owners };
    const outcome = admit(update(old, next), later);
    const result = patched(next, outcome);
    expect(result.metadata.annotations).not.toHaveProperty([ANNOTATION.completed]);
    const start = Date.parse(String(result.spec?.["schedulingTime"])) / 1000;
    expect(start).toBeGreaterThanOrEqual(NOW + 30 * HOUR_SECONDS - 3600);
  });

  it.each<[string, string | null, string | null]>([
    ["a manifest without landfall.dev/run", "2", null],
    ["an empty landfall.dev/run", "2", ""],
    ["an empty landfall.dev/run, where there was none", null, ""],
  ])("is not started by %s", (_what, before, now) => {
    const annotated = (value: string | null): Record<string, string> =>
      value === null ? {} : { [ANNOTATION.run]: value };
    const { spec, metadata } = created;
    const old = withRun(created, OVER, annotated(before));
    const owners = { ...NO_OWNERS, ownerOf: () => old.metadata.uid ?? null, runOf: () => "gone" as const };
    const next = { ...withRun({ ...first, metadata: { ...metadata, annotations: {} } }, OVER, annotated(now)) };
    const later = { ...context(policy, NOW + 30 * HOUR_SECONDS), owners };
    const result = patched(next, admit(update(old, next), later));
    expect(result.spec).toEqual(spec);
    expect(result.metadata.annotations?.[ANNOTATION.run]).toBe(before ?? undefined);
    expect(result.metadata.annotations?.[ANNOTATION.decision]).toBe(metadata.annotations?.[ANNOTATION.decision]);
  });

  it("is not started by applying the object again", () => {
    const old = withRun(created, OVER, {});
    const outcome = admit(
      update(old, { ...old, spec: { ...MACHINE, whenDone: "delete" } }),
      context(policy, NOW + HOUR_SECONDS),
    );
    expect(patched({ ...old, spec: { ...MACHINE, whenDone: "delete" } }, outcome).spec).toEqual(created.spec);
  });
});

describe("a change that ends a run", () => {
  const changedWhile =
    (owners: DecisionOwners) =>
    (from: object, to: object, hours: number, code = "END_NOW") => {
      const run = code === "END_OVER" ? OVER : RUNNING;
      const object = vm({ ...MACHINE, ...from });
      const stored = withRun(patched(object, admit(create(object), context(policy))), run, {});
      const account = run === OVER ? { run: { ended: formatTime(NOW) } } : {};
      const old = { ...stored, status: { ...(stored.status as object), managed: [{}], ...account } };
      const outcome = admit(
        update(old, { ...old, spec: { ...old.spec, ...to } }),
        context(policy, NOW + hours * HOUR_SECONDS, owners),
      );
      return outcome.allowed ? outcome.warnings.filter((text) => text.includes(`[${code}]`)) : [outcome.message];
    };
  const changed = changedWhile(NO_OWNERS);

  it.each<[string, { from?: object; to: object; hours: number; told: number }]>([
    ["a shorter duration", { from: { whenDone: "delete" }, to: { duration: "1h" }, hours: 2, told: 1 }],
    ["keep becomes delete on an overdue run", { to: { whenDone: "delete" }, hours: 4, told: 1 }],
    [
      "a shorter duration that is still ahead",
      { from: { whenDone: "delete" }, to: { duration: "150m" }, hours: 2, told: 0 },
    ],
    ["a shorter duration of what is kept", { to: { duration: "1h" }, hours: 2, told: 0 }],
    ["keep becomes delete in time", { to: { whenDone: "delete" }, hours: 2, told: 0 }],
    ["a limit that is reached already", { from: { maxLifetime: "8h" }, to: { maxLifetime: "4h" }, hours: 5, told: 1 }],
    ["a limit that is still ahead", { from: { maxLifetime: "8h" }, to: { maxLifetime: "6h" }, hours: 5, told: 0 }],
  ])("is told: %s", (_what, { from = {}, to, hours, told }) => {
    expect(changed({ provider: "azure", ...from }, to, hours)).toHaveLength(told);
  });

  it.each<[string, { from?: object; to: object; minutes: number; told: string[] }]>([
    [
      "a limit",
      { from: { maxLifetime: "8h" }, to: { maxLifetime: "4h" }, minutes: 230, told: ["maxLifetime of 4h is reached"] },
    ],
    [
      "a duration",
      { from: { whenDone: "delete" }, to: { duration: "2h" }, minutes: 110, told: ["duration of 2h is over"] },
    ],
    ["a deletion", { to: { whenDone: "delete" }, minutes: 170, told: ["duration of 3h is over"] }],
    ["not a later limit", { from: { maxLifetime: "3h" }, to: { maxLifetime: "190m" }, minutes: 177, told: [] }],
    ["not one that is far ahead", { from: { maxLifetime: "8h" }, to: { maxLifetime: "4h" }, minutes: 220, told: [] }],
  ])("is told with its time, if that is minutes ahead: %s", (_what, { from = {}, to, minutes, told }) => {
    const at = told.map((text) => {
      const hours = Number(/\d/.exec(text)?.[0]);
      return `its ${text} at ${formatTime(NOW + hours * HOUR_SECONDS)}, so that the run ends then: its resources are deleted after the grace (15 minutes by default) [END_SOON]`;
    });
    expect(changed({ provider: "azure", ...from }, to, minutes / 60, "END_SOON")).toEqual(at);
  });

  it("says what a limit that is reached does, once", () => {
    const from = { provider: "azure", maxLifetime: "8h", whenDone: "delete" };
    const told = changed(from, { maxLifetime: "2h", duration: "1h" }, 3);
    expect(told).toEqual([
      "its maxLifetime of 2h is reached already, so that the run ends now: its resources are deleted after the grace (15 minutes by default) [END_NOW]",
    ]);
  });

  it("is told of a service that becomes a run, from when it began", () => {
    const service = { provider: "azure", duration: undefined };
    const [told, ...more] = changed(service, { duration: "3h", whenDone: "delete" }, 240);
    expect(more).toEqual([]);
    expect(told).toMatch(/^its duration of 3h is over already, so that the run ends now: .* after the grace/);
    expect(changed(service, { maxLifetime: "24h" }, 240)).toHaveLength(1);
    expect(changed(service, { maxLifetime: "24h" }, 20)).toEqual([]);
  });

  it("goes by the start of the present run, as its controller recorded it", () => {
    const object = vm({ ...MACHINE, provider: "azure", whenDone: "delete" });
    const old = withRun(patched(object, admit(create(object), context(policy))), RUNNING, {});
    const stored = { ...old, status: { ...(old.status as object), managed: [{}] } };
    const startedAt = NOW + 20 * HOUR_SECONDS;
    const owners = { ...NO_OWNERS, beganOf: () => ({ startedAt, firstStartedAt: NOW }) };
    const at = { ...context(policy, NOW + 21 * HOUR_SECONDS), owners };
    const outcome = admit(update(stored, { ...stored, spec: { ...stored.spec, duration: "4h" } }), at);
    expect(outcome.allowed && outcome.warnings.filter((text) => text.includes("[END_"))).toEqual([]);
  });

  it("does not come from a default of the platform that came later", () => {
    const namespace = { name: "demo", labels: {}, annotations: { "landfall.dev/when-done": "delete" } };
    const fresh = admit(create(vm({ ...MACHINE, provider: "azure" })), { ...context(policy), namespace });
    expect(patched(vm(MACHINE), fresh).spec).toMatchObject({ whenDone: "delete" });
    for (const spec of [MACHINE, { cpu: 2, memory: 4 }]) {
      const object = vm({ ...spec, provider: "azure" });
      const old = withRun(patched(object, admit(create(object), context(policy))), RUNNING, {});
      const stored = { ...old, status: { ...(old.status as object), managed: [{}] } };
      const next = { ...stored, spec: { ...stored.spec, duration: "3h", tags: { team: "a" } } };
      const outcome = admit(update(stored, next), { ...context(policy, NOW + 4 * HOUR_SECONDS), namespace });
      expect(outcome.allowed, messageOf(outcome)).toBe(true);
      expect(patched(next, outcome).spec).not.toHaveProperty("whenDone");
    }
  });

  it("is told where the run then misses its deadline, and only then", () => {
    const deadline = formatTime(NOW + 6 * HOUR_SECONDS);
    const from = { provider: "azure", whenDone: "delete", deadline, maxWait: "0h" };
    const [late, ...more] = changed(from, { duration: "8h" }, 1, "END_LATE");
    expect(more).toEqual([]);
    expect(late).toMatch(/^the run began .* and ends .*, after its deadline .*: write a later deadline, or/);
    expect(changed(from, { duration: "4h" }, 1, "END_LATE")).toEqual([]);
    expect(changed(from, { deadline: formatTime(NOW + 2 * HOUR_SECONDS) }, 1, "END_LATE")).toHaveLength(1);
  });

  it("has no effect on a deletion that has begun, and apply says so", () => {
    const began = { startedAt: NOW, firstStartedAt: NOW, isDeleting: true as const };
    const owners = { ...NO_OWNERS, runOf: () => "over" as const, beganOf: () => began };
    const from = { provider: "azure", whenDone: "delete" };
    for (const to of [{ whenDone: "keep" }, { maxLifetime: "50h" }]) {
      const [told, ...more] = changedWhile(owners)(from, to, 4, "END_OVER");
      expect(more).toEqual([]);
      expect(told).toMatch(/^its run is over since .*, and its resources are being deleted: this continues/);
    }
  });

  describe("of a run that is over and kept, whose machine goes by it", () => {
    const over = (from: object, to: object, hours: number, outcome = "Completed"): readonly string[] => {
      const object = vm({ ...MACHINE, provider: "gcp", ...from });
      const conditions = [condition("Running", "False"), condition(outcome, "True")];
      const stored = withRun(patched(object, admit(create(object), context(policy))), conditions, {});
      const run = { ended: formatTime(NOW + HOUR_SECONDS) };
      const old = { ...stored, status: { ...(stored.status as object), managed: [{}], run } };
      const began = { startedAt: NOW, firstStartedAt: NOW };
      const owners = { ...NO_OWNERS, runOf: () => "over" as const, beganOf: () => began };
      const spec = Object.fromEntries(Object.entries({ ...old.spec, ...to }).filter(([, value]) => value !== null));
      const at = context(policy, NOW + hours * HOUR_SECONDS, owners);
      const answer = admit(update(old, { ...old, spec }), at);
      return answer.allowed ? answer.warnings.filter((text) => text.includes("[END_")) : [answer.message];
    };
    const since = `its run is over since ${formatTime(NOW + HOUR_SECONDS)}`;
    const gone = "its resources are deleted after the grace (15 minutes by default)";

    it.each<[string, object, object, string]>([
      ["a maxLifetime that is reached", {}, { maxLifetime: "4h" }, `, and maxLifetime 4h is reached: ${gone}`],
      ["a shorter one", { maxLifetime: "9h" }, { maxLifetime: "4h" }, `, and maxLifetime 4h is reached: ${gone}`],
      [
        "no stop with a limit that is reached",
        { whenDone: "stop", maxLifetime: "4h" },
        { whenDone: "keep" },
        `, and maxLifetime 4h is reached: ${gone}`,
      ],
      ["a deletion", {}, { whenDone: "delete" }, `: ${gone}`],
    ])("is told: %s", (_what, from, to, text) => {
      expect(over(from, to, 5)).toEqual([`${since}${text} [END_NOW]`]);
    });

    it("is told: a shorter keepFailed, or none, of a failed run", () => {
      const from = { whenDone: "delete", keepFailed: "24h" };
      expect(over(from, { keepFailed: "2h" }, 5, "Failed")).toEqual([
        `${since}, and keepFailed 2h is reached: ${gone} [END_NOW]`,
      ]);
      expect(over(from, { keepFailed: null }, 5, "Failed")).toEqual([`${since}: ${gone} [END_NOW]`]);
      const at13 = formatTime(NOW + 13 * HOUR_SECONDS);
      expect(over(from, { keepFailed: "12h" }, 5, "Failed")).toEqual([
        `${since}: its resources are deleted at ${at13}, after keepFailed 12h [END_NOW]`,
      ]);
      expect(over(from, { keepFailed: "48h" }, 5, "Failed")).toEqual([]);
      expect(over(from, { keepFailed: "2h" }, 5)).toEqual([]);
    });

    it("is told with its time, where that is ahead", () => {
      const failed = { keepFailed: "24h" };
      const at25 = formatTime(NOW + 25 * HOUR_SECONDS);
      expect(over(failed, { whenDone: "delete" }, 5, "Failed")).toEqual([
        `${since}: its resources are deleted at ${at25}, after keepFailed 24h [END_NOW]`,
      ]);
      expect(over({}, { maxLifetime: "9h" }, 5)).toEqual([
        `${since}: its resources are deleted at ${formatTime(NOW + 9 * HOUR_SECONDS)}, after maxLifetime 9h [END_AT_LIMIT]`,
      ]);
      expect(over({ maxLifetime: "9h" }, { maxLifetime: "12h" }, 5)).toEqual([]);
    });
  });

  it("has no effect after the end, and apply says so, but for a machine that is stopped or another run", () => {
    const from = { provider: "azure", whenDone: "delete" };
    const size = { cpu: 4, memory: 8 };
    const [told, ...more] = changed(from, { ...size }, 4, "END_OVER");
    expect(more).toEqual([]);
    expect(told).toMatch(/^its run is over since .*: nothing is changed for it any more; .*landfall\.dev\/run/);
    expect(changed(from, {}, 4, "END_OVER")).toEqual([]);
    expect(changed({ provider: "gcp", whenDone: "stop" }, size, 4, "END_OVER")).toEqual([]);
  });
});
