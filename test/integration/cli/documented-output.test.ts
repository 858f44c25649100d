import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import {
  type Block,
  blocksOf,
  commandsOf,
  patternOf,
  runDocumented,
  writeShown,
} from "../../support/documented-blocks.ts";
import { HOUR_SECONDS, formatTime, parseTime } from "../../../src/model/time.ts";
import { readCarbonSeries } from "../../../src/simulate/read-carbon-series.ts";
import { CLUSTER_PAGES, ELSEWHERE, whereRun } from "../../support/processes/where-run.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const SETTINGS = "team/bundle/landfall/settings/data.yaml";
/** Stands for kOps: it takes manifests that exist, and answers with those that were exported. */
const KOPS = `#!/bin/sh
case "$1" in
create) test -s "$3" ;;
get) cat kops.yaml ;;
esac
`;
/** Ten weeks of the recorded year, as a file of measured hours. */
async function weeks(): Promise<Record<string, { start: string; values: readonly number[] }>> {
  const series = await readCarbonSeries(root, 2022);
  const zones = ["IT-NO", "DE", "FR", "BE", "SE-SE3"].map((zone) => {
    const { start = 0, values = new Float64Array() } = series.get(zone) ?? {};
    return [zone, { start: formatTime(start), values: [...values.subarray(0, 10 * 168)] }] as const;
  });
  return Object.fromEntries(zones);
}

function csvOf(zones: Awaited<ReturnType<typeof weeks>>): string {
  const lines = Object.entries(zones).flatMap(([zone, { start, values }]) =>
    values.map(
      (value, hour) => `${zone},${formatTime((parseTime(start) ?? 0) + hour * HOUR_SECONDS)},${String(value)}`,
    ),
  );
  return ["zone,time,gco2_per_kwh", ...lines, ""].join("\n");
}

let base: string;
/** What a reader has: a clone, as far as the commands read it. */
let folder: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-docs-"));
  folder = join(base, "clone");
  await mkdir(folder);
  for (const part of ["examples", "policies"]) await cp(join(root, part), join(folder, part), { recursive: true });
  const git = (...args: string[]) =>
    expect(
      spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd: folder }).status,
    ).toBe(0);
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "as it is");
  await mkdir(join(base, "bin"));
  await writeFile(join(base, "bin/kops"), KOPS, { mode: 0o755 });
  await writeFile(join(folder, "weeks.json"), JSON.stringify({ zones: await weeks() }));
  await writeFile(join(folder, "grid-2025.csv"), csvOf(await weeks()));
  await writeFile(join(folder, "id_ed25519.pub"), "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA me@example.com\n");
});
afterEach(() => rm(base, { recursive: true, force: true, maxRetries: 5 }));

async function changeSettings(fragment: string): Promise<void> {
  const file = join(folder, SETTINGS);
  const settings = parseDocument(await readFile(file, "utf8"));
  for (const [key, value] of Object.entries(parseDocument(fragment).toJS() as Record<string, unknown>)) {
    const nested = typeof value === "object" && !Array.isArray(value) ? Object.entries(value ?? {}) : null;
    if (nested === null) settings.set(key, settings.createNode(value));
    else for (const [inner, of] of nested) settings.setIn([key, inner], settings.createNode(of));
  }
  await writeFile(file, settings.toString());
}

/** Runs the commands of a block that need no cluster, and compares what the page shows; answers how many it ran. */
async function follow(block: Block, isQuick: boolean): Promise<number> {
  await writeShown(block, folder);
  if (block.info === "settings") await changeSettings(block.text);
  const own = commandsOf(block).filter(({ command }) => whereRun(command) === "clone");
  for (const { command, output } of own) {
    const { code, shown } = runDocumented(command, { cwd: folder, programs: join(base, "bin"), isQuick });
    if (output === null) expect(code, `${command}\n${shown}`).toBe(0);
    else expect(shown, command).toMatch(patternOf(output));
  }
  return own.length;
}

/** Pages, and how many of their commands run here. */
const PAGES: readonly (readonly [page: string, commands: number])[] = [
  ["README.md", 2],
  ["docs/quickstart.md", 1],
  ["docs/guides/vmtemplate.md", 4],
  ["docs/guides/kaas-cluster.md", 1],
  ["docs/guides/kops.md", 4],
  ["docs/guides/platform.md", 8],
  ["docs/guides/policy-authors.md", 5],
  ["docs/guides/scaffold.md", 11],
  ["docs/guides/simulate.md", 4],
];

describe("commands in the documentation", () => {
  it.each(PAGES)("%s shows what its commands print", async (page, commands) => {
    let ran = 0;
    for (const block of await blocksOf(page)) ran += await follow(block, page !== "docs/guides/policy-authors.md");
    expect(ran).toBe(commands);
  });

  it("run here, on the shared control plane, or where the list of the others says", async () => {
    const guides = (await readdir(join(root, "docs/guides"))).map((name) => `docs/guides/${name}`);
    const pages = ["README.md", "docs/quickstart.md", ...guides];
    const found = await Promise.all(
      pages.map(async (page) => {
        const commands = (await blocksOf(page)).flatMap(commandsOf).map(({ command }) => command);
        return { page, commands, places: commands.map(whereRun) };
      }),
    );
    const counted = (where: string) =>
      found
        .map(({ page, places }) => [page, places.filter((one) => one === where).length] as const)
        .filter(([, count]) => count > 0)
        .toSorted();
    expect(counted("clone")).toEqual(PAGES.toSorted());
    expect(counted("cluster")).toEqual(CLUSTER_PAGES.toSorted());
    const unused = ELSEWHERE.filter(([fits]) => !found.some(({ commands }) => commands.some((one) => fits.test(one))));
    expect(unused).toEqual([]);
  });
});
