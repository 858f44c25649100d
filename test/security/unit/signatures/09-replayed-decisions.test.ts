import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import { isPaused } from "../../../../src/model/decision-annotation/pause.ts";
import { signDecision, verifyDecision } from "../../../../src/model/decision-annotation/signature.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { formatTime, parseTime } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { NOW, vm } from "../../../support/admission.ts";
import { copyOf, keys, openStore, placeOf } from "../../../support/admission-store.ts";
import type { LoadedBundle } from "../../../../src/policy/loaded-bundle.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const bundle = await loadPolicy();
const cluster = (annotations: Record<string, string> = {}, policy = bundle) => openStore(policy, annotations);

/** The same policies, with so many vCPUs for each place. */
function withBudget(vcpus: number): LoadedBundle {
  return {
    ...bundle,
    evaluate(input) {
      const result = bundle.evaluate(input);
      return { ...result, schedule: { ...result.schedule, budgets: { ...result.schedule.budgets, vcpus } } };
    },
  };
}

const generated = (spec: object = {}): WorkloadObject => {
  const object = vm({ cpu: 2, memory: 4, ...spec }, { generateName: "web-" });
  delete object.metadata.name;
  return object;
};

const idOf = (object: WorkloadObject) => verifyDecision(keys, object)?.signature.id;
const useOf = (object: WorkloadObject) => verifyDecision(keys, object)?.signature.use;

describe("9: a decision that is copied", () => {
  it("to another name of the same prefix is made again, with its own nonce", () => {
    const { create, clock } = cluster();
    const first = create(generated());
    for (const later of [1, 3600]) {
      clock.nowSeconds += later;
      const copy = create(copyOf(first.object, { name: undefined as never }));
      expect(copy.allowed).toBe(true);
      expect(idOf(copy.object)).not.toBe(idOf(first.object));
      expect(idOf(copy.object)).toMatch(/^[0-9a-f]{32}$/);
    }
  });

  it("does not pass a full budget", () => {
    const { create, clock } = cluster({}, withBudget(3));
    const spec = { cpu: 2, memory: 4, provider: "azure", schedulingLocation: "italynorth" };
    const first = create(generated(spec));
    expect(first.allowed).toBe(true);
    expect(create(generated(spec)).message).toContain("PLACEMENT_BUDGET");
    for (const later of [1, 59, 240, 3600]) {
      clock.nowSeconds += later;
      expect(create(copyOf(first.object, { name: undefined as never })).message).toContain("PLACEMENT_BUDGET");
    }
  });

  it("does not pass a deadline", () => {
    const { create, remove, clock } = cluster();
    const first = create(vm({ cpu: 2, memory: 4, duration: "1h", deadline: formatTime(NOW + 7200) }));
    expect(first.allowed).toBe(true);
    remove(first.object);
    clock.nowSeconds += 7200;
    expect(create(copyOf(first.object)).message).toContain("ADM_DEADLINE_PAST");
  });

  it("does not bring its start, its place and its pause as if the user had written them", () => {
    const { create, clock } = cluster();
    const first = create(generated({ duration: "1h", deadline: formatTime(NOW + 86_400) }));
    clock.nowSeconds += 600;
    const copy = create(copyOf(first.object, { name: undefined as never }));
    const fresh = create(generated({ duration: "1h", deadline: formatTime(NOW + 86_400) }));
    expect(readDecision(copy.object)?.written).toEqual(readDecision(fresh.object)?.written);
    const held = readDecision(copy.object)?.held === true;
    expect([useOf(copy.object), isPaused(copy.object)]).toEqual(["create", held]);
  });

  it("is refused by the guard if it was signed at another time, for another uid, or by an earlier version", () => {
    const { create, ask, clock } = cluster();
    const { object } = create(vm({ cpu: 2, memory: 4 }));
    const validate = (changes: Partial<WorkloadObject["metadata"]>) =>
      ask("/validate", { ...object, metadata: { ...object.metadata, ...changes } });
    expect(validate({}).allowed).toBe(true);
    const later = formatTime(clock.nowSeconds + 301);
    expect(validate({ creationTimestamp: later }).status?.message).toContain("ADM_DECISION_REPLAYED");
    const compact = object.metadata.annotations?.[ANNOTATION.decision] ?? "";
    const claim = { use: "uid", at: NOW, id: randomUUID() } as const;
    const signature = signDecision(keys, object, compact, claim);
    const annotations = { ...object.metadata.annotations, [ANNOTATION.seal]: signature };
    expect(validate({ annotations }).status?.message).toContain("ADM_DECISION_REPLAYED");
  });

  it("is refused by the guard once it is bound to another object", () => {
    const { create, ask, clusterData } = cluster();
    const { object } = create(vm({ cpu: 2, memory: 4 }), { seen: false });
    clusterData.apply({ type: "binding", id: String(idOf(object)), uid: randomUUID() });
    expect(ask("/validate", object).status?.message).toContain("ADM_DECISION_REPLAYED");
    clusterData.apply({ type: "binding", id: String(idOf(object)), uid: object.metadata.uid ?? "" });
    expect(ask("/validate", object).allowed).toBe(true);
  });
});

