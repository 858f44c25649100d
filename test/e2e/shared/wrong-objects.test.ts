import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { readObjects } from "../../../src/cli/objects/read-objects.ts";
import { checkObject } from "../../../src/admission/check/check-object.ts";
import { lineOf } from "../../../src/errors.ts";
import { manifestOf, wrongObjects } from "../../support/wrong-objects.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";

const run = promisify(execFile);
const { kubeconfig } = inject("cluster");
let base: string;
let kubectl: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-wrong-"));
  kubectl = await toolPath("kubectl");
});

afterAll(async () => {
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

const HEAD =
  "apiVersion: composition.krateo.io/v0-2-0\nkind: VmTemplate\nmetadata: {name: wrong, namespace: default}\n";
const vm = (spec: string): string => `${HEAD}spec:\n${spec.replaceAll(/^/gm, "  ")}\n`;

/** What kubectl prints about a manifest that is not taken. */
async function apply(manifest: string): Promise<string> {
  const file = join(base, "wrong.yaml");
  await writeFile(file, manifest);
  try {
    await run(kubectl, ["--kubeconfig", kubeconfig, "apply", "-f", file]);
  } catch (thrown) {
    return (thrown as { stderr: string }).stderr.trim();
  }
  throw new TypeError("kubectl took the manifest");
}

/** The same of `landfall explain`. */
async function explain(manifest: string): Promise<string> {
  try {
    const { workloads } = await readObjects("-", { stdin: Readable.from([manifest]), note: () => undefined });
    return workloads
      .flatMap(({ kind, object }) => checkObject(kind, object))
      .map(({ message, remedy, code }) => `${message}; ${remedy} [${code}]`)
      .join("\n");
  } catch (thrown) {
    return lineOf(thrown);
  }
}

describe("kubectl apply of an object that is wrong by itself", () => {
  it("prints what to write, for each field, as for the API server's own errors", async () => {
    const wrong = vm('cpu: "2"\nmemory: 4GB\ndataResidency: [italy, NO]\nports: [22]');
    expect((await apply(wrong)).split("\n")).toEqual([
      'The VmTemplate "wrong" is invalid: ',
      '* spec.cpu: "2" is a text, because of its quotes; write a whole number of virtual CPUs: cpu: 2 [ADM_SCHEMA]',
      '* spec.memory: "4GB" is not a whole number; write GiB as a whole number: memory: 4 [ADM_SCHEMA]',
      '* spec.dataResidency[0]: "italy" is not the code of an area or a country; write IT [ADM_SCHEMA]',
      '* spec.dataResidency[1]: false is not a text: YAML reads NO, off and n without quotes as false; write "NO" [ADM_SCHEMA]',
      "* spec.ports[0]: 22 is not a map; write {port: 22} [ADM_SCHEMA]",
    ]);
  });

  it.each([
    ["a missing field", "cpu: 2", "spec.memory: is missing; write GiB as a whole number, e.g. memory: 4"],
    ["an empty field", "cpu: 2\nmemory:", "spec.memory:"],
    ["a time without a zone", "cpu: 2\nmemory: 4\nduration: 1h\ndeadline: 2099-12-31T18:00:00", "has no zone"],
    ["a provider in capitals", "cpu: 2\nmemory: 4\nprovider: Azure", "write provider: azure"],
    ["a list instead of the spec's fields", "- cpu: 2", "spec"],
  ])("%s", async (_name, spec, text) => {
    expect(await apply(vm(spec))).toContain(text);
  });
});

/** What is wrong, the manifest, what the API server or kubectl says before any webhook, what explain says. */
const BEFORE: [string, string, string, string][] = [
  [
    "an unknown field",
    vm("cpu: 2\nmemroy: 4"),
    'strict decoding error: unknown field "spec.memroy"',
    "spec.memroy 4 is not a field; write memory: 4",
  ],
  [
    "a kind in other capitals",
    vm("cpu: 2\nmemory: 4").replace("VmTemplate", "VMTemplate"),
    'no matches for kind "VMTemplate" in version "composition.krateo.io/v0-2-0"',
    "write kind: VmTemplate",
  ],
  [
    "another version",
    vm("cpu: 2\nmemory: 4").replace("v0-2-0", "v1"),
    'no matches for kind "VmTemplate" in version "composition.krateo.io/v1"',
    "write apiVersion: composition.krateo.io/v0-2-0",
  ],
  [
    "a tab",
    vm("cpu: 2\n\tmemory: 4"),
    "found a tab character that violates indentation",
    "is indented with a tab; write spaces",
  ],
  [
    "fields outside spec",
    `${HEAD}cpu: 2\nmemory: 4\n`,
    'unknown field "cpu", unknown field "memory"',
    "cpu and memory stand outside spec; indent them below spec",
  ],
  [
    "an empty name",
    vm("cpu: 2\nmemory: 4").replace("name: wrong", "name: "),
    "resource name may not be empty",
    "metadata.name",
  ],
  [
    "a number as a name",
    vm("cpu: 2\nmemory: 4").replace("name: wrong", "name: 12"),
    "cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string",
    'metadata.name 12 is the number 12 in YAML, and not a text; write name: "12"',
  ],
];

describe("what kubectl or the API server refuses before any webhook", () => {
  it.each(BEFORE)("%s: explain says it in better words", async (_name, manifest, refused, explained) => {
    expect(await apply(manifest)).toContain(refused);
    expect(await explain(manifest)).toContain(explained);
  });
});

/** What kubectl prints for each file of a folder, by the files' names; one process for all. */
async function applyAll(folder: string): Promise<Map<string, string>> {
  const args = ["--kubeconfig", kubeconfig, "apply", "--dry-run=server", "-f", folder];
  const { stderr } = await run(kubectl, args, { maxBuffer: 1e8 }).catch(
    (thrown: unknown) => thrown as { stderr: string },
  );
  const answers = stderr.split(/^(?=Error from server|The )/m).map((text) => text.trim());
  return new Map(answers.map((text) => [/(wrong-\d+)(?:\.yaml)?"/.exec(text)?.[1] ?? text, text]));
}

/** What the API server removes before it asks a webhook, which then sees less. */
const PRUNED: readonly (readonly [said: string, instead: string])[] = [
  ["spec.memory has no value; write", "spec.memory is missing; write"],
  ["spec.cpu:2 is not a field; write a space after the colon: cpu: 2", "spec.cpu is missing; write"],
  [
    "spec.ports[0].port:22 is not a field; write a space after the colon: port: 22",
    "spec.ports[0].port is missing; write",
  ],
  ["spec [cpu, memory] is not a map; write its fields", "spec is not a map; write its fields below it"],
  ['spec "cpu 2" is not a map; write its fields', "spec is not a map; write its fields below it"],
];

/** The text without its code, as kubectl shows it. */
function shownAs(says: string): string {
  const text = says.replace(/^[A-Z_]+ /, "");
  const pruned = PRUNED.find(([said]) => text.startsWith(said));
  return pruned === undefined ? text : text.replace(pruned[0], pruned[1]);
}

const TIME = /\d{4}-\d{2}-\d{2}T[\d:]{8}Z/;

/** Some advice names a time after now, which is another one here, and whether the next such time of day is early enough depends on the hour. */
function withoutTimes(text: string): string {
  const [before = "", ...after] = text.split(TIME);
  return after.length === 0 ? text : before.replace(/; write .*$/s, "");
}

describe("every wrong object of the fixtures, through kubectl", () => {
  it("gets Landfall's answer, or the API server's about an unknown field, which explain says in better words", async () => {
    const folder = join(base, "all");
    await mkdir(folder);
    const seen = wrongObjects().filter(({ removed }) => removed !== true);
    const cases = seen.map((one, index) => ({ ...one, name: `wrong-${String(index)}` }));
    await Promise.all(cases.map((one) => writeFile(join(folder, `${one.name}.yaml`), manifestOf(one, one.name))));
    const answers = await applyAll(folder);
    expect([...answers.keys()].toSorted()).toEqual(cases.map(({ name }) => name).toSorted());
    for (const { name, is, says = [] } of cases) {
      const answer = answers.get(name) ?? "";
      if (answer.includes("strict decoding error: unknown field ")) {
        // A field below what has to be another type is unknown as well; explain names the field above.
        const fields = [...answer.matchAll(/unknown field "([^"]+)"/g)].map(([, field = ""]) => field);
        const told = fields.filter((field) => says.some((text) => field.startsWith(text.split(" ")[1] ?? "-")));
        expect(told.length, `${is}: ${answer}`).toBeGreaterThan(0);
      } else {
        // The policy's answers depend on the time, on the bundle and on what is installed: they are the same by their codes, and those that come after
        // others, once these are corrected, may be others here.
        const isOfPolicy = (text: string): boolean => /^(?:POL|PLACEMENT)_/.test(text);
        const texts = says
          .filter((text, index) => index === 0 || !isOfPolicy(text))
          .map((text) => (isOfPolicy(text) ? (text.split(" ")[0] ?? "") : shownAs(text)));
        expect(
          texts.filter((text) => !answer.includes(withoutTimes(text))),
          `${is}: ${answer}`,
        ).toEqual([]);
        expect(answer).toMatch(/^(The|Error from server).*(Invalid|is invalid|Forbidden)/);
      }
    }
  });
});
