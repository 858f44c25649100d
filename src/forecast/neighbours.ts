/** Approximate location of an electricity zone, in degrees. */
export interface Site {
  latitude: number;
  longitude: number;
}

const KM_PER_DEGREE = 111.2;
/** Minimum weight of a neighbourhood: a single distant zone has little information. */
const FIRM = 0.3;

/** A neighbourhood: how far west of the zone its centre is, and its width, in km. Weather mostly comes from the west. */
const AREAS = [
  { west: 0, width: 400 },
  { west: 700, width: 400 },
  { west: 1400, width: 500 },
];
export const NEIGHBOURHOODS = AREAS.length;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Weight of `other` in an area `west` km west of `site`: a Gaussian of the distance. */
function weigh(site: Site, other: Site, { west, width }: { west: number; width: number }): number {
  const middle = radians((site.latitude + other.latitude) / 2);
  const shift = west / Math.max(0.1, Math.cos(radians(site.latitude)));
  const east = (other.longitude - site.longitude) * KM_PER_DEGREE * Math.cos(middle) + shift * Math.cos(middle);
  const north = (other.latitude - site.latitude) * KM_PER_DEGREE;
  return Math.exp(-(east * east + north * north) / (2 * width * width));
}

/**
 * For each zone and area in turn, the weight of every zone in it; the sum is below 1. A zone has no weight for itself,
 * and one without a site has none at all.
 */
export function neighbours(sites: readonly (Site | undefined)[]): Float64Array[][] {
  return sites.map((site, own) =>
    AREAS.map((area) => {
      const weights = Float64Array.from(sites, (other, at) =>
        site === undefined || other === undefined || at === own ? 0 : weigh(site, other, area),
      );
      const total = weights.reduce((sum, weight) => sum + weight, FIRM);
      return weights.map((weight) => weight / total);
    }),
  );
}
