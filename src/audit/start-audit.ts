import type { Logger } from "pino";
import { join } from "node:path";
import { type BundleStore, openStore } from "../bundle/bundle-store.ts";
import { type BundleSettings, defaultSettings, readSettings } from "../bundle/read-settings.ts";
import { recordedStore } from "../bundle/recorded-store.ts";
import type { RegistryOptions } from "../bundle/registry/registry-options.ts";
import { type StrikeStore, TeamStrikes } from "../bundle/follow/team-strikes.ts";
import type { KubeClient } from "../cluster/client/create-client.ts";
import { createEventRecorder } from "../cluster/create-event-recorder.ts";
import { openVersionRecord } from "../cluster/open-version-record.ts";
import { lineOf } from "../errors.ts";
import { type FollowedPolicy, followPolicy } from "./follow-policy.ts";
import type { OpenForecasts } from "./open-forecasts.ts";
import { type scanOnce, startScans } from "./start-scans.ts";
import { nowSeconds } from "../model/time.ts";

export interface AuditOptions {
  client: KubeClient;
  /** Landfall's own namespace. */
  systemNamespace: string;
  /** The platform's bundle: an OCI reference or a file. */
  bundle: string;
  /** The file with the trusted signers and the additional bundles. */
  bundleSettings: string | undefined;
  /** Without such a file: use bundles without verifying signatures. */
  unsigned: boolean;
  registry: RegistryOptions;
  forecasts: OpenForecasts["forecasts"];
  everySeconds: number;
  /** The folder of the last good bundles: a restart continues with them while a registry offers none that may be used. */
  folder: string;
  /** The store of the teams whose rules were given up. */
  strikes: StrikeStore;
  /** The result of each scan; null for one that failed. */
  onScan: (result: Awaited<ReturnType<typeof scanOnce>> | null) => void;
  log: Logger;
}

/** A setting that stays wrong is said again once an hour, which is how long the API server keeps Events. */
const QUIET_MS = 3_600_000;

const settingsOf = ({ bundleSettings, unsigned }: AuditOptions): BundleSettings | Promise<BundleSettings> =>
  bundleSettings === undefined ? defaultSettings(unsigned ? "off" : "required") : readSettings(bundleSettings);

/** Scans the cluster from now on and writes its reports. Returns a function that stops it. */
export function startAudit(options: AuditOptions): () => Promise<void> {
  const { client, systemNamespace, bundle: ref, registry, forecasts, everySeconds, folder, log } = options;
  const record = openVersionRecord(client, systemNamespace);
  const storeOf = (name: string | null): BundleStore =>
    recordedStore(openStore(name === null ? folder : join(folder, "beside", name)), record, (thrown) => {
      log.warn({ error: lineOf(thrown) }, "the record of bundle versions cannot be read, or was changed");
    });
  let followed: FollowedPolicy | null = null;
  /** Opened by the first scan that can: wrong settings fail a scan, not the process. */
  const open = async (): Promise<FollowedPolicy> =>
    (followed ??= await followPolicy({
      ...{ ref, settings: await settingsOf(options), registry, strikes: new TeamStrikes(options.strikes), storeOf },
      onEvent: (event, fields) => {
        log.warn(fields, event);
      },
    }));
  const stopScans = startScans({
    ...{ client, forecasts, everySeconds },
    record: createEventRecorder(client, {
      ...{ component: "landfall-audit", nowMs: Date.now, quietMs: QUIET_MS },
      onFailure: (thrown) => {
        log.warn({ error: lineOf(thrown) }, "event not written");
      },
    }),
    policy: async () => (await open()).current(),
    nowSeconds,
    onScan: (result) => {
      log.info(result, "scan finished");
      options.onScan(result);
    },
    onFailure: (thrown) => {
      log.warn({ error: lineOf(thrown) }, "scan failed");
      options.onScan(null);
    },
  });
  return async () => {
    stopScans();
    await followed?.stop();
  };
}
