import { describe, expect, it } from "vitest";
import { rowOf } from "../../../src/console/objects/row-of.ts";
import type { Row } from "../../../src/console/contract/rows.ts";
import { placesMap } from "../../../src/console/map/places-map.ts";
import { readGeography } from "../../../src/console/map/read-geography.ts";
import { CarbonCurve } from "../../../src/placement/curves.ts";
import { countsOf, marksOf, meanOf, radiusOf, spotsAt } from "../../../web/src/pages/map/marks.ts";
import { sortedPlaces } from "../../../web/src/pages/map/sort-places.ts";
import { isIn, projectionFor } from "../../../web/src/pages/map/projection.ts";
import { NOW, vm } from "../../support/admission.ts";
import { loadPolicy } from "../../support/load-policy.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";

const running = (name: string, fields: Partial<Row>): Row => ({
  ...rowOf(vm({ cpu: 2, memory: 4 }, { name }) as Resource),
  ...{
    place: "aws/eu-north-1",
    instanceType: "c5a.large",
    startsAt: "2026-11-20T20:00:00Z",
    endsAt: null,
    state: "running",
  },
  ...fields,
});

async function asked(annotations: Record<string, string> = {}, rows: Row[] = [], atSeconds = NOW) {
  return placesMap({
    ...{ policy: await loadPolicy(), geography: await readGeography("catalog"), rows, atSeconds },
    ...{ namespace: { name: "demo", labels: {}, annotations }, origin: null, nowSeconds: NOW, forecasts: null },
  });
}

