import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { interferes, shardsOf, type Slack } from "../../../../src/external-data/ledger/ledger-entry.ts";
import { missingShards } from "../../../../src/external-data/ledger/missing-shards.ts";
import { createSpecReader, type ShardContent, specOf } from "../../../../src/external-data/ledger/shard-content.ts";
import { isDue, isOutdated, type KnownEntry } from "../../../../src/external-data/ledger/shard-rules.ts";
import { type KeyRing, ringOf } from "../../../../src/model/decision-annotation/key-ring.ts";
import { KEYS, NOW } from "../../../support/admission.ts";
import { entry, machine } from "../../../support/ledger/entries.ts";

const CONTENT: ShardContent = {
  serial: 3,
  notBefore: 0,
  entries: [
    entry("a"),
    entry("b", { workload: machine("b", { place: null, vmName: null, pricePerHour: null, end: NOW + 60 }) }),
  ],
};

const readSpec = (ring: KeyRing, shard: string, spec: unknown): ShardContent | null =>
  createSpecReader(shard)(ring, spec);

describe("the content of a shard", () => {
  const spec = specOf(KEYS, "reservations-0", CONTENT);
  const lines = String(spec["entries"]);

  it("is read as it was written, also with an older key", () => {
    expect(readSpec(KEYS, "reservations-0", spec)).toEqual(CONTENT);
    const newer = ringOf(Buffer.alloc(32, 8), Buffer.alloc(32, 7));
    expect(readSpec(newer, "reservations-0", spec)).toEqual(CONTENT);
  });

  it("is read as it was written, whatever is in its texts and numbers", () => {
    const texts = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("", "%", "=", "|", "\n", "null", "VmTemplate/demo/a"),
    );
    const numbers = fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => (Object.is(one, -0) ? 0 : one));
    const workload = fc.record({
      ...{ kind: fc.constantFrom("VmTemplate" as const, "KaasCluster" as const), namespace: texts, name: texts },
      ...{ vmName: fc.option(texts), vcpus: numbers, memoryGiB: numbers, pricePerHour: fc.option(numbers) },
      ...{ place: fc.option(fc.constant("gcp/europe-west9" as const)), start: fc.option(numbers) },
      end: fc.option(numbers),
    });
    const entries = fc.array(
      fc
        .record({ id: texts, key: texts, at: fc.nat(), creates: fc.boolean(), workload, decisionId: fc.option(texts) })
        .map(({ decisionId, ...one }) =>
          decisionId === null ? one : { ...one, workload: { ...one.workload, decisionId } },
        ),
    );
    fc.assert(
      fc.property(entries, (all) => {
        const content = { ...CONTENT, entries: all };
        expect(readSpec(KEYS, "reservations-0", specOf(KEYS, "reservations-0", content))).toEqual(content);
      }),
    );
  });

  it("takes the entries of the version before where their lines are the same", () => {
    const read = createSpecReader("reservations-0");
    const first = read(KEYS, spec);
    const [a] = first?.entries ?? [];
    const next = specOf(KEYS, "reservations-0", { ...CONTENT, serial: 4, entries: [entry("c"), entry("a")] });
    const second = read(KEYS, next);
    expect(second?.entries).toEqual([entry("c"), entry("a")]);
    expect(second?.entries[1]).toBe(a);
  });

  it("takes less than 200 bytes for an entry", () => {
    const id = "0123456789abcdef0123456789abcdef";
    const long = entry("nightly-report-of-the-team", { id, workload: machine("nightly-report", { decisionId: id }) });
    expect(String(specOf(KEYS, "reservations-0", { ...CONTENT, entries: [long] })["entries"]).length).toBeLessThan(200);
  });

  it.each([
    ["another shard's", "reservations-1", spec],
    ["without an entry", "reservations-0", { ...spec, entries: lines.split("\n")[0] }],
    ["with no entry", "reservations-0", { ...spec, entries: "" }],
    ["with a smaller machine", "reservations-0", { ...spec, entries: lines.replace("|1|2|", "|0|2|") }],
    ["of a lower serial", "reservations-0", { ...spec, serial: 2 }],
    ["that may be used earlier", "reservations-0", { ...spec, notBefore: -1 }],
    ["without a signature", "reservations-0", { ...spec, signature: "" }],
    ["with a list of entries", "reservations-0", { ...spec, entries: lines.split("\n") }],
    ["without entries", "reservations-0", { serial: 3, notBefore: 0, signature: spec["signature"] }],
    ["that is none", "reservations-0", null],
  ])("%s is not believed", (_, shard, changed) => {
    if (shard === "reservations-0") expect(changed).not.toEqual(spec);
    expect(readSpec(KEYS, shard, changed)).toBeNull();
  });

  it("of an unknown key is not believed", () => {
    expect(readSpec(ringOf(Buffer.alloc(32, 9)), "reservations-0", spec)).toBeNull();
  });
});

