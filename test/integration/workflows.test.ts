import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import packageJson from "../../package.json" with { type: "json" };
import { issueAuthority, issueServer } from "../../src/certificates/issue-certificate.ts";
import { toolPath } from "../../src/toolchain/tool-path.ts";
import { crdValidator } from "../support/crd-validator.ts";
import {
  type FaultyRegistry,
  startFaultyRegistry,
  startRegistry,
  type TestRegistry,
} from "../support/bundles/registry.ts";
import { readWorkflow, runStep, type StepResult, type Workflow } from "../support/processes/workflow-runner.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Steps that this test does not run, and why. Everything else that a workflow runs, runs here as it stands there. */
const NOT_HERE: Record<string, string> = {
  "Check the policies": "`npm test` runs the same check",
  Lint: "`npm test` runs the same check",
  Tests: "`npm test` runs the same tests",
  Comment: "needs GitHub",
  "Sign as this workflow": "needs the certificate authority and the log of sigstore",
  Verify: "needs what it signed",
};

let folder: string;
let workspace: string;
let registry: TestRegistry;
let door: FaultyRegistry;
let crane: string;
let env: NodeJS.ProcessEnv;
let flows: Record<"bundle" | "charts", Workflow>;

/** What the pull request is compared with: policies for which the United States lie in the EU. */
async function writeBase(): Promise<void> {
  await mkdir(join(workspace, "base"));
  await symlink(join(root, "policies"), join(workspace, "base/policies"));
  await cp(join(root, "catalog"), join(workspace, "base/catalog"), { recursive: true });
  const file = join(workspace, "base/catalog/residency.json");
  const residency = JSON.parse(await readFile(file, "utf8")) as { areas: Record<string, string[]> };
  residency.areas["EU"]?.push("US");
  await writeFile(file, JSON.stringify(residency));
}

/** From now on the registry wants a password, which lies where docker/login-action leaves it. */
async function requireLogin(): Promise<void> {
  const auth = Buffer.from("actor:token").toString("base64");
  await mkdir(join(folder, "docker"));
  await writeFile(join(folder, "docker/config.json"), JSON.stringify({ auths: { [door.host]: { auth } } }));
  door.fault = (request, response) => {
    if (request.headers.authorization === `Basic ${auth}`) return false;
    response.writeHead(401, { "www-authenticate": 'Basic realm="registry"' }).end();
    return true;
  };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-workflows-"));
  workspace = join(folder, "workspace");
  await mkdir(join(folder, "temp"));
  await mkdir(workspace);
  for (const name of ["bin", "catalog", "charts", "examples", "node_modules", "package.json", "policies", "scripts"])
    await symlink(join(root, name), join(workspace, name));
  await writeBase();
  crane = await toolPath("crane");
  registry = await startRegistry(crane);
  const authority = await issueAuthority("a registry's CA");
  const { certificate: cert, key } = await issueServer(authority, "registry", [{ type: "ip", value: "127.0.0.1" }]);
  door = await startFaultyRegistry(registry.host, { cert, key });
  await requireLogin();
  const ca = join(folder, "ca.pem");
  await writeFile(ca, authority.certificate.toString("pem"));
  env = {
    ...process.env,
    ...{ RUNNER_TEMP: join(folder, "temp"), GITHUB_REF_NAME: "v1.2.3", DOCKER_CONFIG: join(folder, "docker") },
    // A runner has a registry that everybody's CA vouches for; here it is one of our own.
    ...{ NODE_EXTRA_CA_CERTS: ca, SSL_CERT_FILE: ca },
  };
  const [bundle, charts] = await Promise.all(
    ["bundle", "charts"].map((name) => readWorkflow(join(root, `.github/workflows/${name}.yml`))),
  );
  if (bundle === undefined || charts === undefined) throw new RangeError("two workflows");
  flows = { bundle, charts };
});

afterAll(async () => {
  await door.close();
  await registry.close();
  await rm(folder, { recursive: true, force: true });
});

/** What a program prints. It has to leave this process free: the registry's door is in it. */
const printed = async (program: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(program, args, { env })).stdout;

const ran = new Set<string>();

function run(flow: keyof typeof flows, name: string, variables: Record<string, string> = {}): Promise<StepResult> {
  const steps = Object.values(flows[flow].jobs).flatMap((job) => job.steps);
  const step = steps.find((one) => one.name === name);
  if (step === undefined) throw new RangeError(`${flow} has no step ${name}`);
  ran.add(`${flow}: ${name}`);
  return runStep(step, workspace, { ...env, ...variables });
}

