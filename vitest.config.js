import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// Three projects: `unit` calls functions; `integration` runs the command line, opa, registries and
// threads as they are; `e2e` starts a real API server, registry and helm,
// one file after the other.
export default defineConfig({
  test: {
    reporters: ["default", "./test/reporter.ts"],
    passWithNoTests: true,
    projects: [
      {
        test: {
          name: "unit",
          // These tests share nothing that they change: files of one worker need not load every module anew.
          isolate: false,
          // By itself vitest leaves one processor free, which is half of a small machine.
          maxWorkers: availableParallelism(),
          // A chart made by `landfall scaffold chart` brings its test along.
          include: ["test/unit/**/*.test.ts", "charts/*/tests/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "integration",
          maxWorkers: availableParallelism(),
          include: ["test/integration/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
