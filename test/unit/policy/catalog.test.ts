import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { assembleData, type BundleCatalog } from "../../../src/bundle/catalog/assemble-data.ts";
import type { CatalogFiles } from "../../../src/bundle/catalog/catalog-files.ts";
import { checkCatalog } from "../../../src/bundle/catalog/check-catalog.ts";
import { readCatalog } from "../../../src/bundle/catalog/read-catalog.ts";
import { LandfallError } from "../../../src/errors.ts";
import { priceIn } from "../../../src/model/bundle-format/packed-prices.ts";
import { monthlyHours } from "../../../src/bundle/catalog/refresh/merge-carbon.ts";
import { monthlySums } from "../../../src/bundle/catalog/monthly-sums.ts";
import machineZones from "../../../catalog/machine-zones.json" with { type: "json" };
import { zonesOfType } from "../../../src/model/places/machine-zones.ts";
import { zonesOf } from "../../../src/model/places/zones.ts";
import { CATALOG } from "../../support/bundles/built-bundle.ts";

const FAMILIES = ["general", "compute", "memory", "large-memory", "burstable", "flex"];
let files: CatalogFiles;
let data: BundleCatalog;
/** Of each type, by column: read once, because the search asks for them again and again. */
let prices: (number | null)[][];

beforeAll(async () => {
  files = await readCatalog(CATALOG);
  data = assembleData(files, FAMILIES);
  prices = data.types.map(([, , , text]) => Array.from({ length: text.length / 9 }, (_, at) => priceIn(text, at)));
});

const countOf = (provider: string): number =>
  Object.values(files.places.places).filter((place) => place.provider === provider).length;

describe("places", () => {
  it("are all public regions of the clouds and all zones of Elemento", () => {
    expect({
      azure: countOf("azure"),
      aws: countOf("aws"),
      gcp: countOf("gcp"),
      elemento: countOf("elemento"),
    }).toEqual({
      azure: 58,
      aws: 36,
      gcp: 43,
      elemento: 26,
    });
  });

  it("are sorted by name, which every array of latencies relies on", () => {
    const keys = Object.keys(files.places.places);
    expect(keys).toEqual([...keys].sort());
    expect(Object.keys(files.latency.from)).toEqual(keys);
  });

  it("are each in a known country and on a grid, except for one without a published grid", () => {
    const places = Object.entries(files.places.places);
    expect(places.filter(([, { country }]) => !files.residency.countries.includes(country))).toEqual([]);
    expect(places.filter(([, place]) => place.electricityZone === null).map(([key]) => key)).toEqual(["aws/sa-west-1"]);
  });

  it("name a zone exactly if the provider requires one", () => {
    for (const { provider, region, zone } of Object.values(files.places.places)) {
      expect(zone).toBe({ aws: `${region}a`, gcp: `${region}-b` }[provider] ?? null);
    }
  });
});

describe("latencies", () => {
  it("have one figure and one source for every pair, and a figure exactly where a source is known", () => {
    const length = Object.keys(files.places.places).length;
    for (const { ms, source } of Object.values(files.latency.from)) {
      expect([ms.length, source.length]).toEqual([length, length]);
      ms.forEach((value, index) => {
        expect(value === null).toBe(source[index] === 0);
      });
    }
  });

  it("are 1 ms within a region", () => {
    Object.values(files.latency.from).forEach(({ ms, source }, index) => {
      expect([ms[index], source[index]]).toEqual([1, 1]);
    });
  });

  it("are measured if a measurement is published", () => {
    const from = files.latency.from["azure/italynorth"];
    const index = Object.keys(files.places.places).indexOf("azure/francecentral");
    expect([from?.ms[index], files.latency.sources[from?.source[index] ?? 0]]).toEqual([21, "measured"]);
  });

  it("are never faster than light", () => {
    const lightKmPerMs = 299.792_458;
    const places = Object.values(files.places.places);
    for (const [origin, { ms }] of Object.entries(files.latency.from)) {
      const from = files.places.places[origin];
      places.forEach((to, index) => {
        if (!from || from === to || [from.latitude, to.latitude].includes(null)) return;
        // Half a degree of slack: coordinates are rounded to a tenth, and neighbours share a town.
        const degrees = Math.abs((from.latitude ?? 0) - (to.latitude ?? 0)) - 0.5;
        expect((ms[index] ?? Infinity) >= (2 * degrees * 111) / lightKmPerMs).toBe(true);
      });
    }
  });
});

