import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** region -> machine type -> USD per hour */
export type Prices = Record<string, Record<string, number>>;

/** What the doubles sell. `gcp` has products by region: `n2 core` -> USD per hour. */
export interface Lists {
  azure?: Prices;
  aws?: Prices;
  gcp?: Prices;
  /** The key that Google's list asks for. */
  key?: string;
  /** Meters and products of a page. */
  page?: number;
}

/** Answers a request itself, or returns false to let the double answer. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface PriceLists {
  url: string;
  /** Options of `landfall catalog refresh` for these doubles. */
  flags: string[];
  /** Path and query of every request so far, decoded. */
  asked: string[];
  fault: Fault | null;
  close(): Promise<void>;
}

/** Of Azure's list; Google's has up to 5,000. */
const PAGE = 1000;

type Item = Record<string, unknown>;

const azureItem = (region: string, type: string, price: number, more: Item = {}): Item => ({
  currencyCode: "USD",
  tierMinimumUnits: 0,
  retailPrice: price,
  unitPrice: price,
  armRegionName: region,
  location: region,
  effectiveStartDate: "2024-01-01T00:00:00Z",
  meterId: "000a794b-bdb0-58be-a0cd-0c3a0f222923",
  meterName: type.replace("Standard_", "").replaceAll("_", " "),
  productId: "DZH318Z0BQPS",
  skuId: "DZH318Z0BQPS/00TG",
  productName: "Virtual Machines Series",
  skuName: type.replace("Standard_", "").replaceAll("_", " "),
  serviceName: "Virtual Machines",
  serviceId: "DZH313Z7MMC8",
  serviceFamily: "Compute",
  unitOfMeasure: "1 Hour",
  type: "Consumption",
  isPrimaryMeterRegion: true,
  armSkuName: type,
  ...more,
});

/** A machine's meter, and those beside it that are no price of the machine. */
const azureItems = (region: string, type: string, price: number): Item[] => [
  azureItem(region, type, price + 0.09, { productName: "Virtual Machines Series Windows" }),
  azureItem(region, type, price / 5, { skuName: "D2 Spot", meterName: "D2 Spot" }),
  azureItem(region, type, price / 4, { skuName: "D2 Low Priority", meterName: "D2 Low Priority" }),
  azureItem(region, type, price * 5000, { type: "Reservation", reservationTerm: "1 Year" }),
  azureItem(region, type, price / 2, { type: "DevTestConsumption" }),
  azureItem(region, type, price / 3, { isPrimaryMeterRegion: false }),
  azureItem(region, type, price / 6, { effectiveStartDate: "2999-01-01T00:00:00Z" }),
  azureItem(region, type, price),
];

/** Pages with links to the real host and port, as the API gives them. */
function azurePage(items: Item[], query: URLSearchParams, size: number): Item {
  const skip = Number(query.get("$skip") ?? 0);
  const filter = query.get("$filter") ?? "";
  const link = `https://prices.azure.com:443/api/retail/prices?api-version=2023-01-01-preview&$filter=${encodeURIComponent(filter)}&$skip=${String(skip + size)}`;
  const page = items.slice(skip, skip + size);
  const NextPageLink = skip + size < items.length ? link : null;
  const head = { BillingCurrency: "USD", CustomerEntityId: "Default", CustomerEntityType: "Retail" };
  return { ...head, Items: page, NextPageLink, Count: page.length };
}

/** Names and order of the real file, without the columns that nobody reads. */
const COLUMNS = [
  ...[
    "SKU",
    "OfferTermCode",
    "RateCode",
    "TermType",
    "PriceDescription",
    "EffectiveDate",
    "StartingRange",
    "EndingRange",
  ],
  ...["Unit", "PricePerUnit", "Currency", "LeaseContractLength", "PurchaseOption", "Product Family", "serviceCode"],
  ...["Location", "Location Type", "Instance Type", "vCPU", "Memory", "Tenancy", "Operating System", "License Model"],
  ...["usageType", "operation", "CapacityStatus", "MarketOption", "Pre Installed S/W", "Region Code", "serviceName"],
];

const quoted = (cells: readonly string[]): string => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",");

