import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { parse } from "yaml";
import { readForecastSettings } from "../../external-data/forecasts/read-settings.ts";
import { isObject, textOf } from "../../model/json.ts";
import { type Pki, WEBHOOK_CLIENT } from "../control-plane/write-pki.ts";

/** Often enough for a user who watches. */
const SCAN_SECONDS = 20;
/** The double of Elemento's services needs no limit; a user who watches should not wait for one. */
const REQUESTS_PER_SECOND = 100;

export interface LocalValuesInput {
  /** `host:port`. */
  registry: string;
  pki: Pki;
  /** Bundle, by tag, and the file of its settings: trusted keys and poll interval. */
  bundle: { tag: string; settings: string };
  webhookPort: number;
  /** File of forecast settings; climatology alone if it is null. */
  forecasts: string | null;
  /** Whether the controller scans by the bundle. */
  scan: boolean;
}

async function readSettings(file: string): Promise<{ settings: object; keys: Record<string, string> }> {
  const settings: unknown = parse(await readFile(file, "utf8"));
  const listed: unknown = isObject(settings) ? settings["keys"] : [];
  const names = Array.isArray(listed) ? listed.map(textOf) : [];
  const keys = await Promise.all(
    names.map(async (name) => [basename(name), await readFile(join(dirname(file), name), "utf8")] as const),
  );
  return { settings: isObject(settings) ? settings : {}, keys: Object.fromEntries(keys) };
}

/** The values of Landfall's chart for this machine: one replica each, and a URL, because a Service leads nowhere here. Throws FORECAST_SETTINGS. */
export async function localValues(input: LocalValuesInput): Promise<object> {
  const { registry, pki, bundle, webhookPort, forecasts, scan } = input;
  const { settings, keys } = await readSettings(bundle.settings);
  return {
    image: { repository: "landfall.local/landfall" },
    bundle: { ref: bundle.tag, settings, keys },
    registry: { plainHttp: true },
    // With the paths of its files from the root: the processes get a copy in another folder.
    forecasts: forecasts === null ? {} : await readForecastSettings(forecasts),
    webhook: {
      ...{ replicas: 1, url: `https://127.0.0.1:${String(webhookPort)}`, drainSeconds: 0 },
      clientCertificate: { ca: await readFile(pki.files.webhookClientAuthority, "utf8"), commonName: WEBHOOK_CLIENT },
    },
    controller: { replicas: 1, scan: { enabled: scan, everySeconds: SCAN_SECONDS } },
    charts: { repository: `oci://${registry}/charts` },
    // On this machine, every namespace may use the account.
    elemento: { enabled: true, tenants: { "*": {} }, requestsPerSecond: REQUESTS_PER_SECOND },
  };
}
