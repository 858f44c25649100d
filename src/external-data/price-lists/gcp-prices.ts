import { LandfallError } from "../../errors.ts";
import type { PricedType, PriceList, RegionPrices } from "../../model/places/price-list.ts";
import { compileSchema } from "../../model/schemas/compile-schema.ts";
import { answerProblem } from "../../model/wrong-value/first-problem.ts";
import { formatTime } from "../../model/time.ts";
import { GcpRates, type GcpSku } from "./gcp-rates.ts";
import { gcpTypePrice } from "./gcp-type-price.ts";
import type { PriceService } from "./price-service.ts";

/** Whom its errors name. */
export const GCP = { source: "the price list of Google Cloud", option: "--gcp-url" } as const;

/** Compute Engine in the Cloud Billing Catalog. */
const PATH = "/v1/services/6F81-5844-456A/skus";
/** With 5,000 products each: ten times as many as there are. */
const MOST_PAGES = 100;

export interface GcpAsk {
  service: PriceService;
  /** Address below which the API has `/v1/services/…`. */
  url: string;
  regions: readonly string[];
  /** Types whose price is computed. */
  types: Readonly<Record<string, PricedType>>;
  nowMs: number;
}

interface Page {
  skus: GcpSku[];
  nextPageToken?: string;
}

const text = { type: "string" };
const list = (items: object): object => ({ type: "array", items });
const record = (properties: Record<string, object>, required = Object.keys(properties)): object => ({
  ...{ type: "object", properties, required },
});
const price = record({ currencyCode: text, units: text, nanos: { type: "integer" } }, ["currencyCode"]);
const expression = record({ usageUnit: text, tieredRates: list(record({ unitPrice: price })) });
const sku = record({
  description: text,
  category: record({ resourceFamily: text, usageType: text }),
  serviceRegions: list(text),
  pricingInfo: list(record({ pricingExpression: expression })),
});
const isPage = compileSchema<Page>(record({ skus: list(sku), nextPageToken: text }, ["skus"]));

function pageOf(answer: unknown): Page {
  if (isPage(answer)) return answer;
  throw new LandfallError("PRICES_ANSWER", { ...GCP, detail: answerProblem(isPage, answer) });
}

async function allRates({ service, url }: GcpAsk): Promise<GcpRates> {
  const rates = new GcpRates();
  const address = new URL(`${url.replace(/\/+$/, "")}${PATH}`);
  address.searchParams.set("currencyCode", "USD");
  address.searchParams.set("pageSize", "5000");
  const seen = new Set<string>();
  for (let token = ""; !seen.has(token) && seen.size < MOST_PAGES;) {
    seen.add(token);
    if (token !== "") address.searchParams.set("pageToken", token);
    const { skus, nextPageToken = "" } = await service.json(address, pageOf);
    for (const one of skus) rates.add(one);
    if (nextPageToken === "") return rates;
    token = nextPageToken;
  }
  throw new LandfallError("PRICES_ANSWER", { ...GCP, detail: "its pages do not end" });
}

/** The prices of machine types from those of their parts, by region. Throws PRICES_…: without a page, no part is certain. */
export async function gcpPrices(ask: GcpAsk): Promise<PriceList> {
  const rates = await allRates(ask);
  const date = formatTime(Math.floor(ask.nowMs / 1000)).slice(0, 10);
  const pricesOf = (region: string): RegionPrices => {
    const prices = Object.entries(ask.types).flatMap(([name, type]) => {
      const usd = gcpTypePrice(rates, region, name, type);
      return usd === null ? [] : [[name, usd] as const];
    });
    return { date, prices: new Map(prices) };
  };
  return { provider: "gcp", regions: new Map(ask.regions.map((region) => [region, pricesOf(region)])) };
}