describe("instance types", () => {
  it("have a price or an explicit gap for each region of their provider", () => {
    for (const { regions, types } of Object.values(files.instanceTypes.providers)) {
      for (const { prices } of Object.values(types)) {
        expect(prices.length).toBe(regions.length);
        expect(prices.every((price) => price === null || price === -1 || price > 0)).toBe(true);
      }
    }
  });

  it("exclude types with GPUs for machines, and metal, promotional and constrained types", () => {
    const names = Object.values(files.instanceTypes.providers).flatMap(({ types }) =>
      Object.entries(types).flatMap(([name, { family }]) => (family === "gpu" ? [] : [name])),
    );
    expect(
      names.filter((name) => /metal|Promo|^Basic_|^Standard_[A-Z]+\d+-|^Standard_N|^g[2-9]|^a\d-|^p\d/.test(name)),
    ).toEqual([]);
  });

  it("count the GPUs of those that a cluster's pool may have, and of no others", () => {
    for (const { types } of Object.values(files.instanceTypes.providers)) {
      for (const { family, gpus } of Object.values(types)) expect((gpus ?? 0) > 0).toBe(family === "gpu");
    }
  });

  it("of Google Cloud are offered only where a zone has them", () => {
    const { regions = [], types = {} } = files.instanceTypes.providers["gcp"] ?? {};
    const nowhere = Object.entries(types).flatMap(([name, { prices }]) =>
      regions.filter((region, column) => prices[column] !== -1 && zonesOfType("gcp", region, name)?.length === 0),
    );
    expect(nowhere).toEqual([]);
  });

  it("of Google Cloud have in the chart the zones that the catalog has, where not all of a region have them", () => {
    const charted = parse(readFileSync("charts/kaas-cluster/files/gcp-zones.yaml", "utf8")) as {
      match: string;
      zones: Record<string, string[]>;
    }[];
    const listed = machineZones.zones.gcp.map(({ match, zones }) => {
      const limited = Object.entries(zones).filter(
        ([region, letters]) => letters.length < (zonesOf("gcp", region)?.length ?? 0),
      );
      return { match, zones: Object.fromEntries(limited) };
    });
    expect(charted).toEqual(listed);
  });

  it("of Google Cloud with GPUs have their accelerators in the chart", () => {
    const accelerators = parse(readFileSync("charts/kaas-cluster/files/gcp-accelerators.yaml", "utf8")) as Record<
      string,
      { count: number }
    >;
    const counted = Object.entries(files.instanceTypes.providers["gcp"]?.types ?? {}).flatMap(([name, { gpus }]) =>
      gpus === undefined ? [] : [[name, gpus]],
    );
    expect(
      Object.entries(accelerators)
        .map(([name, { count }]) => [name, count])
        .sort(),
    ).toEqual(counted.sort());
  });

  it("cover every region of the clouds with published types", () => {
    const without = data.places.filter((_, index) =>
      data.cells["amd64"]?.every((row) => row.every((id) => data.cellRows[id]?.[index] === -1)),
    );
    expect(without.map(({ key }) => key)).toEqual([
      "aws/ap-east-2",
      "aws/ap-southeast-6",
      "aws/ap-southeast-7",
      "aws/me-west-1",
      "aws/mx-central-1",
      "aws/sa-west-1",
      "azure/belgiumcentral",
      "azure/denmarkeast",
      "gcp/asia-southeast3",
    ]);
  });
});

/** The answer that the cells give: the first adequate type of the list. */
function byCells(table: string, place: number, size: [cpu: number, memory: number]): number | undefined {
  const [cpu, memory] = size;
  const at = (value: number): number => data.powersOfTwo.findIndex((power) => power >= value);
  const row = data.cells[table]?.[at(cpu)]?.[at(memory)];
  const choice = row === undefined ? undefined : data.cellRows[row]?.[place];
  const ids = choice === undefined ? undefined : data.choices[choice];
  return ids?.find((id) => (data.types[id]?.[1] ?? 0) >= cpu && (data.types[id]?.[2] ?? 0) >= memory);
}

/** Each standard type of an architecture that a place sells: vCPUs, GiB, price. */
function soldAt(arch: string, place: number): [vcpus: number, memoryGiB: number, price: number][] {
  const { provider = "", column = -1 } = data.places[place] ?? {};
  const ids = Object.values(data.typeIds[provider] ?? {});
  return ids.flatMap((id) => {
    const type = data.types[id];
    const price = prices[id]?.[column] ?? -1;
    if (type?.[4] !== arch || type[5] !== "standard" || price === -1) return [];
    return [[type[1], type[2], price] as [number, number, number]];
  });
}

describe("the cells of sizes", () => {
  const sizes: [number, number][] = [1, 2, 3, 4, 7, 16, 17, 64, 300].flatMap((cpu) =>
    [1, 2, 5, 15, 16, 31, 100, 672, 4096, 20_000].map((memory): [number, number] => [cpu, memory]),
  );

  it.each(["amd64", "arm64"])("give the cheapest adequate type of %s for every size in every place", (arch) => {
    const wrong = data.places.flatMap(({ key, column }, index) => {
      const sold = soldAt(arch, index);
      return sizes.flatMap((size) => {
        const id = byCells(arch, index, size);
        const price = id === undefined ? null : (prices[id]?.[column] ?? null);
        const adequate = sold.filter(([vcpus, memoryGiB]) => vcpus >= size[0] && memoryGiB >= size[1]);
        const cheapest = adequate.length === 0 ? null : Math.min(...adequate.map(([, , each]) => each));
        return price === cheapest ? [] : [`${key} ${size.join(" ")}: ${String(price)}, not ${String(cheapest)}`];
      });
    });
    expect(wrong).toEqual([]);
  });

  it("examine few types", () => {
    expect(Math.max(...data.choices.map((ids) => ids.length))).toBeLessThanOrEqual(8);
  });
});

