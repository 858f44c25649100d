// Commands that change a cluster, against a server that answers what the API server would.
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Cli } from "../../../src/cli/cli.ts";
import { addBreakGlass } from "../../../src/cli/commands/break-glass/break-glass.ts";
import { addUnregister } from "../../../src/cli/commands/unregister.ts";
import { kubeconfigText } from "../../support/kubeconfig.ts";

const RELEASE = "/api/v1/namespaces/landfall-system/configmaps/landfall-release";

/** Runs a command at a cluster with one object, the release's ConfigMap. */
async function run(...args: string[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method ?? ""} ${request.url ?? ""}`);
    response.statusCode = request.url === RELEASE ? 200 : 404;
    response.setHeader("content-type", "application/json").end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = await mkdtemp(join(tmpdir(), "landfall-commands-"));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });
  const kubeconfig = join(folder, "config");
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  await writeFile(kubeconfig, kubeconfigText({ server: url }, { token: "t" }));
  const said = { out: "", notes: "" };
  const cli = {
    env: {},
    write: (text: string) => void (said.out += text),
    note: (text: string) => void (said.notes += text),
  } as unknown as Cli;
  const program = new Command();
  addBreakGlass(program, cli);
  addUnregister(program, cli);
  const failure: unknown = await program.parseAsync([...args, "--kubeconfig", kubeconfig], { from: "user" }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { failure, asked, ...said };
}

describe("landfall break-glass --end", () => {
  it.each([
    ["a namespace, although it ends every emergency", ["-n", "payments"], "--namespace"],
    ["all namespaces", ["--all-namespaces"], "--all-namespaces"],
    ["a duration", ["--for", "30m"], "--for"],
    ["a reason and a duration", ["--reason", "x", "--for", "30m"], "--for"],
  ])("refuses %s, and asks nothing of the cluster", async (_, flags, named) => {
    const { failure, asked } = await run("break-glass", "--end", ...flags);
    expect(failure).toMatchObject({
      code: "CLI_USAGE",
      message: expect.stringContaining(`--end ends every emergency, and takes no ${named}: write`) as string,
    });
    expect(asked).toEqual([]);
  });
});

describe("landfall unregister --release-configmap", () => {
  const unregister = (...flags: string[]) => run("unregister", "--quiet", "1", "-o", "json", ...flags);

  it("removes the ConfigMap before the configurations", async () => {
    const { failure, asked, out, notes } = await unregister("--release-configmap", "landfall-release");
    expect([failure, notes, asked[0]]).toEqual([null, "", `DELETE ${RELEASE}`]);
    expect(JSON.parse(out)).toMatchObject({
      release: { name: "landfall-release", namespace: "landfall-system", found: true },
    });
  });

  it.each([
    ["name", ["--release-configmap", "landfall-relase"], "landfall-relase in the namespace landfall-system"],
    [
      "namespace",
      ["--release-configmap", "landfall-release", "--system-namespace", "landfal"],
      "landfall-release in the namespace landfal.",
    ],
  ])("says that there is none of a misspelt %s", async (_, flags, text) => {
    const { failure, out, notes } = await unregister(...flags);
    expect([failure, notes]).toEqual([null, expect.stringContaining(`there is no ConfigMap ${text}`)]);
    expect(JSON.parse(out)).toMatchObject({ release: { found: false } });
  });
});
