import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { issueAuthority } from "../../../src/certificates/issue-certificate.ts";
import type { ErrorCode } from "../../../src/errors.ts";
import { runProcess } from "../../support/processes/run-process.ts";
import { kubeconfigText } from "../../support/kubeconfig.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-start-"));
  await writeFile(join(folder, "kubeconfig"), kubeconfigText({ server: "https://127.0.0.1:1" }, { token: "t" }));
  await writeFile(join(folder, "ca.pem"), (await issueAuthority("webhook clients")).certificate.toString("pem"));
  await writeFile(join(folder, "source.yaml"), "sources: [{name: a, type: windmill}]");
  await writeFile(join(folder, "yaml.yaml"), "sources: [");
  await writeFile(join(folder, "policy.tar.gz"), "");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts the process with these options besides those that it needs; its exit code and what it wrote. */
function start(...options: string[]): ReturnType<typeof runProcess> {
  const at = (name: string): string => join(folder, name);
  const args = [
    "--port",
    "0",
    "--kubeconfig",
    at("kubeconfig"),
    "--client-ca",
    at("ca.pem"),
    "--client-name",
    "kube-apiserver",
  ];
  const named = options.map((option) => option.replace("FOLDER", folder));
  // There is no API server that has the Secret of the keys.
  const folders = ["--data-dir", at("data"), "--signing-keys", at("keys")];
  return runProcess("webhook/main.ts", [...args, ...folders, "--bundle", at("policy.tar.gz"), ...named]);
}

it.each<[string, string[], ErrorCode, string]>([
  [
    "a source of forecasts that there is not",
    ["--unsigned", "--forecast-settings", "FOLDER/source.yaml"],
    "FORECAST_SETTINGS",
    "embedded",
  ],
  [
    "forecast settings that are no YAML",
    ["--unsigned", "--forecast-settings", "FOLDER/yaml.yaml"],
    "FORECAST_SETTINGS",
    "yaml.yaml",
  ],
  [
    "forecast settings that are not there",
    ["--unsigned", "--forecast-settings", "FOLDER/none.yaml"],
    "FORECAST_SETTINGS",
    "none.yaml",
  ],
  [
    "a scheduler without an address",
    ["--unsigned", "--scheduler", "ftp://scheduler"],
    "SCHEDULER_SETTINGS",
    "ftp://scheduler",
  ],
  [
    "a poll token file that is empty",
    ["--unsigned", "--poll-token-file", "FOLDER/policy.tar.gz"],
    "ADM_TOKEN_FILE",
    "of --poll-token-file cannot be used: it is empty",
  ],
  ["no word about signatures", [], "BUNDLE_NO_SETTINGS", "--unsigned"],
])("the webhook ends with a code and a remedy, and no stack trace, for %s", async (_, options, code, words) => {
  const ended = await start(...options);
  expect(ended.code).toBe(1);
  const last = JSON.parse(ended.out.trim().split("\n").at(-1) ?? "null") as {
    code: string;
    detail: string;
    msg: string;
  };
  expect(last).toMatchObject({ code, msg: "cannot start" });
  expect(last.detail).toContain(words);
  expect(last.detail).toContain(`[${code}]`);
  expect(ended.err).not.toMatch(/\n\s+at /);
});

it("ends with exit code 1 when its port is taken, and stops what it started", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const ended = await start("--unsigned", "--port", String(port));
  expect(ended.code).toBe(1);
  expect(ended.out).toMatch(/EADDRINUSE.*"msg":"cannot start"/);
});
