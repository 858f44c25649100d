import { describe, expect, it } from "vitest";
import { isOfEmergency } from "../../../../../src/composition/decision/emergency.ts";
import type { CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import type { Emergency } from "../../../../../src/model/emergency.ts";
import { formatTime } from "../../../../../src/model/time.ts";

const END = 1_800_000_000;
const MINUTE = 60;
const emergency = (from: number, until: number): Emergency => ({
  ...{ namespaces: ["demo"], from: formatTime(from), until: formatTime(until), by: "ada", reason: "INC-42" },
});
const FIRST = emergency(END - 2 * MINUTE, END);

const SPEC = {
  ...{ provider: "aws", schedulingLocation: "eu-south-1", zone: "eu-south-1a", instanceType: "m7i.48xlarge" },
  image: "ami-0123456789abcdef0",
};
const OWN = { compositionId: "u", compositionKind: "VmTemplate", compositionNamespace: "demo", compositionName: "a" };

interface Given {
  now: number;
  emergencies?: Emergency[];
  /** Status and values of the revisions that are recorded for the label of the object, the newest first. */
  revisions?: [string, object][];
}

/** Whether an object that was created a minute before the end is installed now. */
function isInstalled({ now, emergencies = [FIRST], revisions }: Given): Promise<boolean> {
  const recorded = revisions?.map(([status, config]) => ({ status, release: { config } }));
  const context = {
    emergencies: () => Promise.resolve(emergencies),
    records: { read: () => Promise.resolve(recorded === undefined ? null : { revisions: recorded }) },
    ...{ serverSeconds: () => now, record: () => undefined },
  } as unknown as CompositionContext;
  const metadata = { namespace: "demo", name: "a", uid: "u", creationTimestamp: formatTime(END - MINUTE) };
  const labels = { "krateo.io/release-name": "a-1" };
  const object = { apiVersion: "v1", kind: "VmTemplate", metadata: { ...metadata, labels }, spec: SPEC };
  return isOfEmergency(context, object);
}

describe("211: an object of an emergency of which nothing is deployed", () => {
  it("is installed while the emergency lasts, and shortly after it", async () => {
    expect(await isInstalled({ now: END - 1 })).toBe(true);
    expect(await isInstalled({ now: END + 4 * MINUTE })).toBe(true);
  });

  it("is not installed later, except in another emergency", async () => {
    expect(await isInstalled({ now: END + 6 * MINUTE })).toBe(false);
    const second = emergency(END + 30 * MINUTE, END + 40 * MINUTE);
    expect(await isInstalled({ now: END + 31 * MINUTE, emergencies: [FIRST, second] })).toBe(true);
  });

  it.each<[string, [string, object][]]>([
    ["an installation that failed", [["failed", { ...SPEC, global: OWN }]]],
    [
      "another object's release",
      [["deployed", { ...SPEC, global: { ...OWN, compositionId: "v", compositionName: "b" } }]],
    ],
    [
      "an upgrade that failed",
      [
        ["failed", { ...SPEC, global: OWN }],
        ["deployed", { ...SPEC, instanceType: "m7i.large", global: OWN }],
      ],
    ],
  ])("is not held back by %s", async (_name, revisions) => {
    expect(await isInstalled({ now: END + 6 * MINUTE, revisions })).toBe(false);
  });

  it("stays once it is deployed", async () => {
    expect(await isInstalled({ now: END + 6 * MINUTE, revisions: [["deployed", { ...SPEC, global: OWN }]] })).toBe(
      true,
    );
  });
});