describe("9: an object that is deleted and created again within seconds, before a controller bound its nonce", () => {
  const ITALY = { cpu: 2, memory: 4, provider: "azure", schedulingLocation: "italynorth" };
  const withoutPause = (object: WorkloadObject): WorkloadObject => {
    const { [ANNOTATION.paused]: _, ...annotations } = object.metadata.annotations ?? {};
    return copyOf(object, { annotations });
  };

  it.each([
    ["", (spec: object) => vm({ ...spec }, { name: "again" })],
    [" with a generated name", generated],
  ])("does not pass budgets that are full by then%s", (_, make) => {
    const { create, remove, clock } = cluster({}, withBudget(2));
    const first = create(make(ITALY)).object;
    remove(first);
    clock.nowSeconds += 1;
    expect(create(vm(ITALY, { name: "other" })).allowed).toBe(true);
    expect(create(copyOf(first)).message).toContain("PLACEMENT_BUDGET");
    const unnamed = copyOf(first);
    if (unnamed.metadata.generateName !== undefined) delete unnamed.metadata.name;
    expect(create(unnamed).message).toContain("PLACEMENT_BUDGET");
  });

  it.each([
    ["a planned time", { schedulingTime: formatTime(NOW + 86_400) }],
    ["a better hour", { duration: "1h", maxLatency: 300, deadline: formatTime(NOW + 86_400), waitingCostPercent: 0 }],
  ])("does not start without its pause before %s", (_, spec) => {
    const { create, remove, clock } = cluster();
    const first = create(vm({ cpu: 2, memory: 4, ...spec })).object;
    remove(first);
    clock.nowSeconds += 1;
    const { object } = create(withoutPause(first));
    const { held, placement } = readDecision(object) ?? {};
    expect([isPaused(object), held]).toEqual([true, true]);
    expect(parseTime(placement?.start ?? "")).toBeGreaterThan(clock.nowSeconds);
  });

  it("is refused by the guard if its pause is missing before its start, and not after it", () => {
    const { create, ask, clock } = cluster();
    const first = create(vm({ cpu: 2, memory: 4, schedulingTime: formatTime(NOW + 60) })).object;
    const { annotations = {} } = withoutPause(first).metadata;
    const resumed = { ...first, metadata: { ...first.metadata, annotations } };
    const update = { operation: "UPDATE", oldObject: first };
    for (const fields of [{}, update])
      expect(ask("/validate", resumed, fields).status?.message).toContain("krateo.io/paused");
    expect(ask("/validate", resumed, { ...update, oldObject: resumed }).allowed).toBe(true);
    clock.nowSeconds += 60;
    for (const fields of [{}, update]) expect(ask("/validate", resumed, fields).allowed).toBe(true);
  });

  it("gets its pause back if its release is there", () => {
    const { create, remove, install, clock } = cluster();
    const first = create(vm({ cpu: 2, memory: 4, schedulingTime: formatTime(NOW + 86_400) })).object;
    install(first);
    remove(first);
    clock.nowSeconds += 100;
    expect(isPaused(create(withoutPause(first)).object)).toBe(true);
  });
});

