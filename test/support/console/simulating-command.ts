import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Landfall } from "../../../src/console/commands/run-command.ts";

const policy = (name: string, kgCO2: number) => ({
  ...{ name, kgCO2, cost: 20, meanDelayHours: 2, meanLatencyMs: 9.4 },
  ...{ deadlineMisses: 0, violations: 0, busiestRegionShare: 0.5 },
});
const point = (waitingCostPercent: number) => ({
  waitingCostPercent,
  ours: { kgCO2: 2, meanDelayHours: 4 },
  clairvoyant: { kgCO2: 1.5, meanDelayHours: 5 },
});
const FIGURES = {
  ...{ policies: [policy("run-now-at-origin", 9), policy("ours", 2)], upperBound: { kgCO2: 1 }, waitingCostPercent: 6 },
  frontier: [point(0), point(6)],
};
const PLOT = {
  ...{ title: "A plot", about: "Of nothing." },
  svg: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
};

/** A command line in a folder that answers each simulation at once, with the number of jobs that was asked for. */
export async function simulatingCommand(folder: string): Promise<Landfall> {
  const main = join(folder, "simulating.mjs");
  await writeFile(
    main,
    `import { writeFileSync } from "node:fs";
const valueOf = (name) => process.argv.find((one) => one.startsWith(name + "=")).slice(name.length + 1);
writeFileSync(valueOf("--plots"), ${JSON.stringify(JSON.stringify([PLOT]))});
console.log(JSON.stringify({ ...${JSON.stringify(FIGURES)}, jobs: Number(valueOf("--jobs")) }));
`,
  );
  return { main, env: {}, kubeconfig: null, registry: [] };
}
