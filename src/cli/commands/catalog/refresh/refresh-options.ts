import { type Command, InvalidArgumentError } from "commander";
import { positive, whole } from "../../../../flags/option-values.ts";
import { type OutputFlags, withOutput } from "../../../options/output-option.ts";
import { repeated } from "../../../options/repeated.ts";
import { withRegistryOptions } from "../../../options/registry-options.ts";
import type { PushFlags } from "../../bundle/push-signed.ts";
import { type ReleaseFlags, withReleaseOptions } from "../../bundle/release-options.ts";

/** Parts of the catalog that are fetched. */
export const REFRESH_PARTS = ["prices", "carbon"] as const;
export type RefreshPart = (typeof REFRESH_PARTS)[number];

/** The addresses of the price lists, and how long an answer may take. */
export interface PriceListFlags {
  azureUrl: string;
  awsUrl: string;
  gcpUrl: string;
  /** Seconds of one whole answer. */
  timeout: number;
  retries: number;
}

export interface RefreshFlags extends PriceListFlags, ReleaseFlags, PushFlags, OutputFlags {
  provider?: string[];
  place?: string[];
  catalog?: string;
  source?: string;
  out?: string;
  save?: string;
  freshHours?: number;
  signingKey?: string;
  push?: string;
  forecastSettings?: string;
  history?: string;
  strict?: boolean;
}

const DAY_OF_SECONDS = 86_400;
const MOST_RETRIES = 20;

function address(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "") return text;
  throw new InvalidArgumentError("expected an address like https://prices.example.com/azure.");
}

/** Adds the options of `RefreshFlags` to a command. */
export const withRefreshOptions = (command: Command): Command =>
  withReleaseOptions(
    withRegistryOptions(
      withOutput(command)
        .option("--provider <name>", "only the prices of azure, aws or gcp; may be repeated", repeated)
        .option("--place <provider/region>", "only the prices of this place; may be repeated", repeated)
        .option("--catalog <folder>", "catalog that the prices are compared with (default: the project's own)")
        .option("--source <folder>", "folder of the policies, whose settings name the families (default: the project's own)")
        .option("--out <file>", "the data image to write (default: PART.tar.gz)")
        .option("--save <folder>", "also write the whole catalog with the new prices, for --catalog of the next call")
        .option("--fresh-hours <hours>", "maximum age of the data image's values", positive)
        .option("--signing-key <file>", "add opa's own .signatures.json, made with this private key (PEM)")
        .option("--push <ref>", "push the data image: host[:port]/repository:tag")
        .option("--key <file>", "sign the pushed image with this private key (PEM)")
        .option("--strict", "end with 3, and write nothing, if a place keeps its earlier prices")
        .option("--azure-url <url>", "Azure Retail Prices API, or a mirror", address, "https://prices.azure.com/api/retail/prices")
        .option("--aws-url <url>", "AWS price list, or a mirror", address, "https://pricing.us-east-1.amazonaws.com")
        .option("--gcp-url <url>", "Cloud Billing API of Google, or a mirror", address, "https://cloudbilling.googleapis.com")
        .option("--forecast-settings <file>", "for carbon: the webhook's forecast settings, with sources of measured hours")
        .option("--history <folder>", "for carbon: where the hours of services are kept between calls")
        .option("--timeout <seconds>", "limit of one whole answer", whole(1, DAY_OF_SECONDS), 900)
        .option("--retries <number>", "further attempts after a temporary failure", whole(0, MOST_RETRIES), 3)
    ),
  );
