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
import { addCertificates } from "../../../src/cli/commands/certificates/certificates.ts";
import { addDoctor } from "../../../src/cli/commands/doctor/doctor.ts";
import { addUnregister } from "../../../src/cli/commands/unregister.ts";
import { CERTIFICATE_SECRET, CONTROLLER_LEASE, REPLICAS_CONFIGMAP } from "../../../src/model/names.ts";
import { makeServingCertificate } from "../../../webhook/certificates/serving-certificate.ts";
import { projectPath } from "../../../src/local/processes/project-path.ts";
import { kubeconfigText } from "../../support/kubeconfig.ts";

const RELEASE = "/api/v1/namespaces/landfall-system/configmaps/landfall-release";

/** What a cluster has by its paths, and its time; the real one if it is omitted. */
interface Cluster {
  objects?: Record<string, object>;
  nowMs?: number;
}

/** Runs a command at a cluster; it has one object, the release's ConfigMap, if none are given. */
async function runAt({ objects = { [RELEASE]: {} }, nowMs }: Cluster, ...args: string[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method ?? ""} ${request.url ?? ""}`);
    const found = objects[request.url?.split("?")[0] ?? ""];
    response.statusCode = found === undefined ? 404 : 200;
    if (nowMs !== undefined) response.setHeader("date", new Date(nowMs).toUTCString());
    response.setHeader("content-type", "application/json").end(JSON.stringify(found ?? {}));
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
    ...{ env: {}, root: projectPath("."), exit: () => undefined },
    write: (text: string) => void (said.out += text),
    note: (text: string) => void (said.notes += text),
  } as unknown as Cli;
  const program = new Command();
  addBreakGlass(program, cli);
  addUnregister(program, cli);
  addDoctor(program, cli);
  addCertificates(program, cli);
  const failure: unknown = await program.parseAsync([...args, "--kubeconfig", kubeconfig], { from: "user" }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { failure, asked, ...said };
}

const run = (...args: string[]) => runAt({}, ...args);

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

describe("landfall unregister", () => {
  it("counts the objects that stay where the cluster serves an earlier version of the kinds", async () => {
    const items = ["a", "b"].map((name) => ({ metadata: { name, namespace: "demo" } }));
    const objects = {
      "/apis/composition.krateo.io/v0-1-0/vmtemplates": { kind: "VmTemplateList", metadata: {}, items },
    };
    const { failure, out } = await runAt({ objects }, "unregister", "--quiet", "1", "-o", "json");
    expect(failure).toBeNull();
    expect(JSON.parse(out)).toMatchObject({
      remaining: [
        { plural: "vmtemplates", count: 2 },
        { plural: "kaasclusters", count: null },
      ],
    });
  });
});

describe("on a machine whose clock is wrong, by that of the API server,", () => {
  const nowMs = Date.now() - 600_000;
  const heard = new Date(nowMs - 5000).toISOString();
  const system = "namespaces/landfall-system";
  const reports = `/api/v1/${system}/configmaps/${REPLICAS_CONFIGMAP}`;
  const replica = (fields: object): object => ({
    data: { a: JSON.stringify({ at: heard, until: "2100-01-01T00:00:00Z", ...fields }) },
  });
  const spec = { holderIdentity: "landfall-controller-a", renewTime: heard };

  it("landfall doctor finds replicas and a controller that run", async () => {
    const objects = {
      [reports]: replica({}),
      [`/apis/coordination.k8s.io/v1/${system}/leases/${CONTROLLER_LEASE}`]: {
        metadata: { name: CONTROLLER_LEASE },
        spec,
      },
      "/apis/authorization.k8s.io/v1/subjectaccessreviews": { status: { allowed: true } },
    };
    const { failure, out } = await runAt({ objects, nowMs }, "doctor", "-o", "json");
    expect(failure).toBeNull();
    const found = JSON.parse(out) as { check: string; detail: string; remedy: string | null }[];
    expect(found.filter(({ check }) => /^(replica|controller)/.test(check))).toEqual([
      { check: "replica a", detail: "serves a certificate that is valid until 2100-01-01", remedy: null },
      { check: "controller", detail: expect.stringContaining("landfall-controller-a leads") as string, remedy: null },
    ]);
  });

  it("landfall certificates rotate refuses a Secret that no replica uses", async () => {
    const [own, used] = await Promise.all([1, 2].map(() => makeServingCertificate(["web.ns.svc"])));
    const objects = {
      [`/api/v1/${system}/secrets/${CERTIFICATE_SECRET}`]: {
        data: { "ca.crt": Buffer.from(own?.ca ?? "").toString("base64") },
      },
      [reports]: replica({ authorities: used?.ca }),
    };
    const { failure } = await runAt({ objects, nowMs }, "certificates", "rotate", "--reason", "a test");
    expect(failure).toMatchObject({ code: "CLI_CERTIFICATE_UNUSED" });
  });
});