const claim = (slack: Partial<Slack>, fields: object = {}) => ({
  ...{ ...entry("asked"), counted: 0, untilMs: 0 },
  ...{ slack: { quota: null, budget: null, ...slack }, ...fields },
});

describe("the shards of a claim", () => {
  it("are those of its limits: none without a limit, and the same for all that counts in one", () => {
    expect(shardsOf(claim({}))).toEqual([]);
    const [ofQuota, ofPlace] = [shardsOf(claim({ quota: {} })), shardsOf(claim({ budget: 0 }))];
    expect([ofQuota.length, ofPlace.length]).toEqual([1, 1]);
    expect(new Set(shardsOf(claim({ quota: {}, budget: 0 })))).toEqual(new Set([...ofQuota, ...ofPlace]));
    const elsewhere = { workload: machine("other", { namespace: "demo", place: "aws/eu-west-1" }) };
    expect(shardsOf(claim({ quota: {} }, elsewhere))).toEqual(ofQuota);
  });
});

describe("an entry that a decision did not count", () => {
  const one: KnownEntry = { entry: entry("other"), number: 1, origin: null, learntAt: NOW, seenAt: null };
  const origin = {};

  it("interferes in the same namespace with a quota, and in the same place with a budget, but not with its own object", () => {
    const elsewhere = { workload: machine("other", { namespace: "team", place: "aws/eu-west-1" }) };
    expect(interferes(entry("other"), claim({ quota: {} }))).toBe(true);
    expect(interferes(entry("other"), claim({ budget: 0 }))).toBe(true);
    expect(interferes(entry("other", elsewhere), claim({ quota: {}, budget: 0 }))).toBe(false);
    expect(interferes(entry("asked"), claim({ quota: {}, budget: 0 }))).toBe(false);
  });

  it.each([
    ["fits into the quota", { quota: { vcpus: 1, objects: 5 } }, false],
    ["exceeds the quota", { quota: { vcpus: 0.5, objects: 5 } }, true],
    ["exceeds the number of objects", { quota: { objects: 0 } }, true],
    ["exceeds the price: 0.1 USD per hour are 73 per month", { quota: { pricePerMonth: 72 } }, true],
    ["fits into the price", { quota: { pricePerMonth: 73 } }, false],
    ["fits into the budget", { budget: 1 }, false],
    ["exceeds the budget", { budget: 0.5 }, true],
  ])("%s", (_, slack, outdated) => {
    expect(isOutdated(claim(slack), origin, [one])).toBe(outdated);
    // What it counted, and what its own process decided, leaves it as it is.
    expect(isOutdated({ ...claim(slack), counted: 1 }, origin, [one])).toBe(false);
    expect(isOutdated(claim(slack), origin, [{ ...one, origin }])).toBe(false);
  });

  it("leaves the ledger 30 s after its object was seen, or 70 s after it was written and learnt of, by either clock", () => {
    const dueAt = (entryOf: KnownEntry, after: number, elapsed = after): boolean =>
      isDue(entryOf, { nowSeconds: NOW + after, elapsedSeconds: elapsed });
    const known = { ...one, learntAt: 0 };
    expect([dueAt(known, 70), dueAt(known, 71), dueAt(known, 3600, 70), dueAt(known, 70, 3600)]).toEqual([
      ...[false, true, false, false],
    ]);
    const seen = { ...known, seenAt: 1 };
    expect([dueAt(seen, 31), dueAt(seen, 32), dueAt(seen, 3600, 31)]).toEqual([false, true, false]);
  });
});

describe("a missing shard", () => {
  it("was deleted if others are older than a minute; else all are being made", () => {
    expect(missingShards([null, null, null, null], NOW)).toEqual([]);
    expect(missingShards([NOW - 10, null, NOW, null], NOW)).toEqual([]);
    expect(missingShards([NOW - 61, null, NOW, undefined], NOW)).toEqual([1]);
  });
});
