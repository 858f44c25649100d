import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import type { DecisionOwners } from "../../../../src/model/decision-annotation/standing.ts";
import { context, create, NO_OWNERS, NOW, patched, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";
import { randomSpec } from "../../../support/random-spec.ts";
import { SCALE } from "../../../support/scale.ts";

const policy = await loadPolicy();
const ask = (spec: Record<string, unknown>, nowSeconds = NOW) => admit(create(vm(spec)), context(policy, nowSeconds));

describe("admitting a new object", () => {
  it("fills in what the user left out and nothing else", () => {
    const object = patched(vm({ cpu: 2, memory: 4 }), ask({ cpu: 2, memory: 4 }));
    const spec = object.spec ?? {};
    expect(spec).toMatchObject({ cpu: 2, memory: 4, os: "ubuntu-24.04", schedulingTime: "2026-11-20T22:00:00Z" });
    expect(
      ["provider", "schedulingLocation", "instanceType", "image"].filter((field) => typeof spec[field] !== "string"),
    ).toEqual([]);
    expect(object.metadata.annotations?.[ANNOTATION.paused]).toBeUndefined();
  });

  it("never changes a value that the user set", () => {
    const spec = {
      cpu: 2,
      memory: 4,
      provider: "gcp",
      schedulingLocation: "europe-west1",
      os: "debian-12",
      schedulingTime: "2026-11-21T00:00:00Z",
    };
    expect(patched(vm(spec), ask(spec)).spec).toMatchObject(spec);
  });

  it("holds an object back until its start", () => {
    const object = patched(
      vm({ cpu: 1, memory: 1 }),
      ask({ cpu: 1, memory: 1, schedulingTime: "2035-01-01T00:00:00Z" }),
    );
    expect(object.metadata.annotations?.[ANNOTATION.paused]).toBe("true");
  });

  const LATER = { cpu: 1, memory: 1, schedulingTime: "2035-01-01T00:00:00Z" };
  const NOW_SPEC = { cpu: 1, memory: 1 };
  it.each<[string, Record<string, unknown>, Record<string, string>, Record<string, string | boolean | undefined>]>([
    ["its own", LATER, {}, { paused: "true", hold: undefined, held: true }],
    ["none", NOW_SPEC, {}, { paused: undefined, hold: undefined, held: false }],
    ["a person's, at once", NOW_SPEC, { paused: "true" }, { paused: "true", hold: undefined, held: false }],
    ["both", LATER, { paused: "true" }, { paused: "true", hold: "paused by its user", held: true }],
    ["both, with a reason", LATER, { paused: "true", hold: "audit" }, { paused: "true", hold: "audit", held: true }],
    [
      "copied with its decision",
      LATER,
      { paused: "true", decision: "{}" },
      { paused: "true", hold: undefined, held: true },
    ],
    ["copied, long due", NOW_SPEC, { paused: "true", decision: "{}" }, { paused: "true", hold: undefined, held: true }],
  ])("says whose pause it is: %s", (_, spec, given, expected) => {
    const annotations = Object.fromEntries(
      (["paused", "hold", "decision"] as const).flatMap((name) =>
        given[name] ? [[ANNOTATION[name], given[name]]] : [],
      ),
    );
    const object = vm(spec, { annotations });
    const made = patched(object, admit(create(object), context(policy))).metadata.annotations ?? {};
    const { held } = JSON.parse(made[ANNOTATION.decision] ?? "{}") as { held?: boolean };
    expect({ paused: made[ANNOTATION.paused], hold: made[ANNOTATION.hold], held }).toEqual(expected);
  });

  it("starts an object with a past start at once, and does not change the user's time", () => {
    const spec = { cpu: 1, memory: 1, duration: "3h", schedulingTime: "1999-01-01T00:00:00Z" };
    const outcome = ask(spec);
    const object = patched(vm(spec), outcome);
    expect(outcome.decision?.placement).toMatchObject({ start: "2026-11-20T22:00:00Z", end: "2026-11-21T01:00:00Z" });
    expect(object.spec?.["schedulingTime"]).toBe("1999-01-01T00:00:00Z");
    expect(object.metadata.annotations?.[ANNOTATION.paused]).toBeUndefined();
  });

  it("gives the same bytes for the same request", () => {
    const spec = { cpu: 4, memory: 8, duration: "3h", deadline: "2026-11-23T00:00:00Z", dataResidency: ["EU"] };
    expect(ask(spec)).toEqual(ask(spec));
  });

  it("keeps the decision on the object under 4 KiB", () => {
    const object = patched(
      vm({ cpu: 2, memory: 4 }),
      ask({ cpu: 2, memory: 4, dataResidency: ["GDPR"], maxLatency: 60, duration: "5h" }),
    );
    expect(Buffer.byteLength(object.metadata.annotations?.[ANNOTATION.decision] ?? "")).toBeLessThanOrEqual(4096);
  });

  it("makes no patch for the patched object, at once or an hour later", () => {
    let admitted = 0;
    fc.assert(
      fc.property(randomSpec(NOW), (spec) => {
        const outcome = ask(spec);
        if (!outcome.allowed) return;
        admitted += 1;
        const object = patched(vm(spec), outcome);
        expect(admit(create(object), context(policy))).toMatchObject({ allowed: true, patch: [] });
        expect(admit(create(object), context(policy, NOW + 3600))).toMatchObject({ allowed: true, patch: [] });
      }),
      { numRuns: 150 * SCALE, seed: 11 },
    );
    expect(admitted).toBeGreaterThan(50);
  });

  it("places every random object within its own limits", () => {
    fc.assert(
      fc.property(randomSpec(NOW), (spec) => {
        const decision = decideAlone({ kind: "VmTemplate", object: vm(spec), operation: "CREATE", ...context(policy) });
        const { placement } = decision;
        if (placement === null) {
          expect(decision.denials.length).toBeGreaterThan(0);
          return;
        }
        if (spec.maxLatency !== undefined) expect(placement.latencyMs ?? Infinity).toBeLessThanOrEqual(spec.maxLatency);
        if (spec.deadline !== undefined && placement.end !== null) {
          expect(Date.parse(placement.end)).toBeLessThanOrEqual(Date.parse(spec.deadline));
        }
        if (spec.provider !== undefined) expect(placement.provider).toBe(spec.provider);
        expect(Date.parse(placement.start)).toBeGreaterThanOrEqual(NOW * 1000);
      }),
      { numRuns: 150 * SCALE, seed: 5 },
    );
  });
});

describe("refusing a new object", () => {
  it.each([
    [{ memory: 4 }, "ADM_SCHEMA", "spec.cpu is missing; write a whole number of virtual CPUs, e.g. cpu: 2"],
    [
      { cpu: "2", memory: 4 },
      "ADM_SCHEMA",
      'spec.cpu "2" is a text, because of its quotes; write a whole number of virtual CPUs: cpu: 2',
    ],
    [{ cpu: 2, memory: 4, disk: 1 }, "ADM_SCHEMA", "spec.disk 1 is not a field"],
    [
      { cpu: 2, memory: 4, disks: [{ name: "a", sizeGiB: 1, ssd: true }] },
      "ADM_SCHEMA",
      "spec.disks[0].ssd true is not a field; remove it; the fields here are name, sizeGiB, type",
    ],
    [
      { cpu: 2, memory: 4, provider: "oracle" },
      "ADM_SCHEMA",
      'spec.provider "oracle" is not one of azure, aws, gcp, elemento',
    ],
    [{ cpu: 2, memory: 4, ports: [{ port: 90, toPort: 80 }] }, "ADM_FIELDS", "spec.ports[0].toPort"],
    [
      { cpu: 2, memory: 4, ports: [{ port: 90, cidrs: ["10.0.0.1/8"] }] },
      "ADM_FIELDS",
      "10.0.0.1/8 is an address in a network, and not the network",
    ],
    [{ cpu: 2, memory: 4, network: { cidr: "10.0.300.0/24" } }, "ADM_FIELDS", "10.0.300.0/24 is not an IPv4 network"],
    [
      {
        cpu: 2,
        memory: 4,
        disks: [
          { name: "a", sizeGiB: 1 },
          { name: "a", sizeGiB: 2 },
        ],
      },
      "ADM_FIELDS",
      "another disk has the name a",
    ],
    [{ cpu: 2, memory: 4, disks: [{ name: "a", sizeGiB: 2, type: "premium" }] }, "ADM_FIELDS", "at least 4 GiB"],
    [
      {
        cpu: 2,
        memory: 4,
        provider: "azure",
        schedulingLocation: "italynorth",
        network: { existing: { subnet: "apps" } },
      },
      "ADM_FIELDS",
      "apps is not an ARM id",
    ],
    [
      {
        cpu: 2,
        memory: 4,
        provider: "gcp",
        schedulingLocation: "europe-west4",
        network: { existing: { subnet: "projects/p/regions/europe-west1/subnetworks/s" } },
      },
      "ADM_FIELDS",
      "lies in europe-west1, and the machine in europe-west4; write schedulingLocation: europe-west1, or a subnetwork of europe-west4",
    ],
    [
      { cpu: 2, memory: 4, dataResidency: [false] },
      "ADM_SCHEMA",
      'is not a text: YAML reads NO, off and n without quotes as false; write "NO"',
    ],
    [{ cpu: 2, memory: 4, os: 24.04 }, "ADM_SCHEMA", "spec.os 24.04 is a number; write os: ubuntu-24.04"],
    [
      { cpu: 2, memory: 4, tags: { "Bad Key": "x" } },
      "ADM_SCHEMA",
      'spec.tags has the key "Bad Key", which has the capital B; write bad-key',
    ],
    [
      { cpu: 2, memory: 4, tags: { team: "Bad Value" } },
      "ADM_SCHEMA",
      'spec.tags.team "Bad Value" has the capital B; write lower-case letters, digits, _ and -, e.g. team: bad-value',
    ],
    [
      { cpu: 2, memory: 4, userData: "è".repeat(8193) },
      "ADM_FIELDS",
      "spec.userData: has 16386 bytes in UTF-8; the limit is",
    ],
    [
      {
        cpu: 2,
        memory: 4,
        userData: "a".repeat(16_000),
        sshPublicKey: `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"A".repeat(43)}`,
      },
      "ADM_FIELDS",
      "has 16000 bytes in UTF-8; the limit with an SSH key is 15856",
    ],
    [{ cpu: 2, memory: 4, image: "a\n---\nkind: Secret" }, "ADM_SCHEMA", "spec.image"],
    [{ cpu: 2, memory: 4, provider: "elemento", ports: [{ port: 22 }] }, "PLACEMENT_NONE", "providers with ports"],
    [
      { cpu: 2, memory: 4, duration: "banana" },
      "ADM_DURATION",
      'spec.duration "banana" is not a valid duration; write 3h, 90m, 1d12h or PT3H',
    ],
    [{ cpu: 2, memory: 4, duration: "0h" }, "ADM_DURATION", 'spec.duration "0h" is not more than zero'],
    [
      { cpu: 2, memory: 4, deadline: "soon" },
      "ADM_TIME",
      'spec.deadline "soon" is not a valid time; write a time with its zone (RFC 3339)',
    ],
    [
      { cpu: 2, memory: 4, deadline: "2020-01-01T00:00:00Z" },
      "ADM_DEADLINE_PAST",
      "spec.deadline 2020-01-01T00:00:00Z is in the past",
    ],
    [
      { cpu: 2, memory: 4, duration: "3h", deadline: "2026-11-20T23:00:00Z" },
      "ADM_DEADLINE_TOO_SHORT",
      "is before now + time to boot + duration (2026-11-21T01:06:00Z)",
    ],
    [
      { cpu: 2, memory: 4, duration: "3h", deadline: "2026-11-21T06:00:00Z", schedulingTime: "2026-11-21T05:00:00Z" },
      "ADM_START_IMPOSSIBLE",
      "(2026-11-21T02:54:00Z)",
    ],
    [{ cpu: 2, memory: 1_000_000 }, "PLACEMENT_NONE", "no region can run this VM"],
    [{ cpu: 2, memory: 4, provider: "aws", schedulingLocation: "atlantis-1" }, "POL_UNKNOWN_REGION", "atlantis-1"],
    [
      { cpu: 2, memory: 4, provider: "aws", schedulingLocation: "us-east-1", dataResidency: ["EU"] },
      "POL_RESIDENCY",
      "[EU]",
    ],
  ])("%j ends with %s", (spec, code, text) => {
    const outcome = ask(spec);
    expect(outcome).toMatchObject({ allowed: false, codes: [code] });
    expect(outcome.allowed ? "" : outcome.message).toContain(text);
    expect(outcome.allowed ? "" : outcome.message).toContain(code);
  });

  it.each([
    { provider: "aws", userData: "è".repeat(8192) },
    {
      provider: "gcp",
      userData: "a".repeat(16_384),
      sshPublicKey: `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"A".repeat(43)}`,
    },
  ])("takes user data of 16 KiB", (spec) => {
    expect(ask({ cpu: 2, memory: 4, ...spec })).toMatchObject({ allowed: true });
  });

  it("denies a name that is too long for a composition", () => {
    const object = vm({ cpu: 1, memory: 1 }, { name: "a".repeat(45) });
    expect(admit(create(object), context(policy))).toMatchObject({ allowed: false, codes: ["ADM_NAME_TOO_LONG"] });
  });

  it("checks the length of a time, which the chart's schema leaves out", () => {
    const outcome = ask({ cpu: 1, memory: 1, deadline: `2099-01-01T00:00:00.${"0".repeat(30)}Z` });
    expect(outcome.allowed ? "" : outcome.message).toContain("spec.deadline");
    expect(outcome).toMatchObject({ allowed: false, codes: ["ADM_SCHEMA"] });
  });

  it("uses at most 600 characters, with the codes last", () => {
    fc.assert(
      fc.property(randomSpec(NOW), (spec) => {
        const outcome = ask({ ...spec, maxLatency: 1, memory: 100_000 });
        if (outcome.allowed) return;
        expect(outcome.message.length).toBeLessThanOrEqual(600);
        expect(outcome.message).toMatch(/\[[A-Z_, ]+, decision [0-9a-f]{6}, bundle sha256:[0-9a-f]{8}…\]$/);
      }),
      { numRuns: 60 * SCALE, seed: 2 },
    );
  });
});

describe("a decision that a creation brings along", () => {
  const asked = vm({ cpu: 2, memory: 4 });
  const decided = patched(asked, admit(create(asked), context(policy)));
  const signatureAfter = (owners: DecisionOwners): string | undefined =>
    patched(decided, admit({ ...create(decided), uid: "another" }, context(policy, NOW, owners))).metadata
      .annotations?.[ANNOTATION.seal];

  it("stays while its own creation is underway", () => {
    const owners = { ...NO_OWNERS, isUnderway: () => true };
    expect(signatureAfter(owners)).toBe(decided.metadata.annotations?.[ANNOTATION.seal]);
  });

  it("is another object's if a controller has bound it, even if this replica has not seen that object", () => {
    const owners = { ...NO_OWNERS, isUnderway: () => true, ownerOf: () => "uid-of-another-object" };
    expect(signatureAfter(owners)).not.toBe(decided.metadata.annotations?.[ANNOTATION.seal]);
  });
});
