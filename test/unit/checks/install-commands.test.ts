// Each command of the pages that lead a stranger to an installation has a test that runs it, or a reason; and reads no file that no earlier one made.
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { CLUSTER_INSTALLS, type Command, shellCommandsOf, unmadeFiles } from "../../support/install-pages.ts";

const page = (name: string): string => readFileSync(`docs/operations/${name}.md`, "utf8");

/** The commands that tables give in backquotes. */
const inTables = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .flatMap((line) =>
      [...line.matchAll(/`((?:aws|gcloud|az|helm|kubectl|npm|npx) [^`]+)`/g)].map(([, one = ""]) => one),
    );

const [before = "", table = ""] = page("install").split("## Which commands were run");
const rows = (table.split("## Without the chart")[0] ?? "").split("\n").filter((line) => line.startsWith("| `"));
const known = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, one = ""]) => one));

it("every command of the installation and of the clusters' pages is in the table", () => {
  const pages = [
    before,
    page("lifecycle"),
    page("managed-clusters"),
    ...CLUSTER_INSTALLS.map((name) => page(`clusters/${name}`)),
  ];
  const commands = pages.flatMap((text) => [...shellCommandsOf(text).map(({ line }) => line), ...inTables(text)]);
  expect(commands.length).toBeGreaterThan(80);
  const isListed = (command: string): boolean => known.some((one) => command.startsWith(one));
  expect(commands.filter((command) => !isListed(command))).toEqual([]);
});

it.each(CLUSTER_INSTALLS)(
  "every file that a command of %s reads is made by an earlier one, or is in a clone",
  (name) => {
    const commands = shellCommandsOf(page(`clusters/${name}`));
    expect(commands.length).toBeGreaterThan(20);
    expect(unmadeFiles(commands, existsSync)).toEqual([]);
  },
);

it.each(CLUSTER_INSTALLS)(
  "the page of %s checks what a failed push would leave empty, and has no comments in commands",
  (name) => {
    const text = page(`clusters/${name}`);
    const lines = shellCommandsOf(text).map(({ line }) => line);
    for (const variable of ["CRANE", "DIGEST"])
      expect(lines[lines.findIndex((line) => line.startsWith(`export ${variable}=`)) + 1]).toBe(
        `: "\${${variable}:?is empty: read the error of the line before}"`,
      );
    expect([...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].filter(([, block = ""]) => /\s#\s/.test(block))).toEqual([]);
  },
);

it("the restore reads each file that the backup writes, and none besides those that a user keeps", () => {
  const text = page("lifecycle");
  const [, backup = "", restore = ""] = /^## Backup$([\s\S]*)^## Restore$([\s\S]*)^## Uninstall$/m.exec(text) ?? [];
  const kept = ["values.yaml", "bundle.pub"];
  const commands = [...shellCommandsOf(backup), ...shellCommandsOf(restore.replaceAll(/^ {3}/gm, ""))];
  expect(unmadeFiles(commands, (file) => kept.includes(file))).toEqual([]);
  const written = [...backup.matchAll(/> (\w+\.json)$/gm)].map(([, file = ""]) => file);
  expect(written.length).toBeGreaterThan(5);
  const isRead = (file: string): boolean => restore.includes(`-f ${file}`) || restore.includes(`' ${file} |`);
  expect(written.filter((file) => !isRead(file))).toEqual([]);
});

it("the check of files finds one that is made later, or never", () => {
  const commands = (text: string): Command[] => shellCommandsOf(`\`\`\`sh\n${text}\n\`\`\`\n`);
  const unmade = (text: string): string[] => unmadeFiles(commands(text), (file) => file === "examples/one.yaml");
  expect(unmade("kubectl apply -f a.yaml\ncat > a.yaml <<EOF\nkind: Pod\nEOF")).toEqual(["a.yaml"]);
  expect(unmade("cat > a.yaml <<EOF\nkind: Pod\nEOF\nkubectl apply -f a.yaml -f examples/one.yaml")).toEqual([]);
  expect(unmade("openssl ec -in b.key -pubout -out b.pub")).toEqual(["b.key"]);
  expect(unmade("helm install x charts/landfall --set-file 'bundle.keys.bundle\\.pub=bundle.pub'")).toEqual([
    "bundle.pub",
  ]);
  expect(unmade("aws iam create-role --assume-role-policy-document file://trust.json")).toEqual(["trust.json"]);
  expect(unmade("npx landfall bundle push b.tar.gz REF --key k")).toEqual(["k", "b.tar.gz"]);
});

it("every row names a test that exists, or says why there is none", () => {
  const tests = rows.map((row) => [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, file = ""]) => file));
  expect(rows.filter((row, at) => tests[at]?.length === 0 && !/not run: |every test/.test(row))).toEqual([]);
  expect(tests.flat().filter((file) => !existsSync(file))).toEqual([]);
});
