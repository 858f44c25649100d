// `node bench/versions.ts OTHER [--only reviews|creations|objects] [--rounds N] [--reviews N] [--objects N] [--idle SECONDS]`: this version
// against another one, whose checkout with its node_modules is in the folder OTHER. Both run in local mode, and get the same work in
// turn: reviews over TLS, single creations, and machines on Google Cloud. All is measured from outside: processor time and memory from
// /proc, requests from the API server's metrics. Linux only.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { LandfallError, lineOf } from "../src/errors.ts";
import { median } from "./median.ts";
import { measureCreations } from "./versions/measure-creations.ts";
import { measureObjects } from "./versions/measure-objects.ts";
import { measureReviews } from "./versions/measure-reviews.ts";
import { type Figures, startVersion, type Version } from "./versions/start-version.ts";

const PARTS = ["reviews", "creations", "objects"] as const;
type Part = (typeof PARTS)[number];

/** The medians of both versions, and the median of what this version has of the other one's in each round. */
function print(results: Map<Version, Figures[]>): void {
  const [others = [], own = []] = [...results.values()];
  const names = [...results.keys()].map(({ name }) => name);
  process.stdout.write(`| figure | ${names.join(" | ")} | ratio |\n|---|---|---|---|\n`);
  for (const key of Object.keys(others[0] ?? {})) {
    const of = (all: readonly Figures[]): number[] => all.map((one) => one[key] ?? NaN);
    const [before, now] = [of(others), of(own)];
    const ratio = median(now.map((value, round) => value / (before[round] ?? NaN)));
    process.stdout.write(
      `| ${key} | ${median(before).toFixed(1)} | ${median(now).toFixed(1)} | ${Number.isFinite(ratio) ? ratio.toFixed(2) : ""} |\n`,
    );
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    objects: { type: "string", default: "100" },
    rounds: { type: "string", default: "3" },
    idle: { type: "string", default: "30" },
    reviews: { type: "string", default: "20000" },
  },
});
const [objects, rounds, idle, reviews] = [values.objects, values.rounds, values.idle, values.reviews].map(Number) as [
  ...[number, number, number, number],
];
const measures: Record<Part, (version: Version, round: number) => Promise<Figures>> = {
  reviews: (version, round) => measureReviews(version, round, reviews),
  creations: measureCreations,
  objects: (version, round) => measureObjects(version, round, { objects, idle }),
};

/** One part of both versions in turn, in as many rounds. */
async function compare(part: Part, versions: readonly Version[]): Promise<void> {
  const results = new Map<Version, Figures[]>(versions.map((version) => [version, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const version of round % 2 === 0 ? versions : versions.toReversed()) {
      const measured = await measures[part](version, round);
      process.stderr.write(`round ${String(round + 1)}, ${version.name}: ${JSON.stringify(measured)}\n`);
      results.get(version)?.push(measured);
    }
  print(results);
}

const own = fileURLToPath(new URL("..", import.meta.url));
const base = await mkdtemp(join(tmpdir(), "landfall-versions-"));
const versions: Version[] = [];
try {
  if (positionals.length !== 1)
    throw new LandfallError("LOCAL_BENCH", { detail: "name the folder of another version" });
  const parts = PARTS.filter((part) => values.only === undefined || values.only === part);
  if (parts.length === 0) throw new LandfallError("LOCAL_BENCH", { detail: `--only is one of ${PARTS.join(", ")}` });
  versions.push(await startVersion("other", resolve(positionals[0] ?? ""), base));
  versions.push(await startVersion("this", resolve(own), base));
  for (const part of parts) await compare(part, versions);
} catch (thrown) {
  process.stderr.write(`${lineOf(thrown)}\n`);
  process.exitCode = 1;
} finally {
  await Promise.all(versions.map(({ stop }) => stop()));
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
}
