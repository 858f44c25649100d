/** What a change of files that nobody imports needs: tests load them by path, so vitest does not see the connection. */
interface Rule {
  /** The changed files. */
  files: RegExp;
  checks?: readonly string[];
  /** Folders and files of unit and integration tests. */
  tests?: readonly string[];
}

const DECISIONS = ["test/unit/policy/", "test/integration/policy/", "test/unit/admission/"];

const RULES: readonly Rule[] = [
  { files: /^policies\//, checks: ["policies", "generated files"], tests: DECISIONS },
  { files: /^catalog\//, checks: ["generated files"], tests: DECISIONS },
  {
    files: /^charts\//,
    checks: ["charts", "generated files"],
    tests: ["test/unit/charts/", "test/integration/charts/"],
  },
  { files: /^schemas\//, checks: ["generated files"], tests: ["test/unit/checks/schemas.test.ts"] },
  { files: /^\.github\//, checks: ["workflows"], tests: ["test/integration/workflows.test.ts"] },
  { files: /\.md$/, checks: ["docs"] },
  { files: /^(src\/errors\.ts|scripts\/(generate|docs)\b)/, checks: ["generated files", "docs"] },
];

/** Checks of every change. Lint and format know which files have not changed since they were clean. */
const ALWAYS = ["types", "lint", "format", "architecture", "prose", "forbidden text"];

/** The checks that changed files need, and the tests beyond those that import one of them. */
export function affected(changed: readonly string[]): { checks: string[]; tests: string[] } {
  const rules = RULES.filter(({ files }) => changed.some((file) => files.test(file)));
  return {
    checks: [...new Set([...ALWAYS, ...rules.flatMap(({ checks = [] }) => checks)])],
    tests: [...new Set(rules.flatMap(({ tests = [] }) => tests))],
  };
}
