// `node src/local/simulators/main.ts --kubeconfig FILE [--speed N] [--catalog DIR]`: plays ASO, ACK and Config
// Connector on a local API server. Nothing leaves the machine: no cloud is asked, no machine is started.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import { KubeConfig } from "@kubernetes/client-node";
import { pino } from "pino";
import { LandfallError, messageOf } from "../../errors.ts";
import { ack } from "./ack.ts";
import { aso } from "./aso.ts";
import { Engine } from "./engine.ts";
import { findCollections } from "./find-collections.ts";
import { kcc } from "./kcc.ts";
import { connectKubeApi } from "./kube-api.ts";
import { readOffers } from "./read-offers.ts";
import { watchKind } from "./watch-kind.ts";

const FAMILIES = [aso, ack, kcc];
const DISCOVERY_MS = 1_000;

const log = pino({ name: "simulators" });
const { values } = parseArgs({
  options: {
    kubeconfig: { type: "string" },
    speed: { type: "string", default: "1" },
    catalog: { type: "string", default: fileURLToPath(new URL("../../../catalog", import.meta.url)) },
  },
});
const speed = Number(values.speed);
if (values.kubeconfig === undefined || !(speed > 0)) {
  const detail =
    values.kubeconfig === undefined ? "--kubeconfig FILE is missing" : `--speed ${values.speed} is no positive number`;
  log.fatal(new LandfallError("CLI_USAGE", { detail }).line);
  process.exit(2);
}

const config = new KubeConfig();
config.loadFromFile(values.kubeconfig);
const api = await connectKubeApi(config);
const stop = new AbortController();
const engine = new Engine(api, {
  families: FAMILIES,
  offers: readOffers(await readFile(join(values.catalog, "instance-types.json"), "utf8")),
  speed,
  clock: Date.now,
  log: (event, fields) => {
    log.info(fields, event);
  },
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    stop.abort();
    engine.stop();
    void api.close().then(() => process.exit(0));
  });
}

// Kinds are looked for again and again: a CRD may be added while this runs.
log.info({ speed }, "started");
const followed = new Set<string>();
while (!stop.signal.aborted) {
  const collections = await findCollections(api, FAMILIES).catch((thrown: unknown) => {
    log.warn({ detail: messageOf(thrown) }, "discovery");
    return new Map<string, never>();
  });
  for (const [key, collection] of collections) {
    const events = followed.has(key) ? null : engine.follow(key.split("/")[0] ?? "", collection);
    if (events === null) continue;
    followed.add(key);
    log.info({ kind: key, apiVersion: collection.apiVersion }, "following");
    void watchKind({ api, collection, events, signal: stop.signal });
  }
  await sleep(DISCOVERY_MS * (followed.size === 0 ? 1 : 10), undefined, { signal: stop.signal }).catch(() => undefined);
}
