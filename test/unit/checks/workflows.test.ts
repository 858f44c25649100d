import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { actionProblems, workflowProblems } from "../../../scripts/check/workflow-problems.ts";

const CHECKOUT = "actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0";

const good = `
on: { push: {}, pull_request: {} }
permissions: {}
jobs:
  build:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    permissions: { contents: read }
    steps:
      - uses: ${CHECKOUT}
        with: { persist-credentials: false }
      - uses: ./.github/actions/setup
      - run: npm test
  comment:
    if: github.event.pull_request.head.repo.full_name == github.repository
    runs-on: ubuntu-latest
    timeout-minutes: 5
    permissions: { pull-requests: write }
    steps:
      - run: gh pr comment "$NUMBER"
  publish:
    if: github.event_name == 'push' && startsWith(github.ref, 'refs/tags/v')
    runs-on: ubuntu-latest
    timeout-minutes: 5
    permissions: { packages: write }
    steps:
      - uses: ${CHECKOUT}
        with: { persist-credentials: false }
      - run: npm publish
`;

describe("a workflow", () => {
  it("has no problem if it follows the rules", () => {
    expect(workflowProblems(good)).toEqual([]);
  });

  it.each([
    ["an action by tag", CHECKOUT, "actions/checkout@v5", "line 10: pin the action as owner/name@<commit> # v1.2.3"],
    [
      "an action whose version nobody can read",
      " # v5.0.0",
      "",
      "line 10: pin the action as owner/name@<commit> # v1.2.3",
    ],
    ["rights for every job", "permissions: {}\n", "permissions: { contents: read }\n", "permissions: {} at the top"],
    ["a job that states no rights", "    permissions: { contents: read }\n", "", "job build: state its permissions"],
    ["a job without an end", "    timeout-minutes: 5\n", "", "job build: set timeout-minutes"],
    [
      "credentials left in the checkout",
      "        with: { persist-credentials: false }\n",
      "",
      "job build: check out with",
    ],
    ["rights for pull requests", "contents: read", "contents: write", "job build: it may write, so its condition"],
    [
      "rights for a pull request's code",
      "      - run: gh",
      `      - uses: ${CHECKOUT}\n        with: { persist-credentials: false }\n      - run: gh`,
      "job comment: it may write, so it must not check out",
    ],
    [
      "rights for a pull request's action",
      "      - run: gh",
      "      - uses: ./x\n      - run: gh",
      "job comment: it may write, so it",
    ],
    ["rights for forks by another trigger", "pull_request: {}", "pull_request_target: {}", "pull_request_target gives"],
    ["a secret", '"$NUMBER"', '"$NUMBER"\n        env: { T: "${{ secrets.T }}" }', "no secrets"],
    ["an expression in a script", '"$NUMBER"', "${{ github.head_ref }}", "job comment: : expressions reach a shell"],
  ])("with %s is refused", (_name, from, to, problem) => {
    expect(good).toContain(from);
    expect(workflowProblems(good.replace(from, to)).join("\n")).toContain(problem);
  });
});

describe("the actions beside the workflows", () => {
  it("are pinned too", () => {
    expect(actionProblems("runs:\n  steps:\n    - uses: actions/cache@v4\n")).toHaveLength(1);
  });

  it("use the cosign version of the tests", () => {
    const { modules } = JSON.parse(readFileSync("tools/tools.json", "utf8")) as {
      modules: { folder: string; version: string }[];
    };
    const version = modules.find(({ folder }) => folder === "cosign")?.version;
    for (const name of ["bundle", "charts"])
      expect(readFileSync(`.github/workflows/${name}.yml`, "utf8")).toContain(`cosign-release: v${String(version)}`);
  });
});
