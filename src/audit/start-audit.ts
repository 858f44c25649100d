import type { Logger } from "pino";
import { type BundleSettings, defaultSettings, readSettings } from "../bundle/read-settings.ts";
import type { RegistryOptions } from "../bundle/registry/registry-options.ts";
import { type StrikeStore, TeamStrikes } from "../bundle/follow/team-strikes.ts";
import type { KubeClient } from "../cluster/create-client.ts";
import { lineOf } from "../errors.ts";
import { type FollowedPolicy, followPolicy } from "./follow-policy.ts";
import type { OpenForecasts } from "./open-forecasts.ts";
import { startScans } from "./start-scans.ts";

export interface AuditOptions {
  client: KubeClient;
  /** The platform's bundle: an OCI reference or a file. */
  bundle: string;
  /** The file with the trusted signers and the additional bundles. */
  bundleSettings: string | undefined;
  /** Without such a file: use bundles without verifying signatures. */
  unsigned: boolean;
  registry: RegistryOptions;
  forecasts: OpenForecasts["forecasts"];
  everySeconds: number;
  /** Where it is kept which teams' rules were given up. */
  strikes: StrikeStore;
  log: Logger;
}

const settingsOf = ({ bundleSettings, unsigned }: AuditOptions): BundleSettings | Promise<BundleSettings> =>
  bundleSettings === undefined ? defaultSettings(unsigned ? "off" : "required") : readSettings(bundleSettings);

/** Scans the cluster from now on and writes its reports. Returns a function that stops it. */
export function startAudit(options: AuditOptions): () => Promise<void> {
  const { client, bundle: ref, registry, forecasts, everySeconds, log } = options;
  let followed: FollowedPolicy | null = null;
  /** Opened by the first scan that can: wrong settings fail a scan, not the process. */
  const open = async (): Promise<FollowedPolicy> =>
    (followed ??= await followPolicy({
      ...{ ref, settings: await settingsOf(options), registry, strikes: new TeamStrikes(options.strikes) },
      onEvent: (event, fields) => {
        log.warn(fields, event);
      },
    }));
  const stopScans = startScans({
    ...{ client, forecasts, everySeconds },
    policy: async () => (await open()).current(),
    nowSeconds: () => Math.floor(Date.now() / 1000),
    onScan: (result) => {
      log.info(result, "scan finished");
    },
    onFailure: (thrown) => {
      log.warn({ error: lineOf(thrown) }, "scan failed");
    },
  });
  return async () => {
    stopScans();
    await followed?.stop();
  };
}
