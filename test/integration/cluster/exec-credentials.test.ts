import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";

async function kubeconfig(exec: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "landfall-access-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "kubeconfig.yaml");
  const config = {
    "current-context": "here",
    contexts: [{ name: "here", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: "https://api.test:6443/" } }],
    users: [{ name: "u", user: { exec } }],
  };
  await writeFile(file, stringify(config));
  return file;
}

it("passes the credentials of a plug-in to the official client", async () => {
  const credential = {
    apiVersion: "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    status: { token: "t1" },
  };
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: process.execPath,
    args: ["-e", `process.stdout.write(${JSON.stringify(JSON.stringify(credential))})`],
    interactiveMode: "Never",
  };
  const config = await loadKubeconfig(await kubeconfig(exec), {});
  const headers = Object.entries(await config.headers()).map(([name, value]) => [name.toLowerCase(), value]);
  expect(headers).toContainEqual(["authorization", "Bearer t1"]);
});
