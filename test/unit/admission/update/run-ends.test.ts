import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { runFault } from "../../../../src/admission/guard-run.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { formatTime, HOUR_SECONDS } from "../../../../src/model/time.ts";
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
      "keepFailed 24h is cut short by maxLifetime 8h, which counts from the start; write a maxLifetime of more than 24h, or a shorter keepFailed [END_KEEP_FAILED]",
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
    return runFault(withRun(object, before ?? [], annotations(now)), oldObject, NO_OWNERS)?.code ?? null;
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
    expect(runFault(repaired(now), oldObject, NO_OWNERS)?.code ?? null).toBe(code);
  });
});

describe("another run", () => {
  const first = vm({ ...MACHINE, whenDone: "delete" });
  const stored = { ...patched(first, admit(create(first), context(policy))) };
  const created = { ...stored, metadata: { ...stored.metadata, creationTimestamp: formatTime(NOW) } };

  it("cannot be asked for while the present one goes on", () => {
    const old = withRun(created, RUNNING, {});
    expect(runFault(withRun(created, RUNNING, { [ANNOTATION.run]: "2" }), old, NO_OWNERS)?.code).toBe("ADM_RUN_ACTIVE");
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

  it("is not started by applying the object again", () => {
    const old = withRun(created, OVER, {});
    const outcome = admit(
      update(old, { ...old, spec: { ...MACHINE, whenDone: "delete" } }),
      context(policy, NOW + HOUR_SECONDS),
    );
    expect(patched({ ...old, spec: { ...MACHINE, whenDone: "delete" } }, outcome).spec).toEqual(created.spec);
  });
});
