import type { AddressInfo } from "node:net";
import { createClient, type KubeClient } from "../cluster/client/create-client.ts";
import type { RestConfig } from "../cluster/client/rest-config.ts";
import { LandfallError, messageOf } from "../errors.ts";
import type { LoadedBundle } from "../policy/loaded-bundle.ts";
import { buildConsole } from "./build-console.ts";
import type { Landfall } from "./commands/run-command.ts";
import { ruleLines } from "./explanation/rule-lines.ts";
import { readGeography } from "./map/read-geography.ts";
import { readPages } from "./pages/read-pages.ts";
import type { FolderContent } from "./recorded/read-folder.ts";
import { recordedClient } from "./recorded/recorded-client.ts";
import type { ShownCluster } from "./routes/cluster-route.ts";
import { createSessions } from "./server/sessions.ts";
import { openTrials, type TrialBundles } from "./trying/open-trials.ts";
import type { Outlook } from "./timeline/outlook.ts";

export interface StartOptions {
  /** The user's connection, or the content of a folder. */
  source: RestConfig | FolderContent;
  systemNamespace: string;
  /** Folder of the built pages. */
  pages: string;
  policy: LoadedBundle;
  /** The bundles that it was loaded from. */
  tarballs: TrialBundles;
  /** The texts of the bundle's rules, by path. */
  sources: ReadonlyMap<string, string>;
  /** The command line, for impact and simulations; none if omitted. */
  landfall?: Landfall;
  /** `data.landfall.settings` of the bundle; null if it is not known. */
  settings?: unknown;
  /** Forecasts and measured hours; without them, the climatology of the bundle is used. */
  outlook?: Outlook & { stop: () => Promise<void> };
  /** Folder of the catalog, for the towns of its places. */
  catalog: string;
  /** How many seconds of a run that may pause take one second; 1 if omitted. */
  timeLapse?: number;
  /** 0 for any free one. */
  port: number;
  failed: (thrown: unknown, path: string) => void;
}

export interface RunningConsole {
  /** The address of the console, with a new one-time token. Addresses that were not opened end. */
  address(): string;
  stop(): Promise<void>;
}

/** No other machine reaches it. */
const LOOPBACK = "127.0.0.1";

function openSource(
  source: RestConfig | FolderContent,
  timeLapse: number,
): { client: KubeClient; cluster: ShownCluster } {
  if ("server" in source) {
    const { server, namespace } = source;
    return { client: createClient(source), cluster: { server, namespace, timeLapse, recorded: null } };
  }
  const { folder, files, simulations } = source;
  const recorded = { folder, files, simulations };
  const [first] = source.decided.values();
  return {
    client: recordedClient(source),
    cluster: { server: folder, namespace: first?.namespace.name ?? "default", timeLapse, recorded },
  };
}

/** Serves the console on this machine alone. Throws CONSOLE_PORT. */
export async function startConsole({
  source,
  port,
  pages,
  sources,
  catalog,
  tarballs,
  timeLapse = 1,
  ...rest
}: StartOptions): Promise<RunningConsole> {
  const { client, cluster } = openSource(source, timeLapse);
  const trials = openTrials(tarballs);
  const sessions = createSessions(() => performance.now());
  let hosts: readonly string[] = [];
  const app = buildConsole({
    ...rest,
    ...{
      client,
      callers: { sessions, hosts: () => hosts },
      pages: await readPages(pages),
      geography: await readGeography(catalog),
      ruleLine: ruleLines(sources),
      askApart: (what, about, left) => trials.ask("", what, about, left),
    },
    cluster,
  });
  try {
    await app.listen({ host: LOOPBACK, port });
  } catch (thrown) {
    await client.close();
    const params = { address: `${LOOPBACK}:${String(port)}`, detail: messageOf(thrown) };
    throw new LandfallError("CONSOLE_PORT", params, thrown);
  }
  const { port: bound } = app.server.address() as AddressInfo;
  hosts = [LOOPBACK, "localhost"].map((host) => `${host}:${String(bound)}`);
  return {
    // In the fragment, which browsers send to no server and write into no Referer.
    address: () => `http://${LOOPBACK}:${String(bound)}/#token=${sessions.token()}`,
    async stop() {
      await app.close();
      trials.stop();
      await rest.outlook?.stop();
      await client.close();
    },
  };
}
