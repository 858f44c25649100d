/** Where a zone's electricity is about, in degrees. */
export interface Site {
  latitude: number;
  longitude: number;
}

const KM_PER_DEGREE = 111.2;
/** How much the neighbourhood has to weigh before it counts: a lone distant zone says little. */
const FIRM = 0.3;

/** A neighbourhood: how far west of the zone it lies, and how wide it is, in km. Weather mostly comes from the west. */
const AREAS = [
  { west: 0, width: 400 },
  { west: 700, width: 400 },
  { west: 1400, width: 500 },
];
export const NEIGHBOURHOODS = AREAS.length;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** How much `other` counts for an area `west` km west of `site`: a bell over the distance. */
function weigh(site: Site, other: Site, { west, width }: { west: number; width: number }): number {
  const middle = radians((site.latitude + other.latitude) / 2);
  const shift = west / Math.max(0.1, Math.cos(radians(site.latitude)));
  const east = (other.longitude - site.longitude) * KM_PER_DEGREE * Math.cos(middle) + shift * Math.cos(middle);
  const north = (other.latitude - site.latitude) * KM_PER_DEGREE;
  return Math.exp(-(east * east + north * north) / (2 * width * width));
}

/**
 * For each zone and each area one after the other, what each of the zones counts there: below 1 in all. A zone does not count
 * for itself, one without a site counts for nobody.
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
