import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { awsPrices } from "../../../src/external-data/price-lists/aws-prices.ts";
import { AWS } from "../../../src/external-data/price-lists/aws-rows.ts";
import { AZURE, azurePrices } from "../../../src/external-data/price-lists/azure-prices.ts";
import { GCP, gcpPrices } from "../../../src/external-data/price-lists/gcp-prices.ts";
import { openPriceService, type PriceService } from "../../../src/external-data/price-lists/price-service.ts";
import { LandfallError } from "../../../src/errors.ts";
import type { PriceList } from "../../../src/model/places/price-list.ts";
import { awsFile, type Fault, type PriceLists, startPriceLists } from "../../support/services/price-lists.ts";

const KEY = "AIza-test";
const NOW = Date.parse("2026-11-22T10:00:00Z");
const TYPES = { t3: { "t3.large": 0.0832, "m7i.large": 0.1008 }, west: { "t3.large": 0.0992 } };

let lists: PriceLists;
let services: PriceService[];
beforeEach(async () => {
  services = [];
  lists = await startPriceLists({
    azure: { italynorth: { Standard_D2as_v5: 0.101, Standard_D4as_v5: 0.202 }, eastus: { Standard_D2as_v5: 0.086 } },
    aws: { "us-east-1": TYPES.t3, "us-west-1": TYPES.west },
    gcp: {
      "us-central1": {
        "n2 Core": 0.031611,
        "n2 Ram": 0.004237,
        "e2 Core": 0.02181159,
        "e2 Ram": 0.00292353,
        "f1-micro": 0.0076,
        "g2 Core": 0.02498846,
        "g2 Ram": 0.00292702,
        "l4 GPU": 0.56004,
      },
      "europe-west8": { "n2 Core": 0.036, "n2 Ram": 0.0048 },
    },
    key: KEY,
    page: 4,
  });
});
afterEach(async () => {
  await Promise.all([...services, lists].map((one) => one.close()));
});

function service(
  asked: { source: string; option: string },
  more: { retries?: number; answerMs?: number } = {},
): PriceService {
  const proxies = { httpProxy: "", httpsProxy: "", noProxy: "" };
  const headers = asked === GCP ? { "x-goog-api-key": KEY } : {};
  const { retries = 0, answerMs = 5000 } = more;
  const opened = openPriceService({ ...asked, headers, proxies, timeoutMs: answerMs, answerMs, retries });
  services.push(opened);
  return opened;
}

const onRegion = (): void => undefined;
const azure = (regions: string[], more = {}): Promise<PriceList> =>
  azurePrices({
    service: service(AZURE, more),
    url: `${lists.url}/azure/api/retail/prices`,
    regions,
    nowMs: NOW,
    onRegion,
  });
const aws = (regions: string[], more = {}): Promise<PriceList> =>
  awsPrices({ service: service(AWS, more), url: `${lists.url}/aws`, regions, onRegion });
const gcp = (
  regions: string[],
  types: Record<string, { vcpus: number; memoryGiB: number; gpus?: number }>,
): Promise<PriceList> => gcpPrices({ service: service(GCP), url: `${lists.url}/gcp`, regions, types, nowMs: NOW });

/** Region -> prices, or the code and the text of what went wrong. */
const plain = ({ regions }: PriceList): unknown =>
  Object.fromEntries(
    [...regions].map(([region, found]) => [
      region,
      found instanceof LandfallError
        ? `${found.code}: ${found.message}`
        : { ...found, prices: Object.fromEntries(found.prices) },
    ]),
  );

/** The code and the text of an error that ends all. */
const failure = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => "no error",
    (thrown: unknown) => (thrown instanceof LandfallError ? `${thrown.code}: ${thrown.message}` : String(thrown)),
  );

describe("the price list of Azure", () => {
  it("has the hour of each machine on demand, over all pages, and nothing of licences, Spot and reservations", async () => {
    expect(plain(await azure(["italynorth", "eastus"]))).toEqual({
      italynorth: { date: "2026-11-22", prices: { Standard_D2as_v5: 0.101, Standard_D4as_v5: 0.202 } },
      eastus: { date: "2026-11-22", prices: { Standard_D2as_v5: 0.086 } },
    });
    // Four pages and two: links are followed at the address that was asked.
    expect(lists.asked).toHaveLength(6);
    expect(lists.asked[0]).toContain(
      "$filter=serviceName eq 'Virtual Machines' and priceType eq 'Consumption' and armRegionName eq ",
    );
  });

  it("of a page that names itself as the next one does not end, so the region has no prices", async () => {
    lists.fault = (request, response) => {
      const NextPageLink = `https://prices.azure.com:443${request.url ?? ""}`;
      response.end(JSON.stringify({ Items: [], NextPageLink }));
      return true;
    };
    expect(plain(await azure(["eastus"]))).toEqual({
      eastus: "PRICES_ANSWER: the price list of Azure did not return a price list: the pages of eastus do not end",
    });
  });

  it("is not asked for other regions once it does not answer", async () => {
    lists.fault = (request) => {
      request.socket.resetAndDestroy();
      return true;
    };
    const regions = Array.from({ length: 40 }, (_, index) => `region${String(index)}`);
    const found = await azure(regions);
    expect(found.regions.size).toBe(40);
    expect(lists.asked.length).toBeLessThan(40);
  });
});

