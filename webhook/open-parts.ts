import { join } from "node:path";
import type { FastifyBaseLogger } from "fastify";
import { type BundleStore, openStore } from "../src/bundle/bundle-store.ts";
import { openOthers } from "../src/bundle/follow/open-others.ts";
import { openSource } from "../src/bundle/open-source.ts";
import { type BundleSettings, defaultSettings, readSettings } from "../src/bundle/read-settings.ts";
import { recordedStore } from "../src/bundle/recorded-store.ts";
import { openVersionRecord } from "../src/cluster/open-version-record.ts";
import { createEventRecorder } from "../src/cluster/create-event-recorder.ts";
import type { KubeClient } from "../src/cluster/client/create-client.ts";
import type { WebhookFlags } from "../src/flags/webhook-options.ts";
import { type DecisionLog, openLog } from "../src/decision-log/open-log.ts";
import { LandfallError, lineOf, messageOf } from "../src/errors.ts";
import { listLive } from "../src/external-data/list-live.ts";
import { openScheduler, type Scheduler } from "../src/external-data/scheduler/open-scheduler.ts";
import { openLedger } from "../src/external-data/ledger/open-ledger.ts";
import { watchCluster } from "../src/external-data/watch-cluster.ts";
import { WEBHOOK } from "../src/model/names.ts";
import { openStrikeFile } from "../src/bundle/follow/strike-file.ts";
import { TeamStrikes } from "../src/bundle/follow/team-strikes.ts";
import type { WebhookParts } from "./webhook-parts.ts";
import { authenticationParts } from "./authentication/authentication-parts.ts";
import { reportBundles } from "./bundle-watch/report-bundles.ts";
import { type Forecasts, openForecasts } from "./open-forecasts.ts";
import { followTokenFile } from "./follow-token-file.ts";
import { openSigningKeys } from "./open-signing-keys.ts";
import { nowSeconds } from "../src/model/time.ts";

/** The object that Events of the webhook are about. */
const OWN_CONFIGURATION = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "MutatingWebhookConfiguration",
  metadata: { name: WEBHOOK.placement },
};

/** Unsigned bundles are used only with --unsigned. Throws BUNDLE_SETTINGS and BUNDLE_NO_SETTINGS. */
function readBundleSettings({ bundleSettings, unsigned }: WebhookFlags): Promise<BundleSettings> | BundleSettings {
  if (bundleSettings !== undefined) return readSettings(bundleSettings);
  if (unsigned === true) return defaultSettings("off");
  throw new LandfallError("BUNDLE_NO_SETTINGS");
}

async function openBundle(
  flags: WebhookFlags,
  { env, logger, client, recordEvent }: Surroundings & Pick<WebhookParts, "recordEvent">,
): Promise<WebhookParts["bundle"]> {
  const { crane, ca, plainHttp, dataDir, systemNamespace } = flags;
  const registry = { crane, ca, plainHttp, env };
  const settings = await readBundleSettings(flags);
  const record = openVersionRecord(client, systemNamespace);
  const storeIn = (...folder: string[]): BundleStore =>
    recordedStore(openStore(join(dataDir, "bundles", ...folder)), record, (thrown) => {
      const message = lineOf(thrown);
      logger.warn({ detail: message }, "the record of bundle versions cannot be read, or was changed");
      recordEvent({ type: "Warning", reason: "BundleVersionRecord", message });
    });
  return {
    settings,
    env,
    source: await openSource(flags.bundle, registry, settings.trust),
    store: storeIn(),
    others: await openOthers(settings.others, registry, (name) => storeIn("beside", name)),
    strikes: new TeamStrikes(
      openStrikeFile(join(dataDir, "bundles", "team-strikes.json"), (thrown) => {
        logger.warn({ detail: messageOf(thrown) }, "the strikes of teams cannot be kept on disk");
      }),
    ),
  };
}

const tokens =
  ({ logger }: Pick<Surroundings, "logger">) =>
  (option: string, file: string | undefined) =>
    followTokenFile(option, file, (thrown) => {
      logger.warn({ detail: messageOf(thrown) }, "a token cannot be read again; the known one stays in use");
    });

/** Throws ADM_TOKEN_FILE. */
async function openDecisionLog(flags: WebhookFlags, follow: ReturnType<typeof tokens>): Promise<DecisionLog | null> {
  const { decisionLog: target, decisionLogWhenFull: whenFull, decisionLogTokenFile: file } = flags;
  if (target === undefined) return null;
  const token = await follow("--decision-log-token-file", file);
  return openLog({ target, whenFull, token });
}

