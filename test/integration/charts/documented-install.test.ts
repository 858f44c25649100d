// What of the clusters' pages can run without a cluster: the keys and certificates, the files, and the chart with the pages' values and flags.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { CLUSTER_INSTALLS, type Command, shellCommandsOf } from "../../support/install-pages.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const run = promisify(execFile);

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-install-"));
  await symlink(join(root, "charts"), join(folder, "charts"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const pageOf = async (name: string): Promise<Command[]> =>
  shellCommandsOf(await readFile(join(root, `docs/operations/clusters/${name}.md`), "utf8"));

const isOurs = ({ line }: Command): boolean => /^(openssl |cat > |echo |helm install landfall )/.test(line);

/** Runs the commands, with `helm template` in place of `helm install`, and answers what they print. */
async function follow(commands: readonly Command[]): Promise<string> {
  const PATH = `${dirname(await toolPath("helm"))}:${process.env["PATH"] ?? ""}`;
  const env = {
    PATH,
    HOME: folder,
    REGISTRY: "registry.example.org/landfall",
    DIGEST: `sha256:${"0".repeat(64)}`,
    AWS_REGION: "eu-central-1",
    PROJECT: "my-project",
    CONTROL_PLANE_CIDR: "172.16.0.0/28",
    CIDRS: "192.168.0.0/19,192.168.32.0/19",
  };
  const script = commands.map(({ line, here }) => `${line.replace(/^helm install/, "helm template")}\n${here}`);
  const { stdout } = await run("bash", ["-euc", script.join("\n")], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

describe.each(CLUSTER_INSTALLS)("the page of %s", (name) => {
  it("makes a key pair and values with which the chart renders", async () => {
    const own = (await pageOf(name)).filter(isOurs);
    const installs = own.findIndex(({ line }) => line.startsWith("helm install landfall "));
    expect(installs).toBeGreaterThan(0);
    const text = await follow(own.slice(0, installs + 1));
    const objects = parseAllDocuments(text.slice(text.indexOf("---")), { logLevel: "error" }).map(
      (one) => one.toJS() as { kind?: string; data?: Record<string, string> } | null,
    );
    expect(objects.filter((one) => one?.kind === "Deployment").length).toBeGreaterThan(1);
    const key = await readFile(join(folder, "bundle.pub"), "utf8");
    expect(key).toMatch(/^-----BEGIN PUBLIC KEY-----/);
    expect(objects.map((one) => one?.data?.["bundle.pub"]).filter((one) => one !== undefined)).toContain(key);
  });

  it("writes files that are YAML or JSON", async () => {
    const files = (await pageOf(name)).filter(({ line }) => line.startsWith("cat > "));
    await follow(files);
    for (const { line } of files) {
      const file = /^cat > (\S+)/.exec(line)?.[1] ?? "";
      const documents = parseAllDocuments(await readFile(join(folder, file), "utf8"));
      expect(
        documents.flatMap(({ errors }) => errors),
        file,
      ).toEqual([]);
    }
  });
});

it("the login of EKS that the CronJob makes is a Secret for its registry", async () => {
  const files = (await pageOf("eks")).filter(({ line }) => line.startsWith("cat > registry-login.yaml"));
  await follow(files);
  const job = parseAllDocuments(await readFile(join(folder, "registry-login.yaml"), "utf8"))
    .at(-1)
    ?.toJS() as {
    spec: { jobTemplate: { spec: { template: { spec: { initContainers: { args: string[] }[] } } } } };
  };
  const script = job.spec.jobTemplate.spec.template.spec.initContainers[0]?.args[0] ?? "";
  const here = script.replaceAll("/made/", `${folder}/`);
  await run("bash", ["-ec", `aws() { echo token; }\n${here}`]);
  const secret = parse(await readFile(join(folder, "secret.json"), "utf8")) as { type: string; data: object };
  expect(secret.type).toBe("kubernetes.io/dockerconfigjson");
  const [config = ""] = Object.values(secret.data) as string[];
  const auth = Buffer.from("AWS:token").toString("base64");
  expect(parse(Buffer.from(config, "base64").toString())).toEqual({
    auths: { "registry.example.org/landfall": { auth } },
  });
});

it("the certificate of k3s is one of a client, and its files name each other", async () => {
  const own = (await pageOf("k3s")).filter((one) => isOurs(one) && !one.line.startsWith("helm"));
  // Of step 3, and of its renewal, whose end lies as far ahead.
  const said = await follow(own);
  expect(said.match(/^webhook-client\.crt: OK$/gm)).toHaveLength(2);
  expect(said).toMatch(/^notAfter=/m);
  const { stdout } = await run("openssl", ["x509", "-in", "webhook-client.crt", "-noout", "-subject"], { cwd: folder });
  expect(stdout).toMatch(/CN ?= ?kube-apiserver/);
  const admission = parse(await readFile(join(folder, "admission.yaml"), "utf8")) as {
    plugins: { configuration: { kubeConfigFile: string } }[];
  };
  const kubeconfig = "/etc/rancher/k3s/landfall/webhook-client.kubeconfig";
  expect(admission.plugins.map(({ configuration }) => configuration.kubeConfigFile)).toEqual([kubeconfig, kubeconfig]);
});