describe("carbon", () => {
  it("has a profile for every grid of a place, except for those marked as unknown", () => {
    const zones = new Set(Object.values(files.places.places).flatMap(({ electricityZone }) => electricityZone ?? []));
    expect([...zones].filter((zone) => files.carbon.zones[zone] === undefined).sort()).toEqual(files.carbon.unknown);
    expect(files.carbon.unknown).toEqual(["CA-AB"]);
  });

  const monthsOf = (zone: string): number[][] => (files.carbon.zones[zone]?.hourOfWeek ?? []) as number[][];
  const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const hourly = (): string[] =>
    Object.entries(files.carbon.zones).flatMap(([zone, { hourOfWeek }]) => (hourOfWeek === null ? [] : [zone]));

  it("has a week for each month if an hourly series is published, and marks the others", () => {
    expect(hourly().length).toBe(44);
    for (const zone of hourly()) expect(monthsOf(zone).map((week) => week.length)).toEqual(new Array(12).fill(168));
    const others = Object.entries(files.carbon.zones).filter(([zone]) => !hourly().includes(zone));
    expect(others.filter(([, { source }]) => !/^(life-cycle mean|mean of the whole country)/.test(source))).toEqual([]);
  });

  it("has hours whose mean equals the year's", () => {
    for (const zone of hourly()) {
      const yearly = files.carbon.zones[zone]?.yearly ?? 0;
      // The months are of unequal length and share a little of their neighbours.
      expect(Math.abs(meanOf(monthsOf(zone).flat()) - yearly), zone).toBeLessThanOrEqual(Math.max(1, yearly * 0.01));
    }
  });

  it("begins on Monday, in January: California's Sunday noon and spring are cleaner than Monday's evening and autumn", () => {
    const months = monthsOf("US-CAL-CISO");
    for (const week of months) expect(week[6 * 24 + 20]).toBeLessThan(week[27] ?? 0);
    expect(meanOf(months[3] ?? [])).toBeLessThan(meanOf(months[8] ?? []) - 50);
  });

  it("is a mean of the month and its neighbours: a quarter of the months and half of the days", () => {
    const start = Date.UTC(2022, 0, 1) / 1000;
    // Each hour counts for the month that it is in, March alone is not 0.
    const values = Array.from({ length: 8760 }, (_, hour) =>
      new Date((start + hour * 3600) * 1000).getUTCMonth() === 2 ? 100 : 0,
    );
    const cells = monthlySums(values, start);
    const hours = monthlyHours(cells);
    expect(cells[2]?.reduce((sum, { weight }) => sum + weight, 0)).toBe(31 * 24);
    const [january, february, march] = hours.map((week) => meanOf(week));
    expect([january, Math.round(march ?? 0)]).toEqual([0, 68]);
    expect(february).toBeCloseTo(18, 0);
  });
});

describe("residency", () => {
  it("has the 27 of the EU, the EEA around them, and GDPR around that", () => {
    const { EU = [], EEA = [], GDPR = [] } = files.residency.areas;
    expect(EU.length).toBe(27);
    expect(EEA.filter((code) => !EU.includes(code))).toEqual(["IS", "LI", "NO"]);
    expect(EEA.filter((code) => !GDPR.includes(code))).toEqual([]);
    expect(GDPR.filter((code) => ["US", "CA", "CH", "GB", "JP"].includes(code))).toEqual(["CH", "GB", "JP"]);
  });
});

describe("the schema of the catalog", () => {
  it("accepts the committed files", () => {
    expect(() => {
      checkCatalog(files, CATALOG);
    }).not.toThrow();
  });

  it("refuses a negative price index, a month of 167 hours, a year of 11 months and a place without a country", () => {
    const broken: ((copy: CatalogFiles) => unknown)[] = [
      (copy) => (copy.power.wattsPerVcpu = -1),
      (copy) => (copy.carbon.zones["IT-NO"]?.hourOfWeek?.[4] as unknown as number[] | undefined)?.pop(),
      (copy) => (copy.carbon.zones["IT-NO"]?.hourOfWeek as number[][] | undefined)?.pop(),
      (copy) => delete (copy.places.places["azure/italynorth"] as { country?: string }).country,
    ];
    for (const spoil of broken) {
      const copy = structuredClone(files);
      spoil(copy);
      expect(() => {
        checkCatalog(copy, "catalog");
      }).toThrow(LandfallError);
    }
  });

  it("keeps the bundle's data within a megabyte and a half", () => {
    expect(JSON.stringify(data).length).toBeLessThan(1_500_000);
  });
});
