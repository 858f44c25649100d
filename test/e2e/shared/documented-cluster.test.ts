import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { formatTime, nowSeconds, parseTime } from "../../../src/model/time.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import {
  type Block,
  blocksOf,
  commandsOf,
  livePatternOf,
  patternOf,
  runDocumented,
  writeShown,
} from "../../support/documented-blocks.ts";
import { runCommand } from "../../support/processes/run-command.ts";
import { CLUSTER_PAGES, whereRun } from "../../support/processes/where-run.ts";

const { kubeconfig, bundle } = inject("cluster");
const DAY = 86_400;
let base: string;
/** What a reader has: a clone, as far as the commands read it, in which `npm start` runs. */
let folder: string;
/** The dates of the page, and a place where the best hours are hours away now. */
let ofToday: (text: string) => string;

const run = (command: string) =>
  runDocumented(command, { cwd: folder, programs: join(base, "bin"), env: { KUBECONFIG: kubeconfig } });

function must(command: string): void {
  const { code, shown } = run(command);
  expect(code, `${command}\n${shown}`).toBe(0);
}

const machine = (region: string, deadline: string): string =>
  JSON.stringify({
    ...{
      apiVersion: "composition.krateo.io/v0-2-0",
      kind: "VmTemplate",
      metadata: { name: region, namespace: "demo" },
    },
    spec: { cpu: 8, memory: 32, duration: "3h", deadline, provider: "azure", schedulingLocation: region },
  });

/** At noon in Germany nothing there waits for a better hour; then it is night in California. */
async function placeThatWaits(deadline: string): Promise<string> {
  const starts = await Promise.all(
    ["germanywestcentral", "westus"].map(async (region) => {
      const { out } = await runCommand(
        ["explain", "-f", "-", "--bundle", bundle, "-o", "json"],
        machine(region, deadline),
      );
      const { placement } = JSON.parse(out) as { placement: { start: string } };
      return { region, start: parseTime(placement.start) ?? 0 };
    }),
  );
  return starts.toSorted((a, b) => b.start - a.start)[0]?.region ?? "";
}

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-documented-"));
  folder = join(base, "clone");
  for (const part of ["clone/.landfall", "bin"]) await mkdir(join(base, part), { recursive: true });
  await cp("examples", join(folder, "examples"), { recursive: true });
  await symlink(kubeconfig, join(folder, ".landfall/kubeconfig"));
  await symlink(await toolPath("kubectl"), join(base, "bin/kubectl"));
  const deadline = formatTime(nowSeconds() + 3 * DAY);
  const region = await placeThatWaits(deadline);
  ofToday = (text) => text.replaceAll("2035-01-01T00:00:00Z", deadline).replaceAll("germanywestcentral", region);
  must("kubectl apply -f examples/00-namespaces.yaml");
});

afterAll(async () => {
  run("kubectl delete vmtemplates,kaasclusters --all -n demo --wait=false");
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

const written = async (page: string): Promise<void> => {
  for (const block of await blocksOf(page)) await writeShown({ ...block, text: ofToday(block.text) }, folder);
};

const forget = (): void => must("kubectl delete vmtemplate nightly-report -n demo --ignore-not-found");

/** What a page finds in the cluster, besides what its own commands make. */
const BEFORE: Readonly<Record<string, () => void | Promise<void>>> = {
  // What `npm start` has applied.
  "docs/quickstart.md": async () => {
    forget();
    await written("docs/guides/start-times.md");
    must("kubectl apply -f examples/01-anywhere.yaml -f examples/13-provider-fails.yaml -f nightly-report.yaml");
  },
  "docs/guides/start-times.md": forget,
};

/** Readers look again until the state is the documented one. */
const isReading = (command: string): boolean => /^kubectl get |^npx landfall get /.test(command);

async function follow(block: Block): Promise<number> {
  const own = commandsOf(block).filter(({ command }) => whereRun(command) === "cluster");
  for (const { command, output } of own) {
    // Differences are the exit code 1.
    if (command.startsWith("npx landfall diff")) expect(run(command)).toMatchObject({ code: 1 });
    else if (output === null) must(command);
    else {
      const pattern = block.info === "live" ? livePatternOf(output) : patternOf(output);
      // What a line ends with is a matter of the terminal.
      const shown = (): string => `${run(command).shown.trimEnd()}\n`;
      if (isReading(command))
        await expect.poll(shown, { timeout: 90_000, interval: 1000, message: command }).toMatch(pattern);
      else expect(shown(), command).toMatch(pattern);
    }
  }
  return own.length;
}

describe("commands in the documentation, with a cluster", () => {
  it.each(CLUSTER_PAGES)("%s shows what its commands print", async (page, commands) => {
    await BEFORE[page]?.();
    await written(page);
    let ran = 0;
    for (const block of await blocksOf(page)) ran += await follow(block);
    expect(ran).toBe(commands);
  });
});
