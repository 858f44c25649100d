import { execFileSync, spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type * as own from "../../src/composition/status/readiness.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = await readFile(join(root, "docs/guides/adding-a-provider.md"), "utf8");
const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
let folder: string;
let clone: string;
let bundle: string;

function run(program: string, args: string[], input?: string): { code: number | null; out: string } {
  const env = { ...process.env, PATH };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: clone, encoding: "utf8", env, input });
  return { code: status, out: stdout + stderr };
}

const node = (...args: string[]): ReturnType<typeof run> => run(process.execPath, args);

/** The blocks in their order: a new file, a change of files, or commands. */
function steps(): { language: string; info: string; text: string }[] {
  const found = [...page.matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm)];
  return found.map(([, language = "", info = "", text = ""]) => ({ language, info, text }));
}

/** What npm and npx would start, without them. */
const direct = (text: string): string =>
  text
    .replaceAll("npm run check --", "node scripts/check.ts")
    .replaceAll("npm run generate", "node scripts/generate.ts")
    .replaceAll("npx landfall", "node bin/landfall.js");

async function follow({ language, info, text }: ReturnType<typeof steps>[number]): Promise<string> {
  if (info.startsWith("file=")) {
    const file = join(clone, info.replace("file=", ""));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return "";
  }
  const done =
    language === "diff"
      ? run("git", ["apply", "-C1", "-"], text)
      : run("bash", ["-e", "-o", "pipefail", "-c", direct(text)]);
  expect(done.code, `${text}\n${done.out}`).toBe(0);
  return done.out;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-provider-"));
  clone = join(folder, "clone");
  bundle = join(folder, "bundle.tar.gz");
  const listed = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" });
  for (const file of listed.split("\0").filter(Boolean))
    await cp(join(root, file), join(clone, file)).catch((thrown: unknown) => {
      // Deleted, and still in the index.
      if ((thrown as NodeJS.ErrnoException).code !== "ENOENT") throw thrown;
    });
  await symlink(join(root, "node_modules"), join(clone, "node_modules"));
  execFileSync("git", ["init", "-q"], { cwd: clone });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("docs/guides/adding-a-provider.md", () => {
  it("results in a provider with placements when followed literally", async () => {
    let output = "";
    for (const step of steps().filter(({ language, info }) => language === "diff" || info !== ""))
      output += await follow(step);
    expect(output).toContain("✓ nimbus: a machine that has to stay in Italy at the lowest price goes to Nimbus");
    expect(output).toContain("check charts: ok");
    expect(output).toContain("check policies: ok");
    expect(output).toContain("check architecture: ok");
  });

  it("places the example there, and renders its manifests", () => {
    const built = node("bin/landfall.js", "bundle", "build", "--no-test", "--out", bundle);
    expect(built.code, built.out).toBe(0);
    const { code, out } = node("bin/landfall.js", "plan", "-f", "examples/60-nimbus.yaml", "--bundle", bundle);
    expect(out).toContain("# VmTemplate demo/on-nimbus  ALLOWED");
    expect(out).toContain("kind: NimbusServer\n");
    expect(code).toBe(0);
  });

  it("reports why a cluster cannot be placed there", async () => {
    const file = join(folder, "cluster.yaml");
    const pools = "nodePools: [{ name: a, count: 1, cpu: 2, memory: 4 }]";
    await writeFile(
      file,
      `apiVersion: composition.krateo.io/v0-1-0\nkind: KaasCluster\nmetadata: { name: a }\nspec: { provider: nimbus, ${pools} }\n`,
    );
    const { code, out } = node("bin/landfall.js", "explain", "-f", file, "--bundle", bundle);
    expect(out).toContain("nimbus cannot run this cluster: it sells no managed clusters");
    expect(out).toContain("POL_FEATURE");
    expect(code).toBe(3);
  });

  it("distinguishes a provider's refusal from a temporary failure", async () => {
    const file = join(clone, "src/composition/status/readiness.ts");
    const { readiness } = (await import(file)) as typeof own;
    const server = (reason: string): ReturnType<typeof readiness> =>
      readiness({
        apiVersion: "compute.nimbus.example/v1",
        kind: "NimbusServer",
        metadata: { name: "a", namespace: "demo" },
        status: { conditions: [{ type: "Ready", status: "False", reason }] },
      });
    expect(server("QuotaExceeded")).toMatchObject({ ready: false, terminal: true, retrying: false });
    expect(server("Throttled")).toMatchObject({ ready: false, terminal: false, retrying: true });
    expect(server("Creating")).toMatchObject({ ready: false, terminal: false, retrying: false });
  });
});