describe("bundle.yml", () => {
  it("tests the cases, builds the bundle and shows what is in it", async () => {
    expect(await run("bundle", "Test the policies' cases")).toMatchObject({ code: 0 });
    expect(await run("bundle", "Build")).toMatchObject({ code: 0 });
    const inspected = await run("bundle", "Inspect");
    expect(inspected).toMatchObject({ code: 0 });
    expect(inspected.output).toContain("revision");
  });

  it("reports the bundle's changes in the pull request, and fails if a threshold is exceeded", async () => {
    expect(await run("bundle", "Build what it is compared with")).toMatchObject({ code: 0 });
    const passed = await run("bundle", "Impact", { MANIFESTS: "examples", MAX_DENIED: "0" });
    expect(passed.code).toBe(3);
    const { summary } = await run("bundle", "Show the impact on the run's own page");
    expect(summary).toMatch(/^### Impact of the policy bundle\n\n\*\*\d+ objects: 1 newly denied/);
    expect(summary).toContain("threshold passed");
    expect(summary).toContain("wrong-place");
    expect(await run("bundle", "Impact", { MANIFESTS: "examples", MAX_DENIED: "1" })).toMatchObject({ code: 0 });
  });

  it("pushes on a tag, and outputs name and digest", async () => {
    // Whoever owns the repository on GitHub may have capitals in the name; a registry has none.
    const { code, outputs, output } = await run("bundle", "Push", { REPOSITORY: `${door.host}/Team/policies` });
    expect(code, output).toBe(0);
    const name = `${door.host}/team/policies/landfall`;
    expect(outputs).toEqual({ ref: `${name}@${String(outputs["digest"])}`, name, digest: outputs["digest"] });
    const tag = `${registry.host}/team/policies/landfall:v1.2.3`;
    expect((await printed(crane, "digest", tag)).trim()).toBe(outputs["digest"]);
  });

  it("fails if the registry refuses, and outputs nothing", async () => {
    const away = await run("bundle", "Push", { REPOSITORY: "127.0.0.1:1/policies" });
    expect(away.code).toBe(2);
    expect(away.output).toContain("BUNDLE_REGISTRY_AWAY");
    expect(away.outputs).toEqual({});
  });
});

const PUSH = "Package and push, with the CompositionDefinition";

describe("charts.yml", () => {
  it("pushes nothing without a login", async () => {
    const variables = { REPOSITORY: `${door.host}/team/charts`, CHART: "vmtemplate", DOCKER_CONFIG: folder };
    const { code, output, outputs } = await run("charts", PUSH, variables);
    expect(code).not.toBe(0);
    expect(output).toContain("BUNDLE_REGISTRY_AUTH");
    expect(outputs).toEqual({});
  });

  it("pushes each chart with its CompositionDefinition: the same chart gives the same digest, twice", async () => {
    const definitions = crdValidator([join(root, "charts/landfall/crds")]);
    for (const [chart, name] of Object.entries({ vmtemplate: "vm-template", "kaas-cluster": "kaas-cluster" })) {
      const variables = { REPOSITORY: `${door.host}/Team/charts`, CHART: chart };
      const first = await run("charts", PUSH, variables);
      expect(first.code, first.output).toBe(0);
      const second = await run("charts", PUSH, variables);
      expect(second.output).toContain("was there already");
      expect(second.outputs).toEqual(first.outputs);
      const { ref = "", definition = "" } = first.outputs;
      expect(ref).toMatch(new RegExp(`^${door.host}/team/charts/${name}@sha256:[0-9a-f]{64}$`));
      const { layers } = JSON.parse(await printed(crane, "manifest", definition)) as { layers: { digest: string }[] };
      const blob = definition.replace(/@.*/, `@${String(layers[0]?.digest)}`);
      const object: unknown = parse(await printed(crane, "blob", blob));
      const version = "0.2.0";
      expect(object).toMatchObject({ spec: { chart: { url: `oci://${door.host}/team/charts/${name}`, version } } });
      expect(definitions.check(object as { apiVersion: string; kind: string })).toEqual([]);
    }
  });

  it("serves the chart that the definition names", async () => {
    const helm = await toolPath("helm");
    const url = `oci://${door.host}/team/charts/vm-template`;
    expect(await printed(helm, "show", "chart", url, "--version", "0.2.0")).toContain("name: vm-template");
  });

  it("refuses to publish another chart under a version that is taken", async () => {
    const changed = join(workspace, "changed");
    await mkdir(changed);
    for (const name of ["node_modules", "package.json", "scripts"])
      await symlink(join(root, name), join(changed, name));
    await cp(join(root, "charts"), join(changed, "charts"), { recursive: true });
    await writeFile(join(changed, "charts/vmtemplate/templates/more.yaml"), "# changed\n");
    const step = flows.charts.jobs["publish"]?.steps.find(({ name }) => name === PUSH);
    const variables = { REPOSITORY: `${door.host}/team/charts`, CHART: "vmtemplate" };
    const { code, output, outputs } = await runStep(step ?? {}, changed, { ...env, ...variables });
    expect(code).not.toBe(0);
    expect(output).toContain("REL_CHART_TAKEN");
    expect(outputs).toEqual({});
  });
});

describe("every step of both", () => {
  it("ran here, or is in the list above with a reason", () => {
    const steps = Object.entries(flows).flatMap(([flow, { jobs }]) =>
      Object.values(jobs).flatMap((job) =>
        job.steps.filter((step) => step.run !== undefined).map((step) => `${flow}: ${step.name ?? "without a name"}`),
      ),
    );
    const left = steps.filter((step) => !ran.has(step) && !(step.replace(/^\w+: /, "") in NOT_HERE));
    expect(left).toEqual([]);
  });

  it("that calls an npm script names an existing one", async () => {
    const text = await readFile(join(root, ".github/workflows/charts.yml"), "utf8");
    const scripts = [...text.matchAll(/npm run (?:--silent )?([\w-]+)/g)].map(([, name = ""]) => name);
    expect(scripts.filter((name) => !(name in packageJson.scripts))).toEqual([]);
  });
});