/** Throws SCHEDULER_SETTINGS. */
function openExternalScheduler(flags: WebhookFlags): Scheduler | null {
  const { scheduler: url, schedulerTokenFile, schedulerBudgetMs: budgetMs } = flags;
  if (url === undefined) return null;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    throw new LandfallError("SCHEDULER_SETTINGS", { detail: `${url} is not an http or https URL` });
  return openScheduler({ url, tokenFile: schedulerTokenFile ?? null, budgetMs });
}

async function openForecastSources(flags: WebhookFlags, logger: FastifyBaseLogger): Promise<Forecasts | null> {
  if (flags.forecastSettings === undefined) return null;
  return openForecasts(flags.forecastSettings, {
    folder: join(flags.dataDir, "measured"),
    onProblem: (source, { code, line }) => {
      logger.warn({ source, code, detail: line }, "a source of forecasts failed");
    },
  });
}

/** The parts of the API server that the webhook needs. */
function clusterParts(
  { client, logger }: Pick<Surroundings, "client" | "logger">,
  { systemNamespace, ledger }: Pick<WebhookFlags, "systemNamespace" | "ledger">,
): Pick<WebhookParts, "watchCluster" | "openLedger" | "canaries" | "recordEvent" | "bundleReports"> {
  const record = createEventRecorder(client, {
    // Each change of the bundle is an Event, also one back to the bundle before.
    ...{ component: "landfall-webhook", nowMs: Date.now, quietMs: 0 },
    onFailure: (thrown) => {
      logger.warn({ detail: messageOf(thrown) }, "an Event about a bundle cannot be written");
    },
  });
  const share: WebhookParts["openLedger"] = (onEvent, keys) =>
    openLedger({
      ...{ client, systemNamespace, keys, onEvent, nowSeconds },
      onFailure: (thrown) => {
        logger.warn({ detail: messageOf(thrown) }, "a PlacementLedger cannot be read or written");
      },
    });
  return {
    openLedger: ledger === true ? share : null,
    watchCluster: (onEvent, keys) =>
      watchCluster({
        client,
        keys,
        systemNamespace,
        nowSeconds,
        onEvent,
        onFailure: (message) => {
          logger.warn({ detail: message }, "the cluster could not be read or watched, and is tried again");
        },
      }),
    canaries: async (most, seed, ownerOf) => (most === 0 ? [] : listLive(client, most, seed, ownerOf)),
    recordEvent: (event) => {
      record(OWN_CONFIGURATION, event);
    },
    bundleReports: reportBundles({
      ...{ client, namespace: systemNamespace },
      onFailure: (thrown) => {
        logger.warn(
          { detail: messageOf(thrown) },
          "the report about the bundles cannot be written, and is tried again",
        );
      },
    }),
  };
}

interface Surroundings {
  client: KubeClient;
  tls: WebhookParts["tls"];
  logger: FastifyBaseLogger;
  /** For the credentials of registries. */
  env: NodeJS.ProcessEnv;
}

/** Opens the parts of the webhook that its flags describe. Throws what is wrong with a flag's file or value. */
export async function openParts(flags: WebhookFlags, surroundings: Surroundings): Promise<WebhookParts> {
  const { tls, logger } = surroundings;
  const cluster = clusterParts(surroundings, flags);
  const follow = tokens(surroundings);
  return {
    ...cluster,
    bundle: await openBundle(flags, { ...surroundings, recordEvent: cluster.recordEvent }),
    decisionLog: await openDecisionLog(flags, follow),
    scheduler: openExternalScheduler(flags),
    forecasts: await openForecastSources(flags, logger),
    pollToken: await follow("--poll-token-file", flags.pollTokenFile),
    statusToken: await follow("--status-token-file", flags.statusTokenFile),
    // Seconds to ms, and a fifth less.
    decisionMs: flags.webhookTimeout * 800,
    systemNamespace: flags.systemNamespace,
    authentication: authenticationParts(flags, surroundings.client),
    // The last: it is the only part that waits for the API server.
    keys: await openSigningKeys(flags, { ...surroundings, recordEvent: cluster.recordEvent }),
    tls,
    logger,
  };
}
