import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import type { Pki } from "../../../src/local/control-plane/write-pki.ts";
import { localValues } from "../../../src/local/landfall/local-values.ts";
import { renderLandfall } from "../../support/charts/render-landfall.ts";

it("sources of forecasts in local mode find the files beside their settings", async () => {
  const folder = await mkdtemp(join(tmpdir(), "landfall-local-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const sources = [
    { name: "grid", type: "electricity-maps", tokenFile: "token" },
    { name: "own", type: "file", path: "own.csv" },
  ];
  const bundle = { tag: "127.0.0.1:5000/landfall:1", settings: await write("bundle.yaml", "keys: [bundle.pub]") };
  await write("bundle.pub", "-----BEGIN PUBLIC KEY-----");
  const webhookClientAuthority = await write("client-ca.crt", "-----BEGIN CERTIFICATE-----");
  const values = await localValues({
    ...{ registry: "127.0.0.1:5000", bundle, webhookPort: 8443, scan: true },
    pki: { files: { webhookClientAuthority } } as Pki,
    forecasts: await write("forecasts.yaml", JSON.stringify({ sources })),
  });
  const { objects, error } = await renderLandfall(values as Record<string, unknown>);
  expect(error).toBeNull();
  const config = objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === "landfall-webhook");
  const data = config?.["data"] as Record<string, string>;
  expect(parse(data["forecast-settings.yaml"] ?? "")).toMatchObject({
    sources: [{ tokenFile: join(folder, "token") }, { path: join(folder, "own.csv") }],
  });
});
