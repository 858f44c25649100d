import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { keepRecent } from "../../../../src/composition/record/keep-recent.ts";
import { openRecords, type Records } from "../../../../src/composition/record/open-records.ts";
import type { RecordedRevision } from "../../../../src/composition/record/release-record.ts";
import { secretStore } from "../../../support/composition/secret-store.ts";

const revision = (number: number): RecordedRevision => ({
  ...{ secret: `sh.helm.release.v1.web.v${String(number)}`, revision: number, labels: {}, status: "deployed" },
  ...{ release: { name: "web", manifest: "", config: {} }, copy: "", createdAt: 0 },
});

/** Two controllers on one API server, which counts what the first one reads. */
function controllers(): { first: Records; second: Records; reads: () => number } {
  const store = secretStore();
  let reads = 0;
  const options = { log: pino({ level: "silent" }), systemNamespace: "landfall-system", keys: null };
  const counting = new Proxy(store.client, {
    get(target, key, receiver) {
      if (key === "get") reads += 1;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  return {
    first: openRecords({ ...options, client: counting }),
    second: openRecords({ ...options, client: store.client }),
    reads: () => reads,
  };
}

const numbers = async (records: Records): Promise<number[]> =>
  ((await records.read("demo", "web"))?.revisions ?? []).map((one) => one.revision);

describe("the record of a release", () => {
  it("is read once by the steps of an installation", async () => {
    const { first, reads } = controllers();
    expect(await numbers(first)).toEqual([]);
    await first.change("demo", "web", () => [revision(1)]);
    await first.change("demo", "web", (all) => [...all, revision(2)]);
    expect([await numbers(first), reads()]).toEqual([[2, 1], 1]);
    await first.change("demo", "web", () => []);
    expect([await numbers(first), reads()]).toEqual([[], 2]);
  });

  it("that another controller changed meanwhile is read again, and nothing of it is lost", async () => {
    const { first, second } = controllers();
    await first.change("demo", "web", () => [revision(1)]);
    await second.change("demo", "web", (all) => [...all, revision(2)]);
    await first.change("demo", "web", (all) => [...all, revision(3)]);
    expect([await numbers(first), await numbers(second)]).toEqual([
      [3, 2, 1],
      [2, 1],
    ]);
  });

  it("that another controller made is not made again", async () => {
    const { first, second } = controllers();
    expect(await numbers(first)).toEqual([]);
    await second.change("demo", "web", () => [revision(1)]);
    await first.change("demo", "web", (all) => [...all, revision(2)]);
    expect(await numbers(first)).toEqual([2, 1]);
  });
});

it("forgets what is old, and keeps nothing of it", () => {
  let now = 0;
  const recent = keepRecent<number>(100, () => now);
  recent.set("a", 1);
  now = 60;
  recent.set("b", 2);
  expect([recent.get("a"), recent.get("b")]).toEqual([1, 2]);
  now = 120;
  expect([recent.get("a"), recent.get("b")]).toEqual([undefined, 2]);
  recent.delete("b");
  expect(recent.get("b")).toBeUndefined();
});