describe("9: a copy that got past the webhook", () => {
  const copied = (first: WorkloadObject): WorkloadObject => ({
    ...first,
    metadata: { ...first.metadata, name: "web-clone", uid: randomUUID() },
  });

  it("is decided like a new object when it is changed, and not as one that runs", () => {
    const { create, update, remove, clusterData, clock } = cluster({}, withBudget(3));
    const spec = { memory: 4, provider: "azure", schedulingLocation: "italynorth" };
    const first = create(generated({ ...spec, cpu: 2 })).object;
    clusterData.apply({ type: "binding", id: String(idOf(first)), uid: first.metadata.uid ?? "" });
    const copy = copied(first);
    expect(update(copy, { ...copy, spec: { ...copy.spec, cpu: 1 } }).message).toBe("");
    expect(update(copy, { ...copy, spec: { ...copy.spec, memory: 8 } }).message).toContain("PLACEMENT_BUDGET");
    const annotations = { ...copy.metadata.annotations, [ANNOTATION.reevaluate]: "1" };
    expect(update(copy, { ...copy, metadata: { ...copy.metadata, annotations } }).message).toContain(
      "PLACEMENT_BUDGET",
    );
    remove(first);
    clock.nowSeconds += 60;
    const again = update(copy, { ...copy, metadata: { ...copy.metadata, annotations } });
    expect(useOf(again.object)).toBe("uid");
    expect(idOf(again.object)).toBe(copy.metadata.uid);
    expect(readDecision(again.object)?.placement.start).toBe(formatTime(clock.nowSeconds));
  });

  it("is not signed for its uid by a change of labels", () => {
    const { create, update } = cluster();
    const first = create(generated()).object;
    const copy = copied(first);
    const labelled = update(copy, { ...copy, metadata: { ...copy.metadata, labels: { a: "b" } } });
    expect(labelled.allowed).toBe(true);
    expect(useOf(labelled.object)).toBe("create");
  });
});

describe("9: an update", () => {
  it("is signed for the uid of the object", () => {
    const { create, update } = cluster();
    const { object } = create(vm({ cpu: 2, memory: 4 }));
    const { object: changed } = update(object, { ...object, spec: { ...object.spec, cpu: 4 } });
    expect([useOf(changed), idOf(changed)]).toEqual(["uid", object.metadata.uid]);
    const other = { ...changed, metadata: { ...changed.metadata, uid: randomUUID() } };
    expect(update(other, { ...other, metadata: { ...other.metadata, labels: { a: "b" } } }).allowed).toBe(true);
  });

  it("does not bring back an earlier decision of the same object", () => {
    const { create, update, clock, ask } = cluster();
    const { object } = create(vm({ cpu: 2, memory: 4 }));
    const small = update(object, { ...object, spec: { ...object.spec, cpu: 4 } }).object;
    clock.nowSeconds += 3;
    const large = update(small, { ...small, spec: { ...small.spec, cpu: 8 } }).object;
    const replayed = { ...small, metadata: { ...small.metadata } };
    const review = ask("/validate", replayed, { operation: "UPDATE", oldObject: large });
    expect(review.status?.message).toContain("ADM_DECISION_REPLAYED");
    clock.nowSeconds += 3600;
    const late = ask("/validate", replayed, { operation: "UPDATE", oldObject: object });
    expect(late.status?.message).toContain("ADM_DECISION_REPLAYED");
  });
});

describe("9: a dry run", () => {
  it("answers as before, and signs for no object that is stored", () => {
    const { create, ask } = cluster();
    const preview = create(vm({ cpu: 2, memory: 4 }), { dryRun: true });
    expect(preview.allowed).toBe(true);
    expect(useOf(preview.object)).toBe("preview");
    expect(ask("/validate", preview.object).status?.message).toContain("ADM_DECISION_REPLAYED");
    const real = create(copyOf(preview.object));
    expect(real.allowed).toBe(true);
    expect([useOf(real.object), readDecision(real.object)?.written]).toEqual([
      "create",
      readDecision(preview.object)?.written,
    ]);
  });

  it("signs for no object that is stored, also where a release of its name is recorded", () => {
    const { create, install, ask } = cluster();
    const preview = create(vm({ cpu: 2, memory: 4 }), { dryRun: true }).object;
    install(preview);
    expect(ask("/validate", preview).status?.message).toContain("ADM_DECISION_REPLAYED");
    expect(useOf(create(copyOf(preview)).object)).toBe("create");
  });

  it("does not pass budgets and deadlines that were free at that time", () => {
    const { create, clock } = cluster();
    const spec = { cpu: 2, memory: 4, duration: "1h", deadline: formatTime(NOW + 7200) };
    const preview = create(vm(spec), { dryRun: true });
    clock.nowSeconds += 7200;
    expect(create(copyOf(preview.object)).message).toContain("ADM_DEADLINE_PAST");
  });

  it("of an update is not accepted for the update itself", () => {
    const { create, update, ask } = cluster();
    const { object } = create(vm({ cpu: 2, memory: 4 }));
    const preview = update(object, { ...object, spec: { ...object.spec, cpu: 4 } }, { dryRun: true });
    expect([preview.allowed, useOf(preview.object)]).toEqual([true, "preview"]);
    const review = ask("/validate", preview.object, { operation: "UPDATE", oldObject: object });
    expect(review.status?.message).toContain("ADM_DECISION_REPLAYED");
    expect(useOf(update(object, preview.object).object)).toBe("uid");
  });
});

