// Each command of the pages that lead a stranger to an installation has a test that runs it, or a reason.
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const page = (name: string): string => readFileSync(`docs/operations/${name}.md`, "utf8");

/** The commands of a page: lines of its shell blocks, and what its tables give in backquotes. */
function commandsOf(text: string): string[] {
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = ""]) =>
    block.replaceAll(/\\\n\s*/g, "").split("\n"),
  );
  const inTables = text
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .flatMap((line) =>
      [...line.matchAll(/`((?:aws|gcloud|az|helm|kubectl|npm|npx) [^`]+)`/g)].map(([, one = ""]) => one),
    );
  return [...blocks, ...inTables].map((line) => line.replace(/#.*$/, "").trim()).filter((line) => line !== "");
}

const [before = "", table = ""] = page("install").split("## Which commands were run");
const rows = (table.split("## Without the chart")[0] ?? "").split("\n").filter((line) => line.startsWith("| `"));
const known = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, one = ""]) => one));

it("every command of the installation and of the clusters' pages is in the table", () => {
  const commands = [...commandsOf(before), ...commandsOf(page("managed-clusters"))];
  expect(commands.length).toBeGreaterThan(12);
  const isListed = (command: string): boolean =>
    known.some((one) => command.startsWith(one)) || /^kubectl -n kube-system get pods/.test(command);
  expect(commands.filter((command) => !isListed(command))).toEqual([]);
});

it("every row names a test that exists, or says why there is none", () => {
  const tests = rows.map((row) => [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, file = ""]) => file));
  expect(rows.filter((row, at) => tests[at]?.length === 0 && !/not run: |every test/.test(row))).toEqual([]);
  expect(tests.flat().filter((file) => !existsSync(file))).toEqual([]);
});
