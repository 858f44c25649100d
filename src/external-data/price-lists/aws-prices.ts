import { LandfallError } from "../../errors.ts";
import type { PriceList, RegionPrices } from "../../model/places/price-list.ts";
import { compileSchema } from "../../model/schemas/compile-schema.ts";
import { answerProblem } from "../../model/wrong-value/first-problem.ts";
import { AWS, awsRows } from "./aws-rows.ts";
import { eachRegion } from "./each-region.ts";
import type { PriceService } from "./price-service.ts";

/** Files that are read at the same time: parsing them takes more time than fetching them. */
const PARALLEL = 2;
const INDEX = "/offers/v1.0/aws/AmazonEC2/current/region_index.json";

export interface AwsAsk {
  service: PriceService;
  /** Address below which the list has `/offers/…`. */
  url: string;
  regions: readonly string[];
  onRegion: () => void;
}

interface RegionIndex {
  regions: Record<string, { currentVersionUrl: string }>;
}

const isIndex = compileSchema<RegionIndex>({
  type: "object",
  required: ["regions"],
  properties: {
    regions: {
      type: "object",
      additionalProperties: {
        type: "object",
        required: ["currentVersionUrl"],
        properties: {
          currentVersionUrl: {
            ...{ type: "string", title: "an address of /offers/…/index.json" },
            pattern: "^(https://[^/]+)?/offers/.+/index\\.json$",
          },
        },
      },
    },
  },
});

function indexOf(answer: unknown): RegionIndex {
  if (isIndex(answer)) return answer;
  throw new LandfallError("PRICES_ANSWER", { ...AWS, detail: `its index: ${answerProblem(isIndex, answer)}` });
}

/** A path of the list below the address that is asked, which may be a mirror's. */
const below = (url: string, path: string): URL => new URL(`${url.replace(/\/+$/, "")}${path}`);

/** The CSV file of a region: it is named as the JSON file that the index has. */
function fileOf(url: string, listed: string): URL {
  const path = listed.replace(/^https:\/\/[^/]+/, "");
  return below(url, path.replace(/\.json$/, ".csv"));
}

/** The prices of AWS's price list, of each region or why there are none. Throws PRICES_… if its index of regions cannot be read. */
export async function awsPrices({ service, url, regions, onRegion }: AwsAsk): Promise<PriceList> {
  const { regions: listed } = await service.json(below(url, INDEX), indexOf);
  const pricesOf = async (region: string): Promise<RegionPrices> => {
    const path = listed[region]?.currentVersionUrl;
    if (path === undefined) throw new LandfallError("PRICES_NONE", { region, source: AWS.source });
    return service.file(fileOf(url, path), (body) => awsRows(body, region));
  };
  return { provider: "aws", regions: await eachRegion({ regions, onRegion, parallel: PARALLEL }, pricesOf) };
}
