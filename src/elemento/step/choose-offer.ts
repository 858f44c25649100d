import type { Offer } from "../api/types.ts";
import { slugOf } from "../read-elemento-catalog.ts";

export interface WantedPlace {
  readonly provider?: string;
  readonly region?: string;
}

/** The cheapest month among the offers at the wanted place; null where nobody there has room. */
export function chooseOffer(offers: readonly Offer[], { provider, region }: WantedPlace): Offer | null {
  const fitting = offers.filter(
    (offer) =>
      (provider === undefined || offer.provider === provider) &&
      // An offer without a region is one of the provider's own choice: not where a region is asked for.
      (region === undefined || (offer.region !== null && slugOf(offer.region) === slugOf(region))),
  );
  return fitting.reduce<Offer | null>(
    (best, offer) => (best === null || offer.price.perMonth < best.price.perMonth ? offer : best),
    null,
  );
}
