import { describe, expect, it } from "vitest";
import { createClusterData } from "../../../../../src/external-data/cluster-data.ts";
import { ANNOTATION } from "../../../../../src/model/names.ts";
import { readDecision } from "../../../../../src/model/decision-annotation/compact-decision.ts";
import { readWorkload } from "../../../../../src/model/read-workload.ts";
import { formatTime, HOUR_SECONDS } from "../../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { openStore, placeOf, type Stored } from "../../../../support/admission-store.ts";
import { NOW, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();
const FROM = "gcp/europe-west8";
const later = formatTime(NOW + 72 * HOUR_SECONDS);
const size = { place: FROM, vcpus: 8, memoryGiB: 32, pricePerHour: null };

/** A machine that runs, as its status or the record of its release says, and a change that lets it move. */
function moved(spec: object, { status = true, recorded = true, annotations = {} } = {}): Stored {
  const store = openStore(policy);
  const asked = { cpu: 8, memory: 32, duration: "2h", provider: "gcp", schedulingLocation: "europe-west8" };
  const { object } = store.create(vm(asked, { name: "m" }));
  const { uid = "" } = object.metadata;
  const about = { kind: "VmTemplate", namespace: "demo", name: "m", uid, release: "m-1", place: FROM };
  const installed = { ...about, running: [size] };
  if (recorded) store.clusterData.apply({ type: "release", record: "landfall.release.demo.m-1", installed });
  const running: WorkloadObject = {
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
    ...(status ? { status: { managed: [{ path: "/apis/x/v1/namespaces/demo/things/m" }] } } : {}),
  };
  const { zone: _zone, instanceType: _type, schedulingTime: _start, ...kept } = running.spec ?? {};
  const allowed = { ...running.metadata.annotations, [ANNOTATION.allowMove]: "true" };
  return store.update(running, {
    ...running,
    metadata: { ...running.metadata, annotations: allowed },
    spec: { ...kept, schedulingLocation: "europe-west1", ...spec },
  });
}

describe("162: a running object that moves", () => {
  const PAUSED = { annotations: { "krateo.io/paused": "true" } };
  it.each([
    ["as its status says", { recorded: false }],
    ["as the record of its release says", { status: false }],
    ["and is paused by its user", PAUSED],
    ["and is paused before its status lists it", { ...PAUSED, status: false }],
  ])("is given no later start, if it runs %s", (_, state) => {
    const result = moved({ schedulingTime: later }, state);
    expect(result.message).toContain("ADM_STARTED");
    expect(result.allowed).toBe(false);
  });

  it("starts now where its deadline would leave it time to wait", () => {
    const { allowed, object } = moved({ deadline: later });
    expect(allowed).toBe(true);
    expect(placeOf(object)).toBe("gcp/europe-west1");
    expect(readDecision(object)?.placement.start).toBe(formatTime(NOW));
    expect(object.metadata.annotations?.[ANNOTATION.paused]).toBeUndefined();
  });
});

describe("162: what runs for an object that says a later start", () => {
  it("counts from now on in its place", () => {
    const data = createClusterData();
    const object = vm({ cpu: 8, memory: 32 }, { name: "m", uid: "u-1" });
    const workload = {
      ...readWorkload("VmTemplate", object),
      place: "gcp/europe-west1",
      start: NOW + 9e5,
      end: NOW + 1e6,
    };
    data.apply({ type: "workload", key: "VmTemplate/demo/m", workload });
    const about = { kind: "VmTemplate", namespace: "demo", name: "m", uid: "u-1", release: "m-1", place: FROM };
    data.apply({ type: "release", record: "landfall.release.demo.m-1", installed: { ...about, running: [size] } });
    const counted = data.workloads(NOW, "").filter(({ place }) => place === FROM);
    expect(counted).toMatchObject([{ vcpus: 8, start: null }]);
  });
});