describe("the places of the map", () => {
  it("have the rule of the namespace that removes them, and an offer where none does", async () => {
    const { places } = await asked({ "landfall.dev/providers": "aws" });
    expect(places.find(({ place }) => place === "gcp/europe-north2")).toMatchObject({
      rule: "provider",
      usdPerHour: null,
    });
    const allowed = places.filter(({ rule }) => rule === null);
    expect(allowed.length).toBeGreaterThan(10);
    for (const { place, usdPerHour } of allowed)
      expect([place, typeof usdPerHour]).toEqual([expect.stringMatching(/^aws\//), "number"]);
  });

  it("are all removed while a setting of the namespace cannot be read", async () => {
    const { places, denials } = await asked({ "landfall.dev/max-latency": "fast" });
    expect(new Set(places.map(({ rule }) => rule))).toEqual(new Set(["wrongSetting"]));
    expect(denials).toEqual([expect.stringContaining("sets landfall.dev/max-latency to fast")]);
    expect((await asked()).denials).toEqual([]);
  });

  it("have their towns, and the distances of the latency from the origin by the fit of its area", async () => {
    const { places, origin, circles } = await asked();
    expect(places.find(({ place }) => place === "gcp/europe-north2")).toMatchObject({ country: "SE", latitude: 59.3 });
    expect(origin).toBe("azure/italynorth");
    // 20 ms = 3.51 + 11.7 + 19.19 × 1000 km
    expect(circles[0]?.km).toBeCloseTo(((20 - 3.51 - 11.7) / 19.19) * 1000);
    expect(circles.map(({ ms }) => ms)).toEqual([20, 30, 50]);
  });

  it("count what runs at the time, and no more after its end", async () => {
    const rows = [
      running("now", {}),
      running("later", { startsAt: "2026-11-21T10:00:00Z", state: "waiting" }),
      running("short", { endsAt: "2026-11-20T23:00:00Z" }),
      running("kept", { endsAt: "2026-11-20T21:00:00Z", state: "overdue", place: "aws/eu-west-1" }),
      running("over", { state: "ended" }),
      running("cluster", { kind: "KaasCluster", vcpus: 8 }),
    ];
    const at = async (seconds: number) =>
      (await asked({}, rows, seconds)).places.find(({ place }) => place === "aws/eu-north-1");
    expect(await at(NOW)).toMatchObject({ objects: 3, vcpus: 12 });
    expect(await at(NOW + 3600)).toMatchObject({ objects: 2, vcpus: 10 });
    expect(await at(NOW + 14 * 3600)).toMatchObject({ objects: 3, vcpus: 12 });
    const kept = (await asked({}, rows, NOW + 3600)).places.find(({ place }) => place === "aws/eu-west-1");
    expect(kept).toMatchObject({ objects: 1, vcpus: 2 });
  });

  it("have the mean of each hour of their zone", async () => {
    const { catalog } = await loadPolicy();
    const { zones, from, hours } = await asked();
    const table = catalog.carbon["IT-NO"];
    expect(table).toBeDefined();
    if (table === undefined) return;
    const curve = new CarbonCurve(table);
    const begin = Date.parse(from) / 1000;
    const found = zones.find(({ zone }) => zone === "IT-NO")?.hours ?? [];
    expect(found).toHaveLength(hours);
    expect([found[0], found[47]]).toEqual([curve.meanOver(begin, 3600), curve.meanOver(begin + 47 * 3600, 3600)]);
  });
});

describe("the table of the map", () => {
  it("has the places of the chosen part of the world, in the chosen order", async () => {
    const spots = spotsAt(await asked({ "landfall.dev/providers": "aws" }), 0);
    const european = spots.filter((spot) => isIn("europe", spot)).map(({ place }) => place);
    expect(european).toEqual(expect.arrayContaining(["aws/eu-north-1", "azure/italynorth"]));
    expect(european).not.toContain("aws/us-west-2");
    expect(spots.every((spot) => isIn("world", spot))).toBe(true);
    const prices = (direction: "ascending" | "descending") =>
      sortedPlaces(spots, "price", direction).map(({ usdPerHour }) => usdPerHour);
    const known = prices("ascending").flatMap((price) => price ?? []);
    expect(known).toEqual(known.toSorted((a, b) => a - b));
    expect(known.length).toBeLessThan(spots.length);
    for (const direction of ["ascending", "descending"] as const)
      expect(prices(direction).slice(known.length)).toEqual(spots.slice(known.length).map(() => null));
    expect(prices("descending").slice(0, known.length)).toEqual(known.toReversed());
  });
});

describe("the marks of the map", () => {
  it("have each place with a town once, and join those that lie close together", async () => {
    const data = await asked({}, [running("now", {})]);
    const spots = spotsAt(data, 5);
    const marks = marksOf(spots, (longitude, latitude) => [longitude * 4, latitude * -4]);
    const shown = marks.flatMap((mark) => mark.spots.map(({ place }) => place));
    expect(shown.sort()).toEqual(spots.flatMap(({ place, longitude }) => (longitude === null ? [] : [place])).sort());
    for (const [at, one] of marks.entries()) {
      const { x, y } = one;
      for (const other of marks.slice(at + 1))
        expect(Math.hypot(x - other.x, y - other.y)).toBeGreaterThanOrEqual(radiusOf(one) + radiusOf(other));
    }
    const loaded = marks.find(({ spots: [first] }) => first?.place === "aws/eu-north-1");
    expect(loaded?.spots.length).toBeGreaterThan(1);
    const known = loaded?.spots.flatMap(({ intensity }) => intensity ?? []) ?? [];
    expect(loaded === undefined ? null : meanOf(loaded)).toBeCloseTo(known.reduce((a, b) => a + b, 0) / known.length);
  });

  it.each([1016, 648, 342])(
    "have numbers that lie on no circle and on no other number, at %i pixels",
    async (width) => {
      const data = await asked({}, [running("now", {}), running("more", { place: "gcp/europe-west4" })]);
      for (const view of ["europe", "world", "america", "asia"] as const) {
        const projection = projectionFor(view, width);
        const marks = marksOf(spotsAt(data, 5), (longitude, latitude) => projection([longitude, latitude]));
        const counts = countsOf(marks);
        expect(counts.length).toBeGreaterThan(0);
        for (const { x, y, count } of counts) {
          const sides = [x, x + 6 * String(count).length];
          const corners = sides.flatMap((left) => [y, y - 7].map((top) => ({ left, top })));
          const gaps = marks.flatMap((mark) =>
            corners.map(({ left, top }) => Math.hypot(mark.x - left, mark.y - top) - radiusOf(mark)),
          );
          expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
          const under = counts.filter((other) => Math.abs(other.x - x) < 6 && Math.abs(other.y - y) < 7);
          expect(under).toHaveLength(1);
        }
      }
    },
  );
});
