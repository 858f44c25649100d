import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { openChartRegistry } from "../../bundle/registry/open-chart-registry.ts";
import { createClient } from "../../cluster/client/create-client.ts";
import type { RestConfig } from "../../cluster/client/rest-config.ts";
import type { ControllerFlags } from "../../flags/controller-options.ts";
import { warnProtectionsOff } from "../../flags/protections-off.ts";
import { lineOf } from "../../errors.ts";
import { awaitKeySecret, openKeySecret } from "../../keys/key-secret.ts";
import { readKeyFiles } from "../../keys/key-files.ts";
import { type Keys, openKeys } from "../../keys/open-keys.ts";
import type { ChartTrust } from "../chart/chart-trust.ts";
import type { ControllerOptions } from "../controller/controller.ts";
import { openChartTrust } from "./open-chart-trust.ts";
import { chooseWorker } from "../helm/choose-worker.ts";
import { readReportOptions } from "../report/read-report-options.ts";
import { nowSeconds } from "../../model/time.ts";

/** The parts of the process besides its flags. */
export interface Surroundings {
  config: RestConfig;
  /** Absolute path. */
  dataDirectory: string;
  log: Logger;
  env: NodeJS.ProcessEnv;
}

/** Environment variables that are passed to helm: network settings. It reaches the cluster only through this process. */
const PASSED = /^(PATH|HOME|TMPDIR|SSL_CERT_(FILE|DIR)|(HTTPS?|NO|ALL)_PROXY)$/i;

type Helms = Pick<ControllerOptions, "helm" | "helmWorker" | "helmBy">;

async function helmOf(flags: ControllerFlags, home: string, { log, env: given }: Surroundings): Promise<Helms> {
  const { helm, helmWorker, helmBy, helmTimeout, scheduleOnly = false } = flags;
  const passed = Object.entries(given).filter(([key, value]) => PASSED.test(key) && value !== undefined);
  const own = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, KUBECACHEDIR: join(home, "kube") };
  const env = { ...(Object.fromEntries(passed) as Record<string, string>), ...own };
  const program = { binary: helm, timeoutMs: helmTimeout * 1000, env };
  if (scheduleOnly) return { helm: program, helmWorker: null, helmBy: null };
  const { worker, about } = await chooseWorker(helmBy, helmWorker);
  log.info({ helmBy: about }, "how releases are changed");
  return { helm: program, helmWorker: worker === null ? null : { binary: worker, env }, helmBy: about };
}

/** Null where objects without a decision are installed, or where this process installs nothing. Throws REL_SIGNING_KEY. */
async function openControllerKeys(flags: ControllerFlags, { config, log }: Surroundings): Promise<Keys | null> {
  const { signingKey: path, allowUndecided = false, scheduleOnly = false, systemNamespace } = flags;
  const code = "REL_SIGNING_KEY";
  const onFailure = (thrown: unknown): void => {
    log.warn({ error: lineOf(thrown) }, "the signing keys cannot be read again; the known ones stay in use");
  };
  if (path !== undefined)
    return openKeys({ read: () => readKeyFiles(path, code), where: path, code, nowSeconds, onFailure });
  if (allowUndecided || scheduleOnly) return null;
  const secret = openKeySecret(createClient(config), systemNamespace);
  await awaitKeySecret(secret, log);
  const read = async () => (await secret.read())?.entries ?? null;
  return openKeys({ read, where: secret.where, code, nowSeconds, onFailure });
}

function chartSignatures({ verify, signaturesRequired }: ChartTrust): string {
  if (signaturesRequired) return "required";
  return verify === null ? "not checked" : "optional";
}

function warnOfProtections(flags: ControllerFlags, charts: ChartTrust, log: Logger): void {
  const unsigned = flags.bundle !== undefined && flags.bundleSettings === undefined;
  warnProtectionsOff(log, {
    ...flags,
    bundles: unsigned ? { "the bundle of scans": "off" } : {},
    ...(flags.scheduleOnly === true ? {} : { charts: chartSignatures(charts) }),
  });
}

/** The decisions of the controller alone, and the work that only its process can do. */
type Own = "runMetrics" | "metrics" | "onStartedLeading" | "lead";

/** Opens the parts of the controller that its flags describe. Throws what is wrong with a flag's file or value. */
export async function openParts(
  flags: ControllerFlags,
  surroundings: Surroundings,
): Promise<Omit<ControllerOptions, Own>> {
  const { config, dataDirectory, log, env } = surroundings;
  const home = join(dataDirectory, "helm");
  await mkdir(home, { recursive: true });
  const keys = await openControllerKeys(flags, surroundings);
  const charts = await openChartTrust(flags, env);
  warnOfProtections(flags, charts, log);
  return {
    ...{ config, dataDirectory, log, charts, ...(await helmOf(flags, home, surroundings)) },
    workers: flags.workers,
    resyncSeconds: flags.resync,
    krateoNamespace: flags.krateoNamespace,
    systemNamespace: flags.systemNamespace,
    keys: keys === null ? null : () => keys.ring(),
    chartRegistry: openChartRegistry({ crane: flags.crane, ca: flags.ca, env }),
    scheduleOnly: flags.scheduleOnly === true,
    graceSeconds: flags.endGrace,
    lookSeconds: flags.lookEvery ?? null,
    timeLapse: flags.timeLapse,
    reports: readReportOptions(flags, keys !== null),
    reconsiderSeconds: flags.reconsiderEvery,
    // Without keys, objects are installed as they are: no webhook runs.
    probeSeconds: keys === null ? 0 : flags.probeEvery,
  };
}
