import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";

// Six projects: `unit` calls functions and starts no program; `integration` runs the command line, helm, opa, registries
// and threads as they are; `e2e-shared` works on one real control plane, each file of `e2e` starts its own;
// `long` is for `npm run test:long`, `operators` for `npm run test:operators`.
/** See test/support/scale.ts: what does ten times as much may take ten times as long. */
const scale = Number(process.env.LANDFALL_TEST_SCALE ?? "1");

/** End-to-end tests mostly wait: two files at a time. In the long tests some have bounds on milliseconds. */
const CLUSTERS = scale === 1 ? 2 : 1;

/** The longest files first, so that none runs alone at the end: vitest goes by their size, which leaves out what they load. */
class SuitesFirst extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files);
    const loadsSuites = await Promise.all(
      sorted.map(async ({ moduleId }) => (await readFile(moduleId, "utf8")).includes(".suite.ts")),
    );
    return [...sorted.filter((_, at) => loadsSuites[at]), ...sorted.filter((_, at) => !loadsSuites[at])];
  }
}

/** A test without an assertion fails. Projects do not inherit this: each has to name it. */
const ASSERTIONS = { requireAssertions: true };

/** A hook may build a tool from source, which takes many minutes on two busy cores: cosign has 700 packages. */
const BUILD = 1_800_000;

/** Node runs the TypeScript of tests and sources itself, as it does in the product, and keeps what it compiled. */
const NATIVE = { viteModuleRunner: false };

export default defineConfig({
  test: {
    reporters: ["default", "./test/reporter.ts"],
    passWithNoTests: true,
    sequence: { sequencer: SuitesFirst },
    projects: [
      {
        test: {
          name: "unit",
          expect: ASSERTIONS,
          experimental: NATIVE,
          // These tests share nothing that they change: files of one worker need not load every module anew.
          isolate: false,
          // By itself vitest leaves one processor free, which is half of a small machine.
          maxWorkers: availableParallelism(),
          include: ["test/unit/**/*.test.ts", "test/security/unit/**/*.test.ts"],
          globalSetup: ["test/setup/policy-bundle.ts"],
          setupFiles: ["test/setup/measure-cpu.ts", "test/setup/seed.ts", "test/setup/no-programs.ts"],
          testTimeout: 60_000 * scale,
          hookTimeout: 60_000 * scale,
        },
      },
      {
        test: {
          name: "integration",
          expect: ASSERTIONS,
          experimental: NATIVE,
          isolate: false,
          maxWorkers: availableParallelism(),
          // A chart made by `landfall scaffold chart` brings its test along.
          include: [
            "test/integration/**/*.test.ts",
            "test/security/integration/**/*.test.ts",
            // They start no program, but take too long for `npm run test:unit`.
            "test/security/fuzz/**/*.test.ts",
            "charts/*/tests/*.test.ts",
          ],
          setupFiles: ["test/setup/measure-cpu.ts", "test/setup/seed.ts"],
          testTimeout: 600_000 * scale,
          hookTimeout: BUILD,
        },
      },
      {
        test: {
          name: "e2e-shared",
          expect: ASSERTIONS,
          experimental: NATIVE,
          // Files share no module that they change: loading all of them anew takes each file a second.
          isolate: false,
          include: ["test/e2e/shared/**/*.test.ts", "test/security/cluster/**/*.test.ts"],
          // Beside the two of `e2e`, for which `npm test` starts another vitest.
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
          globalSetup: ["test/setup/shared-cluster.ts"],
          setupFiles: ["test/setup/measure-cpu.ts"],
          testTimeout: 180_000 * scale,
          hookTimeout: BUILD,
        },
      },
      {
        test: {
          name: "e2e",
          expect: ASSERTIONS,
          experimental: NATIVE,
          include: ["test/e2e/*.test.ts", "test/security/e2e/*.test.ts"],
          maxWorkers: CLUSTERS,
          sequence: { groupOrder: 1 },
          setupFiles: ["test/setup/measure-cpu.ts"],
          testTimeout: 180_000 * scale,
          hookTimeout: BUILD,
        },
      },
      {
        test: {
          // Only `npm run test:operators`: builds an operator, which takes minutes.
          name: "operators",
          expect: ASSERTIONS,
          experimental: NATIVE,
          include: ["test/operators/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: BUILD,
        },
      },
      {
        test: {
          name: "long",
          expect: ASSERTIONS,
          experimental: NATIVE,
          include: ["test/long/**/*.test.ts"],
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          setupFiles: ["test/setup/measure-cpu.ts"],
          testTimeout: 7_200_000,
          hookTimeout: BUILD,
        },
      },
    ],
  },
});
