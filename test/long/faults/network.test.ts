// The network between the API server and the webhook loses every packet for a while.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse, stringify } from "yaml";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Night, named, refusalsOf, startNight, tell } from "../../support/faults/night.ts";
import { makeNetwork, type OwnNetwork } from "../../support/faults/own-network.ts";

const SECONDS = Number(process.env["LANDFALL_FAULT_SECONDS"] ?? "60");
const OBJECTS = 5;

let network: OwnNetwork;
let night: Night;

/** The webhook's access to the API server at the address of this machine. */
async function accessFrom(outside: string): Promise<string> {
  const { paths } = night.landfall.stage;
  const file = join(paths.root, "webhook-outside.kubeconfig");
  const config = parse(await readFile(paths.kubeconfigOf("webhook"), "utf8")) as {
    clusters: { name: string; cluster: { server: string } }[];
  };
  const clusters = config.clusters.map(({ name, cluster }) => {
    const server = cluster.server.replace("127.0.0.1", outside);
    return { name, cluster: { ...cluster, server, "tls-server-name": "127.0.0.1" } };
  });
  await writeFile(file, stringify({ ...config, clusters }));
  return file;
}

beforeAll(async () => {
  network = makeNetwork();
  night = await startNight({ helmBy: "worker", apiServerFlags: { "bind-address": "0.0.0.0" } });
  network.relay(Number(night.landfall.registry.split(":")[1]));
  const [{ port }, kubeconfig] = [new URL(night.landfall.webhookUrl ?? ""), await accessFrom(network.outside)];
  const url = `https://${network.inside}:${port}`;
  await night.kubelet.restart("webhook", {
    by: network.by,
    args: (args) => [...args, "--host", "0.0.0.0", "--url", url, "--kubeconfig", kubeconfig],
  });
  await night.apply("first");
  await night.untilReady(["first"], 120);
});

afterAll(async () => {
  await night.stop().finally(() => {
    network.remove();
  });
});

it(`admits nothing for ${String(SECONDS)} s without an answer of the webhook, and goes on afterwards`, async () => {
  const [before, meanwhile] = [named("connected", OBJECTS), named("cut", OBJECTS)];
  await Promise.all(before.map((one) => night.apply(one)));
  network.cut();
  const began = performance.now();
  const applying = meanwhile.map((one) => night.apply(one));
  // What was admitted before is installed: that needs no webhook.
  const readyBefore = await night.untilReady(before, SECONDS).catch(() => "not before the network was back");
  await sleep(Math.max(0, SECONDS * 1000 - (performance.now() - began)));
  const admitted = (await night.list()).filter(({ metadata }) => metadata.name?.startsWith("cut-"));
  network.mend();
  const back = performance.now();
  const applied = await Promise.all(applying);
  const recovery = (performance.now() - back) / 1000;
  const ready = await night.untilReady([...before, ...meanwhile], 180);
  await night.count(["first", ...before, ...meanwhile]);
  tell(`no packets between API server and webhook for ${String(SECONDS)} s`, {
    ...{ "ready before": readyBefore, recovery, ready, seen: refusalsOf(applied) },
  });
  expect(admitted).toEqual([]);
  expect(recovery).toBeLessThan(60);
  await night.clear(["first", ...before, ...meanwhile], 180);
});
