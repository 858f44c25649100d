import jsonPatch, { type Operation } from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { createClusterData, workloadKey } from "../../../../src/external-data/cluster-data.ts";
import { readDecided } from "../../../../src/external-data/read-decided.ts";
import { ringOf } from "../../../../src/model/decision-annotation/key-ring.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { formatTime } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { makeAnswers } from "../../../../webhook/decisions/process/make-answers.ts";
import { NOW, reviewOf, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";
import { withBudgets } from "../../../support/with-budgets.ts";

const policy = await loadPolicy();
const ring = ringOf(Buffer.alloc(32, 7));
const PLACE = { provider: "azure", schedulingLocation: "italynorth" };

/** What anyone can write: a signature of this id that nobody made. */
const claiming = (id: string): WorkloadObject["metadata"] => ({
  generateName: "x-",
  annotations: { [ANNOTATION.decision]: "{}", [ANNOTATION.seal]: `v2.create.00000000.1.${id}.${"a".repeat(43)}` },
});

interface Response {
  allowed: boolean;
  patch?: string;
  status?: { message: string };
}

/** A webhook; its namespace has 8 vCPU, and so has the place. */
function webhook({ quota = "8", budget = 1000 } = {}) {
  const clusterData = createClusterData();
  const annotations = { "landfall.dev/quota-vcpus": quota };
  clusterData.apply({ type: "seen", at: NOW });
  clusterData.apply({ type: "namespace", name: "demo", data: { name: "demo", labels: {}, annotations } });
  const answer = makeAnswers({
    policy: withBudgets(policy, { places: { "azure/italynorth": budget } }),
    ...{ clusterData, nowSeconds: () => NOW, forecasts: () => null, keys: () => ring },
  });
  const call = (path: "/mutate" | "/validate", object: WorkloadObject, uid: string): Response =>
    (JSON.parse(answer(path, reviewOf(object, { uid })).body) as { response: Response }).response;
  function asked(metadata: WorkloadObject["metadata"]): WorkloadObject {
    const { name, ...others } = metadata;
    const object = vm({ cpu: 8, memory: 16, ...PLACE }, others);
    if (name === undefined) delete object.metadata.name;
    else object.metadata.name = name;
    return object;
  }
  /** The object as the mutating webhook leaves it, or the text of its denial. */
  function decide(object: WorkloadObject, uid: string): WorkloadObject | string {
    const { allowed, patch = "", status } = call("/mutate", object, uid);
    if (!allowed) return status?.message ?? "";
    const operations = patch === "" ? [] : (JSON.parse(Buffer.from(patch, "base64").toString()) as Operation[]);
    return jsonPatch.applyPatch(jsonPatch.deepClone(object), operations).newDocument as WorkloadObject;
  }
  /** The informer sees an object. */
  function see(object: WorkloadObject): void {
    const { name = "", uid = "" } = object.metadata;
    const { workload } = readDecided(ring, "VmTemplate", object);
    clusterData.apply({
      type: "workload",
      key: workloadKey("VmTemplate", "demo", name),
      workload,
      of: { uid, run: "" },
    });
  }
  /** Both webhooks and the informer. Returns the text of the denial; null for none. */
  function create(metadata: WorkloadObject["metadata"], uid: string): string | null {
    const decided = decide(asked(metadata), uid);
    if (typeof decided === "string") return decided;
    const name = decided.metadata.name ?? `${decided.metadata.generateName ?? ""}${uid.padEnd(5, "x")}`;
    const stored = { ...decided, metadata: { ...decided.metadata, name, uid, creationTimestamp: formatTime(NOW) } };
    const { allowed, status } = call("/validate", stored, uid);
    if (!allowed) return status?.message ?? "";
    see(stored);
    return null;
  }
  const used = () => clusterData.around({ key: "", namespace: "demo", vmName: null }, NOW)?.usage.vcpus;
  return { create, decide, asked, see, used };
}

describe("91: a signature's id that nobody signed", () => {
  it("does not leave the object with this name out of a quota", () => {
    const { create, used } = webhook();
    expect(create({ name: "web" }, "one")).toBeNull();
    expect(create(claiming("web"), "two")).toContain("POL_QUOTA");
    expect(used()).toBe(8);
  });

  it("does not leave it out of a place's budget", () => {
    const { create, used } = webhook({ quota: "100", budget: 8 });
    expect(create({ name: "web" }, "one")).toBeNull();
    expect(create(claiming("web"), "two")).toMatch(/PLACEMENT_BUDGET|PLACEMENT_NONE/);
    expect(used()).toBe(8);
  });

  it("does not end what is reserved for another object", () => {
    const { decide, asked, see, used } = webhook({ quota: "100" });
    const next = decide(asked({ generateName: "y-" }), "one") as WorkloadObject;
    const [, , , , id = ""] = (next.metadata.annotations?.[ANNOTATION.seal] ?? "").split(".");
    expect(id).toHaveLength(32);
    expect(used()).toBe(8);
    const { annotations = {} } = claiming(id);
    see(vm({ cpu: 1, memory: 1 }, { name: "other", uid: "other", annotations }));
    see(vm({ cpu: 1, memory: 1 }, { name: id, uid: "another" }));
    expect(used()).toBe(10);
  });
});

describe("91: an object without a name", () => {
  it("counts once if the API server calls again for its request, with another uid of the review", () => {
    const { decide, asked, used } = webhook();
    const first = decide(asked({ generateName: "x-" }), "one") as WorkloadObject;
    const again = decide(first, "two");
    expect(again).toEqual(first);
    expect(used()).toBe(8);
  });

  it("counts once when it is stored", () => {
    const { create, used } = webhook();
    expect(create({ generateName: "x-" }, "one")).toBeNull();
    expect(used()).toBe(8);
    expect(create({ generateName: "x-" }, "two")).toContain("POL_QUOTA");
  });
});
