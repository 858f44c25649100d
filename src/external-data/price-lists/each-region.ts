import pLimit from "p-limit";
import { asLandfallError, LandfallError } from "../../errors.ts";
import type { RegionPrices } from "../../model/places/price-list.ts";

/** After one of these, the list is not asked for the other regions: that would take as long for each of them. */
const DOWN: ReadonlySet<string> = new Set(["PRICES_AWAY", "PRICES_BUSY"]);

export interface EachRegion {
  regions: readonly string[];
  /** Regions that are asked at the same time. */
  parallel: number;
  /** Told of each region that was answered or failed. */
  onRegion: () => void;
}

/** The prices of each region, or why there are none. */
export async function eachRegion(
  { regions, parallel, onRegion }: EachRegion,
  ask: (region: string) => Promise<RegionPrices>,
): Promise<Map<string, RegionPrices | LandfallError>> {
  const limit = pLimit(parallel);
  let down: LandfallError | null = null;
  const found = regions.map((region) =>
    limit(async () => {
      const prices: RegionPrices | LandfallError = down ?? (await ask(region).catch(asLandfallError));
      if (prices instanceof LandfallError && DOWN.has(prices.code)) down = prices;
      onRegion();
      return [region, prices] as const;
    }),
  );
  return new Map(await Promise.all(found));
}