function awsRow(region: string, type: string, price: number, more: Record<string, string> = {}): string {
  const cells: Record<string, string> = {
    ...{ SKU: "JRTCKXETXF", OfferTermCode: "JRTCKXETXF", TermType: "OnDemand", Unit: "Hrs", Currency: "USD" },
    ...{
      PriceDescription: `$${String(price)} per "On Demand" Linux, ${type} Instance Hour`,
      PricePerUnit: price.toFixed(10),
    },
    ...{ "Product Family": "Compute Instance", serviceCode: "AmazonEC2", "Location Type": "AWS Region" },
    ...{ "Instance Type": type, Tenancy: "Shared", "Operating System": "Linux", operation: "RunInstances" },
    ...{ CapacityStatus: "Used", MarketOption: "OnDemand", "Pre Installed S/W": "NA", "Region Code": region },
    ...more,
  };
  return quoted(COLUMNS.map((name) => cells[name] ?? ""));
}

/** A region's file: five lines about it, the columns' names, and rows, most of which are no price of a machine. */
export function awsFile(region: string, prices: Record<string, number>): string {
  const rows = Object.entries(prices).flatMap(([type, price]) => [
    awsRow(region, type, price * 4000, { TermType: "Reserved", LeaseContractLength: "1yr", Unit: "Quantity" }),
    awsRow(region, type, price + 0.1, { "Operating System": "Windows", operation: "RunInstances:0002" }),
    awsRow(region, type, price + 1, { "Pre Installed S/W": "SQL Web", operation: "RunInstances:0200" }),
    awsRow(region, type, price * 1.1, { Tenancy: "Dedicated" }),
    awsRow(region, type, 0, { CapacityStatus: "AllocatedCapacityReservation" }),
    awsRow(region, type, price, { CapacityStatus: "UnusedCapacityReservation" }),
    awsRow(region, type, price / 3, { MarketOption: "CapacityBlock" }),
    awsRow(region, type, price * 1.3, { "Location Type": "AWS Local Zone", "Region Code": `${region}-lax-1` }),
    awsRow(region, type, price),
  ]);
  return [
    quoted(["FormatVersion", "v1.0"]),
    quoted(["Disclaimer", "This pricing list is for informational purposes only."]),
    quoted(["Publication Date", "2026-11-20T18:21:00Z"]),
    quoted(["Version", "20261120182100"]),
    quoted(["OfferCode", "AmazonEC2"]),
    quoted(COLUMNS),
    ...rows,
    "",
  ].join("\n");
}

/** How Google describes what it sells of a series. */
const DESCRIBED: Record<string, string> = {
  ...{
    n1: "N1 Predefined Instance",
    n2: "N2 Instance",
    n2d: "N2D AMD Instance",
    e2: "E2 Instance",
    c2: "Compute optimized",
  },
  ...{ c2d: "C2D AMD Instance", t2d: "T2D AMD Instance", t2a: "T2A Arm Instance", m1: "Memory-optimized Instance" },
  ...{ a2: "A2 Instance", g2: "G2 Instance", a3: "A3 Instance", a100: "Nvidia Tesla A100", l4: "Nvidia L4" },
};

function gcpSku(region: string, what: string, price: number, more: { prefix?: string; usageType?: string } = {}): Item {
  const [name = "", part = ""] = what.split(" ");
  const described = name.endsWith("micro") ? "Micro Instance with burstable CPU" : `${DESCRIBED[name] ?? name} ${part}`;
  const units = Math.floor(price);
  const unitPrice = { currencyCode: "USD", units: String(units), nanos: Math.round((price - units) * 1e9) };
  return {
    name: "services/6F81-5844-456A/skus/0000-0000-0000",
    skuId: "0000-0000-0000",
    description: `${more.prefix ?? ""}${described} running in ${region}`,
    category: {
      ...{ serviceDisplayName: "Compute Engine", resourceFamily: "Compute", resourceGroup: "CPU" },
      usageType: more.usageType ?? "OnDemand",
    },
    serviceRegions: [region],
    pricingInfo: [
      {
        summary: "",
        pricingExpression: {
          usageUnit: part === "Ram" ? "GiBy.h" : "h",
          displayQuantity: 1,
          tieredRates: [{ startUsageAmount: 0, unitPrice }],
        },
        currencyConversionRate: 1,
        effectiveTime: "2026-11-22T08:00:00Z",
      },
    ],
    serviceProviderName: "Google",
  };
}