describe("the price list of AWS", () => {
  it("has the hour of each machine with Linux, shared and on demand, and the date of the file", async () => {
    expect(plain(await aws(["us-east-1", "us-west-1"]))).toEqual({
      "us-east-1": { date: "2026-11-20", prices: TYPES.t3 },
      "us-west-1": { date: "2026-11-20", prices: TYPES.west },
    });
  });

  it("lacks a region that its index does not name", async () => {
    expect(plain(await aws(["us-west-1", "mx-central-1"]))).toEqual({
      "us-west-1": { date: "2026-11-20", prices: TYPES.west },
      "mx-central-1": "PRICES_NONE: the price list of AWS has no region mx-central-1",
    });
  });

  it("is the same without quotes and with lines that end with CR LF", async () => {
    const plainCsv = awsFile("us-west-1", TYPES.west)
      .replaceAll(/"\$[^\n]*? Hour"/g, "an hour")
      .replaceAll('"', "");
    for (const text of [plainCsv, awsFile("us-west-1", TYPES.west).replaceAll("\n", "\r\n")]) {
      lists.fault = answering("index.csv", (response) => response.end(text));
      expect(plain(await aws(["us-west-1"]))).toMatchObject({ "us-west-1": { prices: TYPES.west } });
    }
  });

  it("has no price of a type that it names twice with two prices", async () => {
    const last = awsFile("us-west-1", { "t3.large": 0.2 }).split("\n").at(-2) ?? "";
    const twice = `${awsFile("us-west-1", { "t3.large": 0.1 })}${last}`;
    lists.fault = answering("index.csv", (response) => response.end(`${twice}\n`));
    expect(plain(await aws(["us-west-1"]))).toEqual({ "us-west-1": { date: "2026-11-20", prices: {} } });
  });
});

describe("the price list of Google Cloud", () => {
  it("gives a type the price of its vCPUs, memory and GPUs, and whole types their own", async () => {
    const found = await gcp(["us-central1", "europe-west8", "us-west1"], {
      "n2-standard-4": { vcpus: 4, memoryGiB: 16 },
      "e2-micro": { vcpus: 0.25, memoryGiB: 1 },
      "f1-micro": { vcpus: 1, memoryGiB: 0.6 },
      "g2-standard-4": { vcpus: 4, memoryGiB: 16, gpus: 1 },
      "n4-standard-2": { vcpus: 2, memoryGiB: 8 },
    });
    const [central, milan, west] = [...found.regions.values()].map((one) =>
      one instanceof LandfallError
        ? {}
        : Object.fromEntries([...one.prices].map(([name, usd]) => [name, Number(usd.toPrecision(4))])),
    );
    // The prices that Google's own page has for Iowa.
    expect(central).toEqual({
      "n2-standard-4": 0.1942,
      "e2-micro": 0.008376,
      "f1-micro": 0.0076,
      "g2-standard-4": 0.7068,
    });
    expect(milan).toEqual({ "n2-standard-4": 0.2208 });
    expect(west).toEqual({});
    expect(lists.asked.length).toBeGreaterThan(1);
  });

  it("is refused without its key, which no message repeats", async () => {
    services.push(
      openPriceService({
        ...{ ...GCP, headers: { "x-goog-api-key": "wrong-secret" }, timeoutMs: 5000, answerMs: 5000, retries: 0 },
        proxies: { httpProxy: "", httpsProxy: "", noProxy: "" },
      }),
    );
    const [opened] = services;
    if (opened === undefined) throw new Error("no service");
    const text = await failure(
      gcpPrices({ service: opened, url: `${lists.url}/gcp`, regions: ["us-central1"], types: {}, nowMs: NOW }),
    );
    expect(text).toMatch(
      /^PRICES_STATUS: the price list of Google Cloud refused the request: HTTP 403 .*API key not valid/,
    );
    expect(text).not.toContain("wrong-secret");
  });
});

/** Answers the requests whose path has this end. */
function answering(end: string, send: (response: ServerResponse) => unknown): Fault {
  return (request, response) => {
    if (!(request.url ?? "").split("?", 1)[0]?.endsWith(end)) return false;
    send(response);
    return true;
  };
}

const csv = awsFile("us-west-1", { "t3.large": 0.0992 });
const packed = gzipSync(csv);

