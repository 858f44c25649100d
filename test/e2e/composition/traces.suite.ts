// Traces of a controller that installs and deletes.
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Resource } from "../../../src/composition/types.ts";
import { type Collector, type ReceivedSpan, startCollector } from "../../support/services/collector.ts";
import {
  type ClusterUnderTest,
  clusterUnderTest,
  conditionOf,
  type ControllerProcess,
  until,
} from "./cluster-under-test.ts";

const DEFINITIONS = "/apis/core.krateo.io/v1alpha1/namespaces/demo/compositiondefinitions";
const VMS = "/apis/composition.krateo.io/v0-1-0/namespaces/demo/testvms";

let world: ClusterUnderTest;
let collector: Collector;
let controller: ControllerProcess;

beforeAll(async () => {
  [world, collector] = [await clusterUnderTest(), await startCollector()];
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url);
  vi.stubEnv("OTEL_BSP_SCHEDULE_DELAY", "200");
  controller = world.startController();
  vi.unstubAllEnvs();
  await world.api.create(DEFINITIONS, {
    ...{ apiVersion: "core.krateo.io/v1alpha1", kind: "CompositionDefinition" },
    ...{ metadata: { name: "test-vm", namespace: "demo" }, spec: { chart: { url: world.chart } } },
  });
});

afterAll(async () => {
  await world.reset();
  await collector.close();
});

it("show what a reconcile took: its values, helm, and the status", async () => {
  await until(async () => (await world.api.get(VMS)) !== null);
  const about = { apiVersion: "composition.krateo.io/v0-1-0", kind: "TestVm" };
  const made = await world.api.create<Resource>(VMS, {
    ...{ ...about, metadata: { name: "seen", namespace: "demo" }, spec: { cpu: 1 } },
  });
  await until(async () => conditionOf(await world.api.get<Resource>(`${VMS}/seen`), "Synced")?.status === "True");
  await world.api.remove(`${VMS}/seen`);
  await until(async () => (await world.api.get(`${VMS}/seen`)) === null, 60);
  expect(await controller.end("SIGTERM")).toBe(0);

  const { spans } = collector;
  const childrenOf = ({ spanId }: ReceivedSpan): string[] =>
    spans
      .filter(({ parentSpanId }) => parentSpanId === spanId)
      .sort((one, other) => one.beganMs - other.beganMs)
      .map(({ name }) => name);
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === "");
  expect(roots.length).toBeGreaterThan(1);
  for (const root of roots) {
    expect(root).toMatchObject({ service: "landfall-controller", name: "reconcile" });
    expect(root.attributes["k8s.namespace.name"]).toBe("demo");
  }
  const install = roots.find((root) => childrenOf(root).includes("helm install"));
  expect(install?.attributes).toMatchObject({ "landfall.object": made.metadata.uid, "landfall.kind": "TestVm" });
  const parts = install === undefined ? [] : childrenOf(install);
  expect(parts.filter((name) => name !== "status")).toEqual(["render", "observe", "helm install"]);
  expect(spans.find(({ name }) => name === "helm install")?.attributes).toMatchObject({ "landfall.helm_code": 0 });
  expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining(["status", "helm uninstall"]));
  // Names of objects and releases are in the log.
  expect(JSON.stringify(spans)).not.toContain("seen");
});
