import { slugOf } from "../read-elemento-catalog.ts";

export interface WantedPlace {
  readonly provider?: string;
  readonly region?: string;
}

export const placeText = ({ provider, region }: WantedPlace): string =>
  provider === undefined ? "any provider" : region === undefined ? provider : `${provider} ${region}`;

/**
 * Whether a place is none that is wanted. One without a region lets the provider choose: it is not a requested region. Where a machine is made
 * is decided, and stands in its spec; who may write only its status moves nothing.
 */
export const isElsewhere = (
  place: { readonly provider?: string; readonly region?: string | null },
  { provider, region }: WantedPlace,
): boolean =>
  (provider !== undefined && place.provider !== provider) ||
  (region !== undefined && (typeof place.region !== "string" || slugOf(place.region) !== slugOf(region)));
