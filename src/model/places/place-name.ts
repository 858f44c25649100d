import type { PlaceKey } from "../workload.ts";

/** The name of a place: `azure/italynorth`. */
export const placeName = ({ provider, region }: { provider: string; region: string }): PlaceKey =>
  `${provider}/${region}`;
