import { describe, expect, it } from "vitest";
import { readiness } from "../../../../src/composition/status/readiness.ts";
import { isRemadeOften, machineTimes } from "../../../../src/composition/status/remade-machines.ts";
import { retryTimes, workTimes, type Found } from "../../../../src/composition/status/retry-times.ts";
import { summariseReadiness } from "../../../../src/composition/status/summarise-readiness.ts";
import type { Resource } from "../../../../src/composition/types.ts";

const apiVersion = "ec2.services.k8s.aws/v1alpha1";
const kind = "Instance";
const NOW = Date.parse("2026-11-21T10:00:00Z") / 1000;
const STARTS = "requeuing until state is running or stopped";
const REFUSED =
  "api error InvalidParameterCombination: Network interfaces and an instance-level subnet ID may not be specified"; // prose-ok: EC2's

function instance(
  id: string,
  fields: Record<string, unknown> = {},
  said: string | null = STARTS,
  generation = 1,
): Found {
  const conditions =
    said === null
      ? [{ type: "ACK.ResourceSynced", status: "True" }]
      : [
          { type: "ACK.Recoverable", status: "True", message: said },
          { type: "ACK.ResourceSynced", status: "False" },
        ];
  const status = { instanceID: id, ackResourceMetadata: { region: "eu-west-1" }, ...fields, conditions };
  return { apiVersion, kind, name: "web", live: { apiVersion, kind, metadata: { uid: "u", generation }, status } };
}

const ended = (code: string, name = "shutting-down"): Record<string, unknown> => ({
  state: { name },
  stateReason: { code, message: `${code}: said` },
});

/** What Ready says of the last look, a minute after the one before. */
function after(...looks: Found[]) {
  let times: ReadonlyMap<string, number> = new Map();
  let said = { reason: "", message: "" };
  for (const [at, found] of looks.entries()) {
    const now = NOW + at * 60;
    const [retried, worked] = [retryTimes([found], times, now), workTimes([found], times, now)];
    times = new Map([...retried, ...worked, ...machineTimes([found], times, now)]);
    said = summariseReadiness([found], now, times);
  }
  const last = looks.at(-1);
  return { ...said, isOften: last !== undefined && isRemadeOften(last, times) };
}

describe("a machine that EC2 ends while it starts", () => {
  it.each([
    ["Client.VolumeLimitExceeded", { reason: "VolumeLimitExceeded", capacity: true }],
    ["Server.InsufficientInstanceCapacity", { reason: "InsufficientInstanceCapacity", capacity: true }],
    ["Client.InternalError", { reason: "InternalError", retrying: true }],
    ["Client.InvalidSnapshot.NotFound", { reason: "InvalidSnapshot.NotFound", terminal: true }],
    ["Client.UserInitiatedShutdown", { reason: "Creating", retrying: false }],
    ["Server.SpotInstanceTermination", { reason: "Creating", retrying: false }],
  ])("has its reason from EC2: %s", (code, expected) => {
    for (const name of ["shutting-down", "terminated"]) {
      expect(readiness(instance("i-1", ended(code, name)).live as Resource)).toMatchObject(expected);
    }
  });

  it("names the key of a volume where EC2 does not", () => {
    expect(readiness(instance("i-1", ended("Client.InternalError")).live as Resource).message).toContain(
      "encrypted volume",
    );
  });
});

describe("a machine that ACK makes again and again", () => {
  const [first, second, third] = ["i-1", "i-2", "i-3"].map((id) => instance(id)) as [Found, Found, Found];

  it("may start three times, also where nobody saw why the earlier ones ended", () => {
    expect(after(first, second)).toMatchObject({ reason: "Creating", isOften: false });
    expect(after(first, second, third)).toMatchObject({ reason: "Creating", isOften: true });
  });

  it.each<[string, Found]>([
    ["EC2 ends the third", instance("i-3", ended("Client.InternalError"))],
    ["EC2 refuses the next one for what ACK wrote into the spec", instance("i-3", {}, REFUSED)],
    ["there is one more", instance("i-4")],
  ])("is given up where %s, with the command that says why", (_, last) => {
    const { reason, message } = after(first, second, third, last, last);
    expect(reason).toBe("ProviderTerminal");
    expect(message).toContain("aws ec2 describe-instances --region eu-west-1 --instance-ids i-");
    expect(message).toContain("StateReason.Code");
    expect(message).toMatch(/i-3[^\d].*Correct that, delete the object and create it again \[REL_PROVIDER_TERMINAL\]$/);
  });

  it("is counted from the last one that was ready", () => {
    const ready = instance("i-2", {}, null);
    expect(after(first, ready, second, third, instance("i-4"))).toMatchObject({ reason: "Creating", isOften: false });
    expect(after(first, second, instance("i-3", {}, null))).toMatchObject({ reason: "Available", isOften: false });
  });

  it("is slow after 90 minutes, although each machine has generations of its own", () => {
    const looks = Array.from({ length: 92 }, (_, at) =>
      instance(`i-${String(Math.floor(at / 46))}`, {}, STARTS, at + 1),
    );
    expect(after(...looks)).toMatchObject({ reason: "ProviderRetrying" });
  });
});
