import { readFile } from "node:fs/promises";
import { isObject, textOf } from "../../model/json.ts";
import { applyObject } from "../control-plane/apply-object.ts";
import { SYSTEM_NAMESPACE } from "../control-plane/write-pki.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { freePorts } from "../processes/free-ports.ts";
import { isHttpOk } from "../processes/is-http-ok.ts";
import { launch } from "../processes/launch.ts";
import type { Stage } from "../processes/launch.ts";
import { projectPath } from "../processes/project-path.ts";

const CATALOG = "catalog";
const SECRET = "elemento-account";
/** The double's own account, which only exists on this machine. */
const ACCOUNT = { username: "landfall", password: "correct horse" };
/** A made-up price: Elemento publishes none. */
const EUR_PER_MONTH = 20;
/** How long the double takes, in ms: a tenth of the real time or less. */
const TIMES = { vmMs: 3000, volumeMs: 500, clusterMs: 2000, deleteMs: 1000 };

/** The double sells in every place of the catalog: provider -> its regions by Elemento's names. */
async function sellers(): Promise<Record<string, { regions: string[]; month: number }>> {
  const { places } = JSON.parse(await readFile(projectPath(`${CATALOG}/places.json`), "utf8")) as {
    places: Record<string, unknown>;
  };
  const sold: Record<string, { regions: string[]; month: number }> = {};
  for (const place of Object.values(places)) {
    const target = isObject(place) ? place["elemento"] : undefined;
    if (!isObject(target)) continue;
    const seller = (sold[textOf(target["provider"])] ??= { regions: [], month: EUR_PER_MONTH });
    seller.regions.push(textOf(target["region"]));
  }
  return sold;
}

async function startServices(stage: Stage, speed: number): Promise<string> {
  const [port = 0] = await freePorts(1);
  const times = Object.entries(TIMES).map(([key, ms]) => [key, ms / speed] as const);
  const settings = [...times, ["prices", await sellers()] as const];
  const args = [
    ...[projectPath("test/doubles/elemento/main.ts"), "--port", String(port)],
    ...settings.flatMap(([key, value]) => ["--set", `${key}=${JSON.stringify(value)}`]),
  ];
  const url = `http://127.0.0.1:${String(port)}`;
  const ready = async (): Promise<boolean> => isHttpOk(`${url}/_control/counts`);
  await launch(stage, { name: "elemento-services", command: process.execPath, args, layer: 1, ready });
  return url;
}

/** Starts a double of Elemento's services, with an account there in the Secret that the operator reads. */
export async function startElementoServices(stage: Stage, client: KubeClient, speed: number): Promise<void> {
  const url = await startServices(stage, speed);
  const metadata = { name: SECRET, namespace: SYSTEM_NAMESPACE };
  const secret = { apiVersion: "v1", kind: "Secret", metadata, stringData: { url, ...ACCOUNT } };
  await applyObject(client, secret);
}
