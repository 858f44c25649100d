import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readTracingSettings } from "../../../src/cluster/tracing/read-settings.ts";
import { LANDFALL_CHART, podTemplates, type Rendered, renderLandfall } from "../../support/charts/render-landfall.ts";

const minimal = parse(await readFile(join(LANDFALL_CHART, "ci/minimal-values.yaml"), "utf8")) as Record<
  string,
  unknown
>;

interface Variable {
  name: string;
  value?: string;
  valueFrom?: object;
}

/** The variables of each component's process. */
const variablesOf = (objects: readonly Rendered[]): Record<string, Variable[]> =>
  Object.fromEntries(
    podTemplates(objects).map(({ metadata, spec }): [string, Variable[]] => [
      metadata.labels["app.kubernetes.io/component"] ?? "",
      (spec.containers[0]?.["env"] ?? []) as Variable[],
    ]),
  );

/** What a process reads of its variables. */
const settingsOf = (variables: readonly Variable[] = []) =>
  readTracingSettings(Object.fromEntries(variables.map(({ name, value }) => [name, value])), "unnamed");

describe("tracing in the chart", () => {
  it("is off by default", async () => {
    const { objects } = await renderLandfall(minimal);
    expect(JSON.stringify(objects)).not.toContain("OTEL_");
  });

  it("reaches the webhook and the controller, and opens the collector's port", async () => {
    const endpoint = "http://collector.observability:4319";
    const tracing = { endpoint, sampler: "parentbased_traceidratio", samplerShare: "0.1", headersSecret: "collector" };
    const { objects, error } = await renderLandfall({ ...minimal, tracing });
    expect(error).toBeNull();
    const { webhook, controller } = variablesOf(objects);
    const wanted = { url: `${endpoint}/v1/traces`, protocol: "http/protobuf", sampler: tracing.sampler, ratio: 0.1 };
    expect(settingsOf(webhook)).toMatchObject({ ...wanted, serviceName: "landfall-webhook" });
    expect(settingsOf(controller)).toMatchObject({ ...wanted, serviceName: "landfall-controller" });
    expect(webhook).toContainEqual({
      name: "OTEL_EXPORTER_OTLP_HEADERS",
      valueFrom: { secretKeyRef: { name: "collector", key: "headers", optional: true } },
    });
    const policies = objects.filter(({ kind }) => kind === "NetworkPolicy");
    expect(policies.length).toBeGreaterThan(1);
    for (const policy of policies) expect(JSON.stringify(policy["spec"])).toContain('"port":4319');
  });

  it.each([
    { endpoint: "collector:4318" },
    { endpoint: "http://c:4318", protocol: "grpc" },
    { endpoint: "http://c:4318", samplerShare: "1.5" },
    { endpoint: "http://c:4318", sampler: "often" },
  ])("refuses %j", async (tracing) => {
    expect((await renderLandfall({ ...minimal, tracing })).error).toContain("tracing");
  });
});
