import { LandfallError } from "../../errors.ts";
import type { PriceList, RegionPrices } from "../../model/places/price-list.ts";
import { formatTime } from "../../model/time.ts";
import { type AzurePage, isAzurePage, isHourOfMachine } from "./azure-items.ts";
import { answerProblem } from "../../model/wrong-value/first-problem.ts";
import { eachRegion } from "./each-region.ts";
import type { PriceService } from "./price-service.ts";

/** Regions that are asked at the same time. */
const PARALLEL = 4;
/** Of one region, with 100 to 1,000 meters each: three times as many as the largest has. */
const MOST_PAGES = 300;

/** Whom its errors name. */
export const AZURE = { source: "the price list of Azure", option: "--azure-url" } as const;

export interface AzureAsk {
  service: PriceService;
  /** Address of the API. */
  url: string;
  regions: readonly string[];
  nowMs: number;
  onRegion: () => void;
}

function firstPage(url: string, region: string): URL {
  const first = new URL(url);
  first.searchParams.set("api-version", "2023-01-01-preview");
  const filter = `serviceName eq 'Virtual Machines' and priceType eq 'Consumption' and armRegionName eq '${region}'`;
  first.searchParams.set("$filter", filter);
  return first;
}

/**
 * The next page at the address that was asked: a link's host and port are those of the API (`prices.azure.com:443`), even where a
 * mirror answers.
 */
function nextPage(url: string, link: string): URL | null {
  const search = URL.parse(link)?.search ?? "";
  if (search === "") return null;
  const next = new URL(url);
  next.search = search;
  return next;
}

function pageOf(answer: unknown): AzurePage {
  if (isAzurePage(answer)) return answer;
  throw new LandfallError("PRICES_ANSWER", { ...AZURE, detail: answerProblem(isAzurePage, answer) });
}

/** Throws PRICES_…: what a region has is its whole list or nothing. */
async function regionPrices({ service, url, nowMs }: AzureAsk, region: string): Promise<RegionPrices> {
  const prices = new Map<string, number>();
  const seen = new Set<string>();
  let page: URL | null = firstPage(url, region);
  while (page !== null) {
    if (seen.has(page.search) || seen.size >= MOST_PAGES)
      throw new LandfallError("PRICES_ANSWER", { ...AZURE, detail: `the pages of ${region} do not end` });
    seen.add(page.search);
    const { Items, NextPageLink }: AzurePage = await service.json(page, pageOf);
    for (const item of Items) {
      if (item.armRegionName !== region || !isHourOfMachine(item, nowMs)) continue;
      const { armSkuName, retailPrice } = item;
      // Of several meters of a type, the cheapest is the machine's own: licences and options only add to a price.
      prices.set(armSkuName, Math.min(retailPrice, prices.get(armSkuName) ?? Infinity));
    }
    page = typeof NextPageLink === "string" && NextPageLink !== "" ? nextPage(url, NextPageLink) : null;
  }
  return { date: formatTime(Math.floor(nowMs / 1000)).slice(0, 10), prices };
}

/** The prices of the Azure Retail Prices API, of each region or why there are none. */
export async function azurePrices(ask: AzureAsk): Promise<PriceList> {
  const { regions, onRegion } = ask;
  const found = await eachRegion({ regions, onRegion, parallel: PARALLEL }, (region) => regionPrices(ask, region));
  return { provider: "azure", regions: found };
}
