import { describe, expect, it } from "vitest";
import { ack } from "../../../src/local/simulators/ack/ack.ts";
import { aso } from "../../../src/local/simulators/aso/aso.ts";
import { kcc } from "../../../src/local/simulators/kcc/kcc.ts";
import { MachineEnds, Retries } from "../../../src/local/simulators/operator-times.ts";
import type { Subject } from "../../../src/local/simulators/types.ts";
import { made, resources, ruleOf } from "./resources.ts";

const START = 1_800_000_000_000;
/** Ten hours of ACK at the pace of the simulators. */
const RESYNC = 600_000;

const [vm] = resources(`
apiVersion: ec2.services.k8s.aws/v1alpha1
kind: Instance
metadata: {name: vm, annotations: {landfall.dev/simulate: shutdown}}
spec: {imageID: ami-0123456789abcdef0, instanceType: m5.large, instanceInitiatedShutdownBehavior: terminate}
`);
if (vm === undefined) throw new TypeError("no resource");
const subject: Subject = { resource: made(ack, vm), family: ack, rule: ruleOf(ack, "Instance") };
const { uid } = subject.resource.metadata;

describe("a machine that shuts itself down after 8 s", () => {
  it("is seen at ACK's next look, after 10 h", () => {
    const ends = new MachineEnds(1);
    ends.looked(uid, true, START);
    expect(ends.left(subject, START + 9_000)).toBe(RESYNC - 9_000);
    expect(ends.left(subject, START + RESYNC)).toBe(0);
  });

  it("is seen when ACK is asked to look, not before it has ended", () => {
    const ends = new MachineEnds(1);
    ends.looked(uid, true, START);
    expect(ends.seen(subject, START + 7_999)).toBeNull();
    expect(ends.seen(subject, START + 8_000)).toMatchObject({ again: { refusal: null } });
  });

  it("is looked at from the last look on, and as much faster as the simulators are", () => {
    const ends = new MachineEnds(4);
    ends.looked(uid, true, START);
    ends.looked(uid, false, START + 1_000);
    expect(ends.left(subject, START + 1_000)).toBe(RESYNC / 4);
    expect(ends.seen(subject, START + 2_000)).not.toBeNull();
  });

  it("is not over for one of which nothing is known", () => {
    expect(new MachineEnds(1).seen(subject, START)).toBeNull();
  });
});

describe("a refusal", () => {
  /** Milliseconds between the attempts. */
  function pauses(family: Subject["family"], speed: number, count: number): number[] {
    const retries = new Retries(speed);
    return Array.from({ length: count }, () => {
      retries.failed(uid, family.backoff, START);
      return Math.round(retries.left(uid, START) ?? 0);
    });
  }

  it("is tried again with pauses that double, up to ACK's 1000 s", () => {
    const found = pauses(ack, 1, 25);
    expect(found.slice(0, 12)).toEqual(Array.from({ length: 12 }, () => 200));
    expect(found.slice(13, 17)).toEqual([683, 1_365, 2_731, 5_461]);
    expect(found.at(-1)).toBe(Math.round(1_000_000 / 60));
  });

  it.each([
    ["ASO's 3 min", aso, 3_000],
    ["Config Connector's 2 min", kcc, 2_000],
  ] as const)("is tried again after at most %s", (_, family, longest) => {
    expect(pauses(family, 1, 25).at(-1)).toBe(longest);
    expect(pauses(family, 4, 25).at(-1)).toBe(longest / 4);
  });

  it("is the first again after a success", () => {
    const retries = new Retries(1);
    for (let times = 0; times < 20; times += 1) retries.failed(uid, ack.backoff, START);
    retries.forget(uid);
    expect(retries.left(uid, START)).toBeNull();
    retries.failed(uid, ack.backoff, START);
    expect(retries.left(uid, START)).toBe(200);
  });
});
