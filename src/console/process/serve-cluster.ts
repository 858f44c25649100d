import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import { createClient } from "../../cluster/client/create-client.ts";
import { serverOfPod } from "../../cluster/client/load-kubeconfig.ts";
import { openConnections } from "../../cluster/client/open-connections.ts";
import type { RestConfig } from "../../cluster/client/rest-config.ts";
import type { Service } from "../../cluster/service/run-service.ts";
import { LandfallError, lineOf, messageOf } from "../../errors.ts";
import { openOutlook } from "../../external-data/forecasts/open-outlook.ts";
import { readForecastSettings } from "../../external-data/forecasts/read-settings.ts";
import type { ConsoleFlags } from "../../flags/console-options.ts";
import { forecastHours } from "../../forecast/forecast-hours.ts";
import { fedZones } from "../../model/places/catalog.ts";
import { inside } from "../../model/schemas/setting-problem.ts";
import { nowSeconds } from "../../model/time.ts";
import type { LoadedBundle } from "../../policy/loaded-bundle.ts";
import { buildConsole, type ConsoleOptions } from "../build-console.ts";
import { regoSources } from "../explanation/rego-sources.ts";
import { ruleLines } from "../explanation/rule-lines.ts";
import { readGeography } from "../map/read-geography.ts";
import { readPages } from "../pages/read-pages.ts";
import { openTrials, type Trials } from "../trying/open-trials.ts";
import { openUsers, type UsersOptions } from "../users/open-users.ts";
import { serveUsers } from "../users/serve-users.ts";
import { followCertificate, readCertificate } from "./certificate.ts";
import { openBundles } from "./open-bundles.ts";

type Env = Readonly<Record<string, string | undefined>>;

const CATALOG = fileURLToPath(new URL("../../../catalog", import.meta.url));

/** The API server of this Pod's cluster, with the CA of the flags. Throws CLUSTER_CONFIG. */
async function addressOf({ clusterCa }: ConsoleFlags, env: Env): Promise<Pick<RestConfig, "server" | "tls">> {
  const server = serverOfPod(env);
  if (server === null)
    throw new LandfallError("CLUSTER_CONFIG", { source: "this process", detail: "it does not run in a Pod" });
  return { server, tls: { ca: await readFile(clusterCa, "utf8") } };
}

/** The forecasts of the settings; none without them. */
async function outlookOf(
  { forecastSettings }: ConsoleFlags,
  { catalog }: LoadedBundle,
  log: Logger,
): Promise<ReturnType<typeof openOutlook> | undefined> {
  if (forecastSettings === undefined) return undefined;
  const settings = await readForecastSettings(forecastSettings);
  return openOutlook({
    ...{ settings, zones: fedZones(catalog), forecastHours },
    onProblem: (source, { line }) => {
      log.warn({ source, error: line }, "a source of forecasts failed");
    },
  });
}

/** The parts that all users read, and none can change. */
interface Shared extends Omit<ConsoleOptions, "client" | "callers" | "cluster" | "outlook" | "inTurn" | "askApart"> {
  trials: Trials;
  outlook?: ReturnType<typeof openOutlook>;
}

async function openShared(flags: ConsoleFlags, pages: string, env: Env, log: Logger): Promise<Shared> {
  const { bundle: ref, bundleSettings: settings, unsigned = false, crane, ca, plainHttp, systemNamespace } = flags;
  const { loaded, bytes } = await openBundles({
    ...{ ref, settings, unsigned, registry: { crane, ca, plainHttp, env } },
    omitted: (name, thrown) => {
      log.warn({ bundle: name, error: lineOf(thrown) }, "an optional bundle is not used");
    },
  });
  const outlook = await outlookOf(flags, loaded.bundle, log);
  return {
    ...{ systemNamespace, policy: loaded.bundle, ruleLine: ruleLines(regoSources(bytes, ref)) },
    ...{ pages: await readPages(pages), geography: await readGeography(CATALOG) },
    trials: openTrials(loaded.tarballs, { env }),
    settings: inside(loaded.data, "landfall", "settings"),
    ...(outlook === undefined ? {} : { outlook }),
    failed: (thrown, path) => {
      log.error({ path, error: lineOf(thrown) }, "a request failed");
    },
  };
}

export interface ServeClusterOptions {
  flags: ConsoleFlags;
  /** Folder of the built pages. */
  pages: string;
  env: Env;
  log: Logger;
}

/** Serves the cluster to the users of an authenticating proxy. Throws CLUSTER_CONFIG, CONSOLE_PORT, BUNDLE_…, FORECAST_SETTINGS. */
export async function serveCluster({ flags, pages, env, log }: ServeClusterOptions): Promise<Service> {
  const { server: apiServer, tls } = await addressOf(flags, env);
  const connections = openConnections({ tls });
  const { trials, ...shared } = await openShared(flags, pages, env, log);
  const cluster = { server: apiServer, namespace: "default", timeLapse: 1, recorded: null };
  const clientOf: UsersOptions["clientOf"] = (token) => {
    const headers = (): Promise<Record<string, string>> => Promise.resolve({ authorization: `Bearer ${token}` });
    return createClient({ server: apiServer, tls, headers, namespace: "default" }, connections);
  };
  const users = openUsers({
    ...{ clientOf, nowMs: () => performance.now(), nowSeconds },
    build: (client, inTurn, user) =>
      buildConsole({
        ...{ ...shared, client, cluster, callers: null, inTurn },
        askApart: (what, about, left) => trials.ask(user, what, about, left),
      }),
  });
  const certificate = await readCertificate(flags);
  const server = serveUsers({ users, origin: flags.origin, certificate, failed: shared.failed });
  const stopFollowing = followCertificate(flags, server, log);
  server.listen({ host: flags.host, port: flags.port });
  await once(server, "listening").catch((thrown: unknown) => {
    const address = `${flags.host}:${String(flags.port)}`;
    throw new LandfallError("CONSOLE_PORT", { address, detail: messageOf(thrown) }, thrown);
  });
  const { port } = server.address() as AddressInfo;
  return {
    about: { origin: flags.origin, port, tls: certificate !== null, bundle: shared.policy.digest },
    health: () => ({ users: users.size() }),
    async stop() {
      stopFollowing();
      server.close();
      await users.stop();
      trials.stop();
      server.closeAllConnections();
      await shared.outlook?.stop();
      await connections.destroy();
    },
  };
}
