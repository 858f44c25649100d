import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { isObject } from "../../../src/model/json.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { LANDFALL_CHART, podTemplates, renderLandfall } from "../../support/charts/render-landfall.ts";

const read = async (file: string): Promise<Record<string, unknown>> =>
  parse(await readFile(join(LANDFALL_CHART, file), "utf8")) as Record<string, unknown>;

const [defaults, minimal] = await Promise.all([read("values.yaml"), read("ci/minimal-values.yaml")]);

it("an object passes no webhook that fails, unless the values say so", async () => {
  const failurePolicies = async (...args: string[]): Promise<string[]> => {
    const { objects } = await renderLandfall("minimal-values.yaml", { args });
    const containers = podTemplates(objects).flatMap(({ spec }) => spec.containers);
    const given = containers.flatMap(({ args: all }) => (Array.isArray(all) ? all.map(String) : []));
    return given.filter((one) => one.startsWith("--failure-policy="));
  };
  expect(await failurePolicies()).toEqual(["--failure-policy=Fail"]);
  expect(await failurePolicies("--set", "webhook.failurePolicy=Ignore")).toEqual(["--failure-policy=Ignore"]);
});

it("the Pods of helm test and of an uninstallation run where those of the webhook do", async () => {
  const nodeSelector = { "kubernetes.io/arch": "amd64" };
  const tolerations = [{ key: "system", operator: "Exists", effect: "NoSchedule" }];
  const webhook = { ...(minimal["webhook"] as object), nodeSelector, tolerations };
  const { objects } = await renderLandfall({ ...minimal, webhook });
  const placed = podTemplates(objects).filter(({ name }) => /doctor|unregister|webhook/.test(name));
  expect(placed.map(({ name }) => name).sort()).toEqual([
    "Deployment landfall-webhook",
    "Job landfall-unregister",
    "Pod landfall-doctor",
  ]);
  for (const { name, spec } of placed)
    expect({ name, ...spec }).toMatchObject({ name, nodeSelector, tolerations, priorityClassName: "landfall" });
});

describe("the files that sources of forecasts need", () => {
  const MOUNT = '{"name":"forecasts","mountPath":"/etc/landfall/forecasts","readOnly":true}';
  const VOLUME = '{"name":"forecasts","secret":{"secretName":"forecasts"}}';
  const podsWith = async (text: string, ...args: string[]): Promise<string[]> => {
    const { objects } = await renderLandfall("full-values.yaml", { args });
    const found = podTemplates(objects).filter(({ spec }) => JSON.stringify(spec).includes(text));
    return found.map(({ name }) => name.replace("Deployment landfall-", "")).sort();
  };

  it.each([
    [["console", "controller", "webhook"], []],
    [
      ["console", "webhook"],
      ["--set", "controller.scan.enabled=false"],
    ],
  ])("are in the Pods that ask for forecasts: %j", async (pods, args) => {
    for (const text of ["--forecast-settings=", MOUNT, VOLUME]) expect(await podsWith(text, ...args)).toEqual(pods);
  });
});

it("a text with signs of YAML reaches its process as it is", async () => {
  const text = "x: y #1";
  const pairs = {
    ...{ "webhook.clientCertificate.commonName": text, "webhook.scheduler.url": `https://${text}` },
    ...{ "webhook.decisionLog.target": `https://${text}`, "controller.passwordHosts": `{${text}}` },
    ...{ "elemento.enabled": "true", "elemento.allowedUrls": `{https://${text}}` },
  };
  const args = Object.entries(pairs).flatMap(([path, value]) => ["--set", `${path}=${value}`]);
  const { objects } = await renderLandfall("minimal-values.yaml", { args });
  const given = podTemplates(objects).flatMap(({ spec }) => spec.containers.flatMap((one) => one["args"] as unknown[]));
  expect(given).toEqual(
    expect.arrayContaining([
      ...[`--client-name=${text}`, `--password-hosts=${text}`],
      ...["scheduler", "decision-log", "allowed-urls"].map((name) => `--${name}=https://${text}`),
    ]),
  );
});

/** The path of each value that has values of its own. */
const sections = (values: object, above: readonly string[] = []): string[][] =>
  Object.entries(values).flatMap(([key, value]) =>
    isObject(value) ? [[...above, key], ...sections(value, [...above, key])] : [],
  );

/** These values, without the one at this path: a key without a value, in YAML. */
function emptied(values: Record<string, unknown>, [key = "", ...below]: readonly string[]): Record<string, unknown> {
  const inner = isObject(values[key]) ? values[key] : {};
  return { ...values, [key]: below.length === 0 ? null : emptied(inner, below) };
}

it.each(sections(defaults).map((path) => [path.join("."), path] as const))(
  "%s without a value is omitted, or refused by its name",
  async (_, path) => {
    const { error } = await renderLandfall(emptied(minimal, path));
    const refused = `missing property '${path.at(-1) ?? ""}'`;
    expect(error?.includes(refused) ?? true, error ?? "").toBe(true);
  },
);

describe("the notes after an installation", () => {
  const notes = async (file: string): Promise<string> => {
    const values = ["--values", join(LANDFALL_CHART, "ci", file), "--namespace", "landfall-system"];
    const command = ["install", "landfall", LANDFALL_CHART, "--dry-run=client", ...values];
    return (await execa(await toolPath("helm"), command)).stdout.split("NOTES:")[1] ?? "";
  };

  it("name a first object, and the providers of a namespace", async () => {
    const text = await notes("minimal-values.yaml");
    expect(text).toContain("landfall.dev/providers=azure,aws");
    const [object = ""] = /\{apiVersion.*\}/.exec(text) ?? [];
    const vmTemplate = (defaults["charts"] as Record<string, string>)["vmTemplate"] ?? "";
    expect(parse(object)).toMatchObject({
      ...{ apiVersion: `composition.krateo.io/v${vmTemplate.replaceAll(".", "-")}`, kind: "VmTemplate" },
      spec: { cpu: 2, memory: 4 },
    });
  });

  it("test an installation with Krateo after its definitions are ready", async () => {
    const text = await notes("krateo-values.yaml");
    expect(text.indexOf("helm test")).toBeGreaterThan(text.indexOf("get compositiondefinitions"));
    expect(text.match(/helm test/g)).toHaveLength(1);
  });
});
