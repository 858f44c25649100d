// `node src/local/simulators/main.ts --kubeconfig FILE [--speed N] [--catalog DIR]`: simulates the operators
// ASO, ACK and Config Connector on a local API server. Nothing leaves the machine: no cloud is asked, no machine is started.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createClient } from "../../cluster/client/create-client.ts";
import { loadKubeconfig } from "../../cluster/client/load-kubeconfig.ts";
import { openLogger } from "../../cluster/service/open-logger.ts";
import { LandfallError } from "../../errors.ts";
import { ack } from "./ack/ack.ts";
import { aso } from "./aso/aso.ts";
import { kcc } from "./kcc/kcc.ts";
import { readOffers } from "./read-offers.ts";
import { startSimulators } from "./start-simulators.ts";

const FAMILIES = [aso, ack, kcc];

const log = openLogger("info");
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
    values.kubeconfig === undefined
      ? "--kubeconfig FILE is missing"
      : `--speed ${values.speed} is not a positive number`;
  log.fatal(new LandfallError("CLI_USAGE", { detail }).line);
  process.exit(2);
}

const client = createClient(await loadKubeconfig(values.kubeconfig, {}));
const stop = startSimulators(client, {
  families: FAMILIES,
  offers: readOffers(await readFile(join(values.catalog, "instance-types.json"), "utf8")),
  speed,
  nowMs: Date.now,
  log: (event, fields) => {
    log.info(fields, event);
  },
});
log.info({ speed }, "started");

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void stop()
      .then(() => client.close())
      .finally(() => process.exit(0));
  });
}
