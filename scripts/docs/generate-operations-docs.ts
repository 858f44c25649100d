import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { KINDS, type Kind } from "../../src/model/names.ts";
import {
  abilitiesOf,
  type FieldChange,
  OPERATIONS,
  type OperationName,
  operationsFile,
} from "../../src/model/places/operations.ts";
import { type Provider, PROVIDERS } from "../../src/model/workload.ts";

const PATH = "docs/reference/operations.md";
const target = fileURLToPath(new URL(`../../${PATH}`, import.meta.url));

const TITLES: Readonly<Record<Provider, string>> = {
  azure: "Azure",
  aws: "AWS",
  gcp: "Google Cloud",
  elemento: "Elemento",
};
const NAMES: Readonly<Record<OperationName, string>> = {
  stop: "stop",
  start: "start a stopped one",
  recreate: "pause by deletion",
  reattach: "data disks for another machine",
  resize: "change the size in place",
  spot: "spot capacity",
  runLimit: "own limit of the run time",
  billedWhileStopped: "billed while stopped",
};
const CHANGES: Readonly<Record<FieldChange, string>> = {
  "in-place": "in place",
  replace: "needs a new one",
  ignored: "ignored by the operator",
};

const cell = (text: string): string => text.replaceAll("|", "\\|");
const row = (...cells: string[]): string => `| ${cells.map(cell).join(" | ")} |`;

const operationsTable = (kind: Kind): string[] => [
  row("", ...PROVIDERS.map((provider) => TITLES[provider])),
  `|---|${PROVIDERS.map(() => "---|").join("")}`,
  ...OPERATIONS.map((name) =>
    row(
      NAMES[name],
      ...PROVIDERS.map((provider) => {
        const { can, detail, address, within } = abilitiesOf(kind, provider).operations[name];
        const moved = address === undefined ? "" : `; ${address}`;
        return `${can ? "yes" : "no"}: ${detail}${moved}${within === undefined ? "" : `. Between ${within}`}`;
      }),
    ),
  ),
  "",
];

const secondsOf = (seconds: number): string => (seconds < 3600 ? `${seconds / 60} min` : `${seconds / 3600} h`);

const observationTable = (): string[] => [
  "### Machines that are stopped or deleted by hand",
  "",
  row("", "state", "seen after", "deleted", "stopped", "source"),
  "|---|---|---|---|---|---|",
  ...PROVIDERS.flatMap((provider) => {
    const { observation } = abilitiesOf("VmTemplate", provider);
    if (observation === undefined) return [];
    const { state, seenAfterSeconds, ask, gone, stopped, source } = observation;
    const asked = ask === null ? "" : `, or ${secondsOf(ask.everySeconds)} where the controller asks (${ask.cost})`;
    const after = seenAfterSeconds === null ? "never" : `${secondsOf(seenAfterSeconds)}${asked}`;
    return [row(TITLES[provider], state === null ? "none" : `\`status.${state}\``, after, gone, stopped, source)];
  }),
  "",
];

const fieldsTable = (kind: Kind, provider: Provider): string[] => [
  row("field", "a change", "detail", "source"),
  "|---|---|---|---|",
  ...Object.entries(abilitiesOf(kind, provider).fields).map(([field, { change, detail, source }]) =>
    row(`\`${field}\``, CHANGES[change], detail, source),
  ),
  "",
];

const render = (): string =>
  [
    "# What providers can do in place",
    "",
    "Generated from `catalog/operations.json` by `npm run generate`. Admission and policies read the same file.",
    "",
    "Admission denies a change that needs a new machine or cluster (`ADM_IMMUTABLE`, `ADM_RESIZE_UNSUPPORTED`, `ADM_POOL_FIXED`).",
    "",
    ...KINDS.flatMap((kind) => [
      `## ${kind}`,
      "",
      ...operationsTable(kind),
      ...(kind === "VmTemplate" ? observationTable() : []),
      ...PROVIDERS.flatMap((provider) => [`### ${kind} on ${TITLES[provider]}`, "", ...fieldsTable(kind, provider)]),
    ]),
    "## Sources",
    "",
    ...Object.entries(operationsFile.sources).map(([name, text]) => `- ${name}: ${text}`),
    "",
  ].join("\n");

/** Writes docs/reference/operations.md, or with `check` only answers whether it would change. */
export async function generateOperationsDocs({ check }: { check: boolean }): Promise<string[]> {
  const wanted = render();
  const current = await readFile(target, "utf8").catch(() => "");
  if (current === wanted) return [];
  if (!check) await writeFile(target, wanted);
  return [PATH];
}
