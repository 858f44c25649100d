import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { anyRowOf } from "../../../../src/console/objects/row-of.ts";
import { summarise } from "../../../../src/console/objects/summarise.ts";
import { objectReport } from "../../../../src/console/report/object-report.ts";
import type { Resource } from "../../../../src/model/kubernetes.ts";

const PLACEMENT = {
  ...{ provider: "aws", region: "eu-north-1", start: "2026-11-21T00:00:00Z", end: "2026-11-22T00:00:00Z" },
  ...{ instanceType: "m6i.large", pricePerHour: 1, gramsCO2: 1, baselineGramsCO2: 1, latencyMs: 3 },
};

function object(placement: object = {}, conditions: object[] = [], id = "d"): Resource {
  const decision = { id, inputs: "i", written: [], placement: { ...PLACEMENT, ...placement } };
  const annotations = { "landfall.dev/decision": JSON.stringify(decision) };
  const metadata = { name: "web", namespace: "shop", uid: "u", creationTimestamp: "2026-11-20T00:00:00Z", annotations };
  return {
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata, spec: {} },
    status: { conditions },
  };
}

const ready = (message: string, reason = "Creating") => ({ type: "Ready", status: "False", reason, message });

it("figures that no machine has are unknown, and the sums of the others stay", () => {
  const odd = [
    { pricePerHour: 1e308 },
    { pricePerHour: -1e308 },
    { pricePerHour: 1e12 },
    { gramsCO2: 1e308 },
    { gramsCO2: -1e308 },
    { baselineGramsCO2: 1e13 },
    { now: { gramsCO2: 1e308 } },
    { baselineUsd: 1e308 },
    { now: { gramsCO2: 1, usd: -1e308 } },
  ];
  const rows = [object({ baselineUsd: 12 }), ...odd.flatMap((placement) => [object(placement), object(placement)])].map(
    anyRowOf,
  );
  const { runs } = summarise(rows, true);
  expect(runs).toEqual({
    objects: 19,
    grams: {
      ...{ decided: 15, unknown: 4 },
      origin: { decided: 13, instead: 13, unknown: 6 },
      now: { decided: 13, instead: 13, unknown: 6 },
    },
    usd: {
      ...{ decided: 13 * 24, unknown: 6 },
      origin: { decided: 24, instead: 12, unknown: 18 },
      now: { decided: 9 * 24, instead: 9 * 24, unknown: 10 },
    },
  });
});

it("a row keeps little of long texts and lists, and the page of the object the whole", () => {
  const long = "\u0100".repeat(1_400_000);
  const segments = Array.from({ length: 3000 }, () => ({ start: PLACEMENT.start, end: PLACEMENT.end }));
  const given = object({ segments, instanceType: long, region: long }, [ready(long, long)], long);
  expect(JSON.stringify(anyRowOf(given)).length).toBeLessThan(20_000);
  expect(anyRowOf(given)).toMatchObject({ state: "starting", usd: 3000 * 24 });
  expect(anyRowOf(given).message).toMatch(/^\u0100{999}…$/);
  expect(anyRowOf(object({}, [ready("short")])).message).toBe("short");
  const page = objectReport(given, {
    verdict: null,
    signature: { verdict: "missing", detail: "" } as never,
    nowSeconds: 0,
  });
  expect(page.conditions[0]?.message.length).toBe(long.length);
});

it("the rows of objects with long texts keep no memory of these", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  const rows = Array.from({ length: 50 }, (_, at) =>
    // Parsed, as from an answer: a text that is put together takes no memory of its own.
    anyRowOf(
      JSON.parse(JSON.stringify(object({}, [ready(`${String(at)}\u0100${"x".repeat(1_400_000)}`)]))) as Resource,
    ),
  );
  collect();
  expect(rows.length).toBe(50);
  // The messages have 140 MB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
});
