import { execa } from "execa";
import { expect, it } from "vitest";

const FILE = new URL("../../../src/cluster/tracing/open-tracer.ts", import.meta.url).href;

it("loads nothing of OpenTelemetry without the variables", async () => {
  const script = `
    const { openTracer } = await import(${JSON.stringify(FILE)});
    const env = process.argv[1] === "on" ? { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" } : {};
    await openTracer({ env, serviceName: "x", log: { info() {}, warn() {} } });
    const { createRequire } = await import("node:module");
    const loaded = Object.keys(createRequire(import.meta.url).cache ?? {}).filter((file) => file.includes("@opentelemetry"));
    console.log(loaded.length);
    process.exit();`;
  const loaded = async (how: string): Promise<number> => {
    const { stdout } = await execa(process.execPath, ["--input-type=module", "-e", script, how]);
    return Number(stdout);
  };
  expect(await loaded("off")).toBe(0);
  expect(await loaded("on")).toBeGreaterThan(10);
});