const gcpSkus = (prices: Prices): Item[] =>
  Object.entries(prices).flatMap(([region, products]) =>
    Object.entries(products).flatMap(([what, price]) => [
      gcpSku(region, what, price / 4, { prefix: "Spot Preemptible ", usageType: "Preemptible" }),
      gcpSku(region, what, price * 1.05, { prefix: "Custom Extended " }),
      gcpSku(region, what, price),
    ]),
  );

interface Answer {
  status: number;
  type: string;
  body: string;
}

const json = (value: unknown, status = 200): Answer => ({
  status,
  type: "application/json",
  body: JSON.stringify(value),
});
const NOT_FOUND: Answer = { status: 404, type: "text/html", body: "<html>Not found</html>" };

function azure({ azure: prices = {}, page = PAGE }: Lists, { searchParams }: URL): Answer {
  const region = /armRegionName eq '([^']+)'/.exec(searchParams.get("$filter") ?? "")?.[1] ?? "";
  const items = Object.entries(prices[region] ?? {}).flatMap(([type, price]) => azureItems(region, type, price));
  return json(azurePage(items, searchParams, page));
}

function aws({ aws: prices = {} }: Lists, { pathname }: URL): Answer {
  const below = "/offers/v1.0/aws/AmazonEC2";
  if (pathname.endsWith("region_index.json")) {
    const regions = Object.keys(prices).map((regionCode) => {
      const currentVersionUrl = `${below}/20261120182100/${regionCode}/index.json`;
      return [regionCode, { regionCode, currentVersionUrl }] as const;
    });
    return json({
      formatVersion: "v1.0",
      publicationDate: "2026-11-20T18:21:00Z",
      regions: Object.fromEntries(regions),
    });
  }
  const region = /20261120182100\/([a-z0-9-]+)\/index\.csv$/.exec(pathname)?.[1] ?? "";
  const types = prices[region];
  return types === undefined ? NOT_FOUND : { status: 200, type: "text/csv", body: awsFile(region, types) };
}

function gcp({ gcp: prices = {}, key, page = PAGE }: Lists, { searchParams }: URL, given: unknown): Answer {
  if (given !== key)
    return json({ error: { code: 403, status: "PERMISSION_DENIED", message: "API key not valid" } }, 403);
  const skus = gcpSkus(prices);
  const from = Number(searchParams.get("pageToken") ?? 0);
  const next = from + page < skus.length ? String(from + page) : "";
  return json({ skus: skus.slice(from, from + page), nextPageToken: next });
}

function answer(lists: Lists, url: URL, headers: IncomingMessage["headers"]): Answer {
  if (url.pathname.startsWith("/azure/")) return azure(lists, url);
  if (url.pathname.startsWith("/aws/")) return aws(lists, url);
  const isGoogle = url.pathname === "/gcp/v1/services/6F81-5844-456A/skus";
  return isGoogle ? gcp(lists, url, headers["x-goog-api-key"]) : NOT_FOUND;
}

/** Doubles of the three price lists on a free port: paging, an index of regions, gzip for who accepts it. */
export async function startPriceLists(lists: Lists): Promise<PriceLists> {
  const service: PriceLists = { url: "", flags: [], asked: [], fault: null, close: () => Promise.resolve() };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    service.asked.push(decodeURIComponent(url.pathname + url.search.replaceAll("+", " ")));
    if (service.fault?.(request, response) === true) return;
    const { status, type, body } = answer(lists, url, request.headers);
    const isGzip = String(request.headers["accept-encoding"]).includes("gzip");
    response.writeHead(status, { "content-type": type, ...(isGzip ? { "content-encoding": "gzip" } : {}) });
    response.end(isGzip ? gzipSync(body) : body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  service.url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  service.flags = ["azure", "aws", "gcp"].flatMap((name) => [
    `--${name}-url`,
    `${service.url}/${name}${name === "azure" ? "/api/retail/prices" : ""}`,
  ]);
  service.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => {
        resolve();
      });
    });
  return service;
}