describe("9: a second call for the same request", () => {
  const relabelled = (object: WorkloadObject): WorkloadObject => ({
    ...object,
    metadata: { ...object.metadata, labels: { "other/webhook": "was-here" } },
  });

  it.each([
    ["a creation", vm({ cpu: 2, memory: 4 }), {}],
    ["one with a generated name", generated(), {}],
    ["a dry run", vm({ cpu: 2, memory: 4 }), { dryRun: true }],
    ["one that starts later", vm({ cpu: 2, memory: 4, duration: "1h", deadline: formatTime(NOW + 86_400) }), {}],
  ])("changes nothing of %s", (_, object, fields) => {
    const { mutate, ask, clock } = cluster({ "landfall.dev/quota-objects": "1" });
    const first = mutate(object, fields);
    expect(first.patch).not.toEqual([]);
    clock.nowSeconds += 2;
    const second = mutate(relabelled(first.next), fields);
    expect([second.response.allowed, second.patch]).toEqual([true, []]);
    const metadata = { ...second.next.metadata, name: second.next.metadata.name ?? "web-abcde", uid: randomUUID() };
    const creationTimestamp = formatTime(clock.nowSeconds);
    expect(ask("/validate", { ...second.next, metadata: { ...metadata, creationTimestamp } }, fields).allowed).toBe(
      true,
    );
  });

  it("gives the same patch for the same review", () => {
    const { mutate } = cluster();
    const [one, two] = [1, 2].map(() => mutate(vm({ cpu: 2, memory: 4 }), { uid: "the-same" }).patch);
    expect(one).toEqual(two);
  });

  it("changes nothing of an update", () => {
    const { create, mutate, clock } = cluster();
    const { object } = create(vm({ cpu: 2, memory: 4 }));
    const fields = { operation: "UPDATE", oldObject: object };
    const first = mutate({ ...object, spec: { ...object.spec, cpu: 4 } }, fields);
    expect(first.patch).not.toEqual([]);
    clock.nowSeconds += 2;
    expect(mutate(relabelled(first.next), fields).patch).toEqual([]);
  });
});

describe("9: an object that is restored from a backup", () => {
  it("keeps its decision where its release is recorded, and reserves", () => {
    const { create, mutate, remove, install, clock, clusterData } = cluster({ "landfall.dev/quota-objects": "1" });
    const { object } = create(vm({ cpu: 2, memory: 4 }));
    install(object);
    remove(object);
    clock.nowSeconds += 86_400;
    clusterData.apply({ type: "seen", at: clock.nowSeconds });
    expect(mutate(copyOf(object)).response.allowed).toBe(true);
    expect(clusterData.around({ key: "", namespace: "demo", vmName: null }, clock.nowSeconds)?.usage.objects).toBe(1);
    const restored = create(copyOf(object), { seen: false });
    expect([restored.allowed, restored.patch]).toEqual([true, []]);
    expect(create(vm({ cpu: 2, memory: 4 }, { name: "b" })).message).toContain("POL_QUOTA");
  });

  it("keeps one that an update signed", () => {
    const { create, update, remove, install, clock } = cluster();
    const { object } = create(vm({ cpu: 2, memory: 4 }));
    const { object: changed } = update(object, { ...object, spec: { ...object.spec, cpu: 4 } });
    install(changed);
    remove(changed);
    clock.nowSeconds += 86_400;
    expect(create(copyOf(changed)).patch).toEqual([]);
  });

  it.each([
    ["without a release", (): boolean => false],
    ["with a release in another place", (): boolean => true],
  ])("is decided again %s", (_, elsewhere) => {
    const { create, remove, clock, clusterData } = cluster();
    const { object } = create(vm({ cpu: 2, memory: 4 }));
    const place = elsewhere() ? "aws/nowhere" : placeOf(object);
    const installed = {
      kind: "VmTemplate",
      namespace: "demo",
      name: elsewhere() ? "web" : "another",
      place,
      uid: "",
      release: "",
      running: [],
    };
    clusterData.apply({ type: "release", record: "landfall.release.demo.x", installed });
    remove(object);
    clock.nowSeconds += 86_400;
    const restored = create(copyOf(object));
    expect(restored.allowed).toBe(true);
    expect(idOf(restored.object)).not.toBe(idOf(object));
    expect(readDecision(restored.object)?.placement.start).toBe(formatTime(clock.nowSeconds));
  });
});
