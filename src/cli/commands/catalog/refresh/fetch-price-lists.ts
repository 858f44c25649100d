import type { CatalogFiles } from "../../../../bundle/catalog/catalog-files.ts";
import { proxiesOf } from "../../../../bundle/registry/proxies-of.ts";
import { AWS } from "../../../../external-data/price-lists/aws-rows.ts";
import { awsPrices } from "../../../../external-data/price-lists/aws-prices.ts";
import { AZURE, azurePrices } from "../../../../external-data/price-lists/azure-prices.ts";
import { GCP, gcpPrices } from "../../../../external-data/price-lists/gcp-prices.ts";
import { openPriceService, type PriceService } from "../../../../external-data/price-lists/price-service.ts";
import { LandfallError } from "../../../../errors.ts";
import type { PriceList } from "../../../../model/places/price-list.ts";
import type { Cli } from "../../../cli.ts";
import type { PriceListFlags } from "./refresh-options.ts";
import { GOOGLE_KEY } from "./wanted-places.ts";
import { table } from "../../../../model/table.ts";

/** Until an answer begins, and the longest silence within one. */
const SILENCE_MS = 60_000;

export interface PriceListAsk {
  files: CatalogFiles;
  /** Provider -> regions. */
  regions: ReadonlyMap<string, string[]>;
  flags: PriceListFlags;
  nowMs: number;
}

interface Asked {
  source: string;
  option: string;
}

const SOURCES: Readonly<Record<string, Asked>> = table({ azure: AZURE, aws: AWS, gcp: GCP });

function headersOf(cli: Cli, provider: string): Record<string, string> {
  const key = cli.env[GOOGLE_KEY];
  if (provider !== "gcp" || key === undefined) return {};
  // The key is never part of an address or a message.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new LandfallError("PRICES_KEY", { detail: `${GOOGLE_KEY} is not a key: it has spaces or is empty` });
  return { "x-goog-api-key": key };
}

function openService(cli: Cli, provider: string, { timeout, retries }: PriceListFlags): PriceService {
  const answerMs = timeout * 1000;
  return openPriceService({
    ...(SOURCES[provider] ?? AZURE),
    headers: { "user-agent": "landfall", ...headersOf(cli, provider) },
    proxies: proxiesOf(cli.env),
    ...{ timeoutMs: Math.min(SILENCE_MS, answerMs), answerMs, retries },
  });
}

/** A list of which no region could be read is a failure of the whole. */
function someRegion(list: PriceList): PriceList {
  const errors = [...list.regions.values()].filter((one) => one instanceof LandfallError);
  const [first] = errors;
  if (first !== undefined && errors.length === list.regions.size) throw first;
  return list;
}

/** Tells how far each list is, where a terminal shows it. */
function progress(cli: Cli, regions: PriceListAsk["regions"]): (provider: string) => () => void {
  const done = new Map<string, number>();
  const show = (): void => {
    const parts = [...done].map(([name, count]) => `${name} ${String(count)} of ${String(regions.get(name)?.length)}`);
    if (cli.watched) cli.rewrite(`landfall: prices of places: ${parts.join(", ")}`);
  };
  return (provider) => {
    done.set(provider, 0);
    return () => {
      done.set(provider, (done.get(provider) ?? 0) + 1);
      show();
    };
  };
}

/** The price lists of these providers. Throws PRICES_… of the first that cannot be read at all. */
export async function fetchPriceLists(cli: Cli, { files, regions: wanted, flags, nowMs }: PriceListAsk): Promise<PriceList[]> {
  const follow = progress(cli, wanted);
  const { types = {} } = files.instanceTypes.providers["gcp"] ?? {};
  const opened = [...wanted].map(([provider, regions]) => ({ provider, regions, service: openService(cli, provider, flags) }));
  const asked = opened.map(async ({ provider, regions, service }) => {
    const common = { service, regions, onRegion: follow(provider) };
    if (provider === "azure") return someRegion(await azurePrices({ ...common, url: flags.azureUrl, nowMs }));
    if (provider === "aws") return someRegion(await awsPrices({ ...common, url: flags.awsUrl }));
    return gcpPrices({ service, regions, url: flags.gcpUrl, types, nowMs });
  });
  try {
    return await Promise.all(asked);
  } finally {
    await Promise.allSettled(opened.map(({ service }) => service.close()));
    if (cli.watched) cli.rewrite("");
  }
}