describe("a broken answer is an error with a code, never half a table", () => {
  it.each<[string, (response: ServerResponse) => unknown, string]>([
    [
      "HTML instead of CSV",
      (r) => r.end("<!DOCTYPE html>\n<html><body>Sign in</body></html>"),
      "PRICES_ANSWER: the price list of AWS did not return a price list: an HTML page",
    ],
    [
      "an empty file",
      (r) => r.end(""),
      "PRICES_ANSWER: the price list of AWS did not return a price list: it has no line with the names of columns",
    ],
    [
      "a file of another service",
      (r) => r.end(csv.replace("AmazonEC2", "AmazonRDS")),
      "PRICES_ANSWER: the price list of AWS did not return a price list: it is the list of AmazonRDS, not of AmazonEC2",
    ],
    [
      "a column that is gone",
      (r) => r.end(csv.replace("CapacityStatus", "Capacity")),
      "PRICES_ANSWER: the price list of AWS did not return a price list: it has no column CapacityStatus",
    ],
    [
      "a file without its date",
      (r) => r.end(csv.replace("Publication Date", "Date")),
      "PRICES_ANSWER: the price list of AWS did not return a price list: it has no publication date",
    ],
    [
      "a file that ends within a line",
      (r) => r.end(csv.slice(0, csv.lastIndexOf('","'))),
      "PRICES_CUT: the answer of the price list of AWS ends early: its last line is not complete",
    ],
    [
      "a file that ends after a column",
      (r) => r.end(csv.slice(0, csv.lastIndexOf(","))),
      "PRICES_CUT: the answer of the price list of AWS ends early: its last line has 29 of 30 columns",
    ],
    [
      "a connection that breaks within the file",
      (r) => {
        r.writeHead(200, { "content-length": String(csv.length) });
        r.write(csv.slice(0, 2000), () => r.destroy());
      },
      "PRICES_CUT",
    ],
    [
      "gzip that is cut off",
      (r) => {
        r.writeHead(200, { "content-encoding": "gzip" });
        r.end(packed.subarray(0, packed.length - 20));
      },
      "PRICES_CUT",
    ],
    [
      "plain text that calls itself gzip",
      (r) => {
        r.writeHead(200, { "content-encoding": "gzip" });
        r.end(csv);
      },
      "PRICES_ANSWER: the price list of AWS did not return a price list: it is not gzip",
    ],
    [
      "an encoding that was not asked for",
      (r) => {
        r.writeHead(200, { "content-encoding": "br" });
        r.end("x");
      },
      'PRICES_ANSWER: the price list of AWS did not return a price list: its encoding "br" was not asked for',
    ],
    [
      "a line without an end",
      (r) => r.end(`"${"x".repeat(300_000)}`),
      "PRICES_ANSWER: the price list of AWS did not return a price list: it is not CSV (CSV_MAX_RECORD_SIZE)",
    ],
    [
      "an address that moved",
      (r) => {
        r.writeHead(301, { location: "https://example.com/login" });
        r.end();
      },
      "PRICES_STATUS: the price list of AWS refused the request: HTTP 301 it has moved to https://example.com/login",
    ],
  ])("%s", async (_, send, expected) => {
    lists.fault = answering("us-west-1/index.csv", send);
    const found = plain(await aws(["us-west-1", "us-east-1"])) as Record<string, unknown>;
    expect(found["us-west-1"]).toEqual(
      expect.stringMatching(new RegExp(`^${expected.replaceAll(/[.()?"]/g, "\\$&")}`)),
    );
    expect(found["us-east-1"]).toMatchObject({ prices: TYPES.t3 });
  });

  it.each<[string, (response: ServerResponse) => unknown, string]>([
    ["HTML instead of JSON", (r) => r.end("<html></html>"), "an HTML page"],
    ["text instead of JSON", (r) => r.end("busy"), "no JSON"],
    ["JSON of another shape", (r) => r.end("{}"), "its index: regions is missing"],
    [
      "a path that leaves the list",
      (r) => r.end('{"regions": {"us-west-1": {"currentVersionUrl": "http://169.254.169.254/x"}}}'),
      "its index: regions.us-west-1.currentVersionUrl is not an address of /offers/…/index.json",
    ],
  ])("%s, where the index of regions is expected", async (_, send, detail) => {
    lists.fault = answering("region_index.json", send);
    expect(await failure(aws(["us-west-1"]))).toContain(
      `PRICES_ANSWER: the price list of AWS did not return a price list: ${detail}`,
    );
  });
});

describe("retries", () => {
  it("repeat after 429 as Retry-After asks, and after a broken file from its beginning", async () => {
    let left = 2;
    lists.fault = answering("us-west-1/index.csv", (response) => {
      left -= 1;
      if (left === 0) lists.fault = null;
      if (left === 1) response.writeHead(429, { "retry-after": "0" }).end();
      else response.end(csv.slice(0, -40));
    });
    expect(plain(await aws(["us-west-1"], { retries: 2 }))).toMatchObject({ "us-west-1": { prices: TYPES.west } });
  });

  it("do not wait for hours", async () => {
    lists.fault = (_, response) => {
      response.writeHead(429, { "retry-after": "7200" }).end();
      return true;
    };
    expect(await failure(aws(["us-west-1"], { retries: 5 }))).toBe(
      "PRICES_BUSY: the price list of AWS answers no more requests for 7200 s",
    );
    expect(lists.asked).toHaveLength(1);
  });

  it("end when an answer takes too long", async () => {
    lists.fault = (_, response) => {
      response.write("{");
      return true;
    };
    expect(await failure(aws(["us-west-1"], { answerMs: 200 }))).toMatch(/^PRICES_(AWAY|CUT): /);
  });
});
