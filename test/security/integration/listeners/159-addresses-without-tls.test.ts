import { execa } from "execa";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { protectionsOff, warnProtectionsOff } from "../../../../src/flags/protections-off.ts";
import { toolPath } from "../../../../src/toolchain/tool-path.ts";
import { openForecasts } from "../../../../webhook/open-forecasts.ts";
import { LANDFALL_CHART } from "../../../support/charts/render-landfall.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "landfall-doors-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const CARBON = { type: "electricity-maps", name: "carbon", tokenFile: "token" };

/** What helm prints after an installation with these values. */
async function notes(values: object): Promise<string> {
  const file = join(home, "values.json");
  const base = {
    image: { repository: "registry.example/landfall" },
    bundle: {
      ref: "registry.example/landfall:1.0",
      settings: { identities: [{ issuer: "i", subject: "s" }], trustRoot: "trusted_root.json" },
      keys: { "trusted_root.json": "{}" },
    },
    charts: { repository: "oci://registry.example/charts" },
  };
  const clientCertificate = { ca: "-----BEGIN CERTIFICATE-----", commonName: "kube-apiserver" };
  const webhook = { clientCertificate, ...("webhook" in values ? (values.webhook as object) : {}) };
  await writeFile(file, JSON.stringify({ ...base, ...values, webhook }));
  const args = [
    "install",
    "landfall",
    LANDFALL_CHART,
    "--dry-run=client",
    "--namespace",
    "landfall-system",
    "-f",
    file,
  ];
  const env = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
  const { stdout } = await execa(await toolPath("helm"), args, { env });
  return stdout.slice(stdout.indexOf("NOTES:"));
}

describe("159: an address without TLS", () => {
  it.each([
    ["webhook.decisionLog.target", { webhook: { decisionLog: { target: "http://log.example/v1" } } }],
    ["webhook.scheduler.url", { webhook: { scheduler: { url: "http://scheduler.example" } } }],
    ["tracing.endpoint", { tracing: { endpoint: "http://collector.example:4318" } }],
    [
      "forecasts: url of carbon",
      { forecasts: { sources: [{ ...CARBON, tokenFile: null, url: "http://carbon.example" }] } },
    ],
    [
      "elemento.allowedUrls: http://elemento.example",
      { elemento: { enabled: true, allowedUrls: ["https://b.example", "http://elemento.example"] } },
    ],
  ])("is listed after an installation: %s", async (name, values) => {
    const lines = (await notes(values)).split("\n").filter((line) => line.includes("has no TLS"));
    expect(lines).toEqual([expect.stringContaining(`  - ${name} has no TLS`)]);
  });

  it("is not listed with TLS, or on the Pod itself", async () => {
    const decisionLog = { target: "http://localhost:8080/v1" };
    const scheduler = { url: "https://scheduler.example" };
    expect(await notes({ webhook: { decisionLog, scheduler } })).not.toContain("has no TLS");
  });

  it("is logged by the processes as they start", () => {
    const urls = {
      "--decision-log": "http://log.example/v1",
      "--scheduler": "https://scheduler.example",
      "forecasts of carbon": "http://127.0.0.1:8080",
      "--other": undefined,
      "--file": "/var/log/decisions",
    };
    const open = protectionsOff({ bundles: {}, urls });
    expect(open).toEqual([expect.stringMatching(/^--decision-log has no TLS: whoever is on the way to log\.example /)]);
    const warn = vi.fn();
    warnProtectionsOff({ warn }, { bundles: {}, urls });
    expect(warn).toHaveBeenCalledWith({ open }, "protections are off");
  });

  it("of forecasts is known to the webhook", async () => {
    const file = join(home, "forecasts.json");
    await writeFile(file, JSON.stringify({ sources: [{ ...CARBON, url: "http://carbon.example/" }] }));
    const forecasts = await openForecasts(file, { folder: home, onProblem: () => undefined });
    expect(forecasts.urls).toEqual({ "forecasts of carbon": "http://carbon.example" });
    await forecasts.stop();
  });
});
