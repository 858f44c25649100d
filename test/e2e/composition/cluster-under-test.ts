import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { Server, Socket } from "node:net";
import { connect as dial, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { createClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import type { Crd } from "../../../src/composition/definition/generate-crd.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { aggregateRoles } from "../../../src/local/control-plane/aggregate-roles.ts";
import { applyManifests } from "../../../src/local/control-plane/apply-manifests.ts";
import type { ControlPlane } from "../../../src/local/control-plane/start-control-plane.ts";
import { startControlPlane } from "../../../src/local/control-plane/start-control-plane.ts";
import type { Condition } from "../../../src/model/kubernetes.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { textClient, type TextClient } from "../../support/text-client.ts";
import { type ControllerProcess, startControllerProcess } from "./controller-process.ts";

export type { ControllerProcess } from "./controller-process.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const CHART = here("../../fixtures/charts/test-vm");

export interface ClusterUnderTest {
  plane: ControlPlane;
  api: KubeClient & TextClient;
  helm: string;
  /** A copy of the test chart that tests may change. */
  chart: string;
  base: string;
  startController(flags?: string[]): ControllerProcess;
  /** Cuts the controller and helm off from the API server, and lets them through again. */
  outage: { begin(): void; end(): void };
  /** Ends the controllers and removes what they and the tests made, for the next suite. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** A TCP relay to the API server that can be cut. */
async function startRelay(port: number): Promise<{ server: Server; port: number; outage: ClusterUnderTest["outage"] }> {
  const sockets = new Set<Socket>();
  let cut = false;
  const server = createServer((inward) => {
    if (cut) {
      inward.destroy();
      return;
    }
    const outward = dial(port, "127.0.0.1");
    for (const socket of [inward, outward]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        inward.destroy();
        outward.destroy();
        sockets.delete(socket);
      });
    }
    inward.pipe(outward).pipe(inward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const begin = (): void => {
    cut = true;
    for (const socket of sockets) socket.destroy();
  };
  const end = (): void => {
    cut = false;
  };
  return { server, port: typeof address === "object" && address ? address.port : 0, outage: { begin, end } };
}

const DEMO = "/api/v1/namespaces/demo";
const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const TEST_KIND = "testvms.composition.krateo.io";
const DEFINITIONS = "/apis/core.krateo.io/v1alpha1/namespaces/demo/compositiondefinitions";

/** No controller is left that would take back the mark of what was in use. */
const ALLOW_DELETION = { "landfall.dev/allow-deletion": "the suite is over" };

/** Removes the objects of a collection; no controller is left that would end what their finalizers wait for. */
async function removeAll(api: TextClient, collection: string): Promise<void> {
  const { items } = (await api.get<{ items: Resource[] }>(collection)) ?? { items: [] };
  for (const { metadata } of items) {
    const path = `${collection}/${metadata.name ?? ""}`;
    await api.patch(path, "merge", { metadata: { finalizers: null, annotations: ALLOW_DELETION } });
    await api.remove(path);
  }
}

/** Removes compositions with their kind and definition, and their Events. */
async function removeCompositions(api: TextClient): Promise<void> {
  await removeAll(api, DEFINITIONS);
  const crd = await api.get<Crd>(`${CRDS}/${TEST_KIND}`);
  const version = crd?.spec.versions.find(({ storage }) => storage)?.name ?? "";
  await removeAll(api, `/apis/composition.krateo.io/${version}/namespaces/demo/testvms`);
  await api.patch(`${CRDS}/${TEST_KIND}`, "merge", { metadata: { annotations: ALLOW_DELETION } });
  await api.remove(`${CRDS}/${TEST_KIND}`);
  await api.remove(`${DEMO}/events`);
  await until(async () => (await api.get(`${CRDS}/${TEST_KIND}`)) === null);
}

let flagsOfAll: string[] = [];

/** Makes the controllers of this test file call helm by the worker. */
export async function useHelmWorker(): Promise<void> {
  flagsOfAll = ["--helm-worker", await toolPath("helm-worker")];
}

/** A real API server with the test providers' kinds, the test chart, and no controller yet. */
export async function startClusterUnderTest(): Promise<ClusterUnderTest> {
  const base = await mkdtemp(join(tmpdir(), "landfall-composition-"));
  const plane = await startControlPlane({ dir: join(base, "plane"), env: process.env });
  await applyManifests(plane.client, [here("../../fixtures/crds")]);
  await aggregateRoles(plane.client);
  const kubeconfig = await readFile(plane.kubeconfigOf("composition"), "utf8");
  const port = Number(/server: https:\/\/127\.0\.0\.1:(\d+)/.exec(kubeconfig)?.[1]);
  const relay = await startRelay(port);
  const relayed = join(base, "relayed.kubeconfig");
  await writeFile(relayed, kubeconfig.replace(`127.0.0.1:${port}`, `127.0.0.1:${relay.port}`));
  const api = textClient(createClient(await loadKubeconfig(plane.kubeconfig, {})));
  const helm = await plane.tool("helm");
  const chart = join(base, "test-vm");
  await cp(CHART, chart, { recursive: true });
  const started = new Set<ControllerProcess>();
  const endControllers = async (): Promise<void> => {
    await Promise.all([...started].map(async (one) => (one.child.exitCode === null ? one.end("SIGKILL") : null)));
  };
  return {
    ...{ plane, api, helm, chart, base, outage: relay.outage },
    startController(flags = []) {
      // The test's kind is not one that admission decides.
      const access = ["--kubeconfig", relayed, "--helm", helm, "--data-dir", join(base, "data")];
      const own = ["--allow-undecided", "--definition-namespaces", "demo", ...access];
      const controller = startControllerProcess([...own, ...flagsOfAll, ...flags]);
      started.add(controller);
      return controller;
    },
    async reset() {
      await endControllers();
      await removeCompositions(api);
      await rm(join(base, "data"), { recursive: true, force: true });
      await rm(chart, { recursive: true, force: true });
      await cp(CHART, chart, { recursive: true });
    },
    async stop() {
      await endControllers();
      relay.server.close();
      await api.close();
      await plane.stop();
      await rm(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

let shared: Promise<ClusterUnderTest> | undefined;

/** One cluster for all suites of a test file. */
export const clusterUnderTest = (): Promise<ClusterUnderTest> => (shared ??= startClusterUnderTest());

/** The answer of `ask` as soon as it is neither null, undefined, false nor a failed expectation; its last failure after the time. */
export async function until<T>(ask: () => Promise<T | null | undefined | false>, seconds = 60): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== null && answer !== false && answer !== undefined) return answer;
      if (Date.now() > end) throw new Error(`not within ${seconds} s`);
    } catch (failure) {
      if (Date.now() > end) throw failure;
    }
    await sleep(100);
  }
}

/** For what must not happen: asks again and again for the time, and fails as soon as `ask` throws or answers false. */
export async function stays(ask: () => Promise<unknown>, seconds: number): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    if ((await ask()) === false) throw new Error(`changed within ${seconds} s`);
    await sleep(100);
  }
}

export const conditionOf = (object: Resource | null, type: string): Condition | undefined =>
  (object?.status?.["conditions"] as Condition[] | undefined)?.find((condition) => condition.type === type);
