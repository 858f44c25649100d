import { describe, expect, it } from "vitest";
import type { CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { countedSizes, heldAfter } from "../../../../../src/composition/record/held-sizes.ts";
import type { HeldSize } from "../../../../../src/composition/record/held-size.ts";
import {
  decodeRecord,
  encodeRecord,
  type RecordedRevision,
} from "../../../../../src/composition/record/release-record.ts";
import { openRecords } from "../../../../../src/composition/record/open-records.ts";
import { runningSizes, sizeLabels } from "../../../../../src/composition/record/running-sizes.ts";
import { trusted } from "../../../../../src/model/decision-annotation/trusted.ts";
import { mayRun } from "../../../../../src/composition/status/shown-size.ts";
import type { Resource } from "../../../../../src/composition/types.ts";
import { ringOf } from "../../../../../src/model/decision-annotation/key-ring.ts";
import { readReleaseMark } from "../../../../../src/model/decision-annotation/system-secrets.ts";
import { vm } from "../../../../support/admission.ts";

const [HOME, AWAY] = ["azure/northeurope", "azure/swedencentral"] as const;

type Status = RecordedRevision["status"];

/** A revision of a machine with this many vCPU, of AWS's types with 4 GiB each. */
function revision(number: number, status: Status, cpu: number, place: string): RecordedRevision {
  const [provider = "", schedulingLocation = ""] = place.split("/");
  const spec = { cpu, memory: cpu * 4, provider, schedulingLocation };
  const global = {
    compositionId: "u-1",
    compositionKind: "VmTemplate",
    compositionNamespace: "demo",
    compositionName: "web",
  };
  return {
    ...{ secret: `s${String(number)}`, revision: number, status, createdAt: 1000 + number, copy: "" },
    labels: { ...sizeLabels(trusted(null, vm(spec) as Resource)) },
    release: {
      name: "web-1",
      config: { ...spec, global },
      manifest: "",
      hooks: [],
    },
  };
}

const sizes = (held: readonly { place: string; vcpus: number }[]) => held.map(({ place, vcpus }) => [place, vcpus]);

function after(before: RecordedRevision[], next: RecordedRevision[], held: HeldSize[] = []): HeldSize[] {
  return heldAfter({ held, running: runningSizes(before) }, next);
}

const LARGE = revision(1, "deployed", 8, HOME);
const REPLACED = revision(1, "superseded", 8, HOME);

describe("172: a size that helm replaced", () => {
  it.each<[string, string, number]>([
    ["a smaller one in another place", AWAY, 1],
    ["an equal one in another place", AWAY, 8],
    ["a smaller one in its place", HOME, 1],
  ])("still counts beside %s", (_, place, cpu) => {
    const now = [revision(2, "deployed", cpu, place), REPLACED];
    const held = after([LARGE], now);
    expect(held).toMatchObject([{ place: HOME, vcpus: 8, at: 1002, machines: null }]);
    expect(sizes(countedSizes({ revisions: now, held }))).toEqual([
      [place, cpu],
      [HOME, 8],
    ]);
  });

  it("counts no more where the new one is as large, in the same place", () => {
    expect(after([LARGE], [revision(2, "deployed", 16, HOME), REPLACED])).toEqual([]);
  });

  it("counts although helm drops its revision, and although that failed", () => {
    const first = after([LARGE], [revision(2, "deployed", 1, HOME), REPLACED]);
    const later = [9, 8, 7, 6, 5].map((number) => revision(number, number === 9 ? "deployed" : "superseded", 1, HOME));
    expect(sizes(after(later, later, first))).toEqual([[HOME, 8]]);
    const failed = revision(2, "failed", 96, HOME);
    const pruned = [revision(3, "deployed", 1, HOME), { ...failed, pruned: true as const }];
    expect(sizes(after([failed, LARGE], pruned))).toEqual([[HOME, 96]]);
  });

  it("is one for each place, however often the object moves", () => {
    let held: HeldSize[] = [];
    let before = [LARGE];
    for (let number = 2; number < 40; number += 1) {
      const now = [revision(number, "deployed", 1 + (number % 3), number % 2 === 0 ? AWAY : HOME)];
      held = after(before, now, held);
      before = now;
    }
    expect(held.length).toBeLessThanOrEqual(2);
    expect(held.find(({ place }) => place === HOME)?.vcpus).toBe(8);
  });

  it("stands in the record and in what the webhook reads of it", async () => {
    const stored: Resource[] = [];
    const client = {
      get: () => Promise.resolve(stored.at(-1) ?? null),
      create: (_: string, one: Resource) => Promise.resolve((stored.push(one), one)),
      replace: (_: string, one: Resource) => Promise.resolve((stored.push(one), one)),
    } as unknown as CompositionContext["client"];
    const keys = () => ringOf(Buffer.alloc(32, 7));
    const open = () =>
      openRecords({ client, log: { warn: () => undefined } as never, systemNamespace: "landfall-system", keys });
    const records = open();
    await records.change("demo", "web-1", () => [LARGE]);
    expect(await records.held("demo", "web-1")).toEqual([]);
    await records.change("demo", "web-1", () => [revision(2, "deployed", 1, AWAY), REPLACED]);
    const running = () => sizes(readReleaseMark(stored.at(-1) as Resource)?.running ?? []);
    expect(running()).toEqual([
      [AWAY, 1],
      [HOME, 8],
    ]);
    // Another process reads it, and another change keeps it.
    const others = open();
    await others.change("demo", "web-1", (all) => [revision(3, "deployed", 1, AWAY), ...all.slice(1)]);
    expect(running()).toHaveLength(2);
    expect(await others.held("demo", "web-1")).toMatchObject([{ place: HOME, vcpus: 8 }]);
    await others.hold("demo", "web-1", () => []);
    expect(running()).toEqual([[AWAY, 1]]);
    expect(await others.held("demo", "web-1")).toEqual([]);
  });

  it("is kept by the signed content", async () => {
    const held: HeldSize[] = [{ place: HOME, vcpus: 8, memoryGiB: 32, pricePerHour: null, at: 1, machines: ["a"] }];
    const record = { namespace: "demo", release: "web-1", revisions: [LARGE], held };
    expect(await decodeRecord(record, await encodeRecord(record, null), null)).toMatchObject({ held });
  });
});

const condition = (status: string, more: object = {}) => ({ type: "Ready", status, reason: "Succeeded", ...more });

const live = (apiVersion: string, kind: string, spec: object, status: object): Resource =>
  ({
    apiVersion,
    kind,
    metadata: { name: "web", namespace: "demo", uid: "m-1", generation: 2 },
    spec,
    status,
  }) as unknown as Resource;

const azure = (said: object, ready = "True", observedGeneration = 2) =>
  live(
    "compute.azure.com/v1api20220301",
    "VirtualMachine",
    { hardwareProfile: { vmSize: "Standard_D2as_v5" } },
    {
      ...{ location: "northeurope", hardwareProfile: { vmSize: "Standard_D8as_v5" } },
      ...said,
      conditions: [condition(ready, { observedGeneration })],
    },
  );
const google = (ready: string, observedGeneration: number) =>
  live(
    "compute.cnrm.cloud.google.com/v1beta1",
    "ComputeInstance",
    { machineType: "e2-standard-2" },
    {
      ...{
        selfLink: "https://www.googleapis.com/compute/v1/projects/p/zones/europe-west1-b/instances/web",
        observedGeneration,
      },
      conditions: [condition(ready)],
    },
  );
const aws = (region: string) =>
  live(
    "ec2.services.k8s.aws/v1alpha1",
    "Instance",
    { instanceType: "m7i.large" },
    {
      ...{ ackResourceMetadata: { region }, instanceID: "i-1" },
      conditions: [{ type: "ACK.ResourceSynced", status: "True" }, condition("True")],
    },
  );
const cluster = () =>
  live(
    "containerservice.azure.com/v1api20240901",
    "ManagedCluster",
    {},
    {
      ...{ location: "northeurope" },
      conditions: [condition("True", { observedGeneration: 2 })],
    },
  );

const SMALL = { hardwareProfile: { vmSize: "Standard_D2as_v5" } };

describe("172: an operator's object may still run a size", () => {
  const asked = (place: string, present: string, more: object = {}) =>
    ({
      size: { place, vcpus: 8, memoryGiB: 32, pricePerHour: null },
      present: { place: present, isReady: true, seconds: 60, ...more },
    }) as const;
  it.each<[string, Resource, ReturnType<typeof asked>, boolean]>([
    ["of Azure, that refused another place", azure({}, "False"), asked(HOME, AWAY), true],
    ["of Azure, that says nothing yet", azure({ location: undefined }), asked(HOME, AWAY), true],
    ["of Azure, that is in the new place", azure({ location: "Sweden Central", ...SMALL }), asked(HOME, AWAY), false],
    ["of Azure, that never was in the place of the size", azure({}), asked(AWAY, HOME), false],
    ["of Azure, whose type is the former one", azure({}), asked(HOME, HOME), true],
    ["of Azure, whose type is the new one", azure(SMALL), asked(HOME, HOME), false],
    ["of Azure, that is not ready", azure(SMALL, "False"), asked(HOME, HOME), true],
    ["of Azure, that has not seen its last change", azure(SMALL, "True", 1), asked(HOME, HOME), true],
    ["of Google Cloud, that has the new type", google("True", 2), asked("gcp/europe-west1", "gcp/europe-west1"), false],
    ["of Google Cloud, that is not ready", google("False", 2), asked("gcp/europe-west1", "gcp/europe-west1"), true],
    ["of Google Cloud, in its former zone", google("True", 2), asked("gcp/europe-west1", "gcp/europe-north1"), true],
    ["of AWS, whose type never changes", aws("eu-south-1"), asked("aws/eu-south-1", "aws/eu-south-1"), true],
    [
      "of AWS, that stays in its region and is called ready",
      aws("eu-south-1"),
      asked("aws/eu-south-1", "aws/eu-north-1"),
      true,
    ],
    ["that is a cluster and ready", cluster(), asked(HOME, HOME), false],
    ["that is a cluster, with a pool that is not ready", cluster(), asked(HOME, HOME, { isReady: false }), true],
    ["that is a cluster and was changed just now", cluster(), asked(HOME, HOME, { seconds: 5 }), true],
    ["that is a cluster in its former place", cluster(), asked(HOME, AWAY), true],
  ])("%s", (_, one, { size, present }, expected) => {
    expect(mayRun(one, size, present)).toBe(expected);
  });
});
