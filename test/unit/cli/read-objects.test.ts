import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LandfallError, lineOf } from "../../../src/errors.ts";
import { explainObjects } from "../../../src/cli/objects/explain-objects.ts";
import { loadPolicy } from "../../support/load-policy.ts";
import { parseDocuments } from "../../../src/cli/objects/read-documents.ts";
import { readObjects, readSound } from "../../../src/cli/objects/read-objects.ts";

const policy = await loadPolicy();
const notes: string[] = [];
const note = (text: string): void => void notes.push(text);
const readText = (text: string) => readObjects("-", { stdin: Readable.from([text]), note });

const read = (metadata: string, spec = "{cpu: 1, memory: 1}") =>
  readText(`apiVersion: composition.krateo.io/v0-1-0\nkind: VmTemplate\nmetadata: ${metadata}\nspec: ${spec}\n`);

it.each([
  [
    "{name: web, annotations: {landfall.dev/start-now: 5}}",
    'annotations[landfall.dev/start-now] 5 is the number 5 in YAML, and not a text; write landfall.dev/start-now: "5"',
  ],
  ["{name: web, labels: {a: yes}}", 'labels[a] yes is the boolean true in YAML, and not a text; write a: "yes"'],
  ["{name: web, labels: {a: [b]}}", 'labels[a] is a list, and not a text; write a: "b"'],
  ["{name: web, annotations: [a]}", 'annotations is not a map of names to texts; write annotations: {team: "web"}'],
  ["{name: web, lables: {a: b}}", "lables is not a field; write labels"],
  ["{name: web, team: a}", "team is not a field; write labels: {team: a}, or remove it"],
  ["{name: }", "name has no value; write name: web, or remove the line"],
  ["{name: 123}", 'name 123 is the number 123 in YAML, and not a text; write name: "123"'],
  [
    "{name: Foo Bar}",
    'name "Foo Bar" is not a name: a name has at most 253 of a-z, 0-9, - or ., with a letter or a digit first and last; write name: foo-bar',
  ],
  ["{name: -web}", 'name "-web" is not a name'],
  [
    "{name: web, namespace: a.b}",
    'namespace "a.b" is not a name: a name has at most 63 of a-z, 0-9, -, with a letter or a digit first and last; write namespace: a-b',
  ],
  [`{name: web, namespace: ${"a".repeat(64)}}`, `namespace "${"a".repeat(57)}..." is not a name`],
  [
    "{name: web, labels: {build: 0042}}",
    'labels[build] 0042 is the number 34 in YAML, and not a text; write build: "0042"',
  ],
  ["{name: web, labels: {v: 1.10}}", 'labels[v] 1.10 is the number 1.1 in YAML, and not a text; write v: "1.10"'],
  [
    "{name: web, annotations: {landfall.dev/estimates: no, landfall.dev/max-wait: 12}}",
    'annotations[landfall.dev/estimates] no is the boolean false in YAML, and not a text; write landfall.dev/estimates: "false"; also ' +
      "metadata.annotations[landfall.dev/max-wait] 12 is the number 12 in YAML, and not a text; write a text, e.g. " +
      'landfall.dev/max-wait: "12h"',
  ],
  ["{name: web, labels: {v: }}", 'labels[v] has no value; write v: "", or remove the line'],
  [
    "{name: web, labels: {team: platform team!}}",
    'labels[team] "platform team!" is not the value of a label; write team: platform-team, or an annotation',
  ],
  [
    "{name: web, annotations: {a/my key: b}}",
    'annotations has the name "a/my key", which is not valid; write a/my-key',
  ],
])("refuses metadata that the API server refuses: %s", async (metadata, detail) => {
  await expect(read(metadata)).rejects.toMatchObject({ code: "CLI_METADATA" });
  expect(await read(metadata).catch(lineOf)).toContain(`-: document 1: metadata.${detail}`);
});

it.each([
  "{name: a.web-1, namespace: demo, labels: {a: 'yes'}, annotations: {b: ''}}",
  "{name: web, labels: }",
  "{generateName: web-}",
])("takes what the API server takes: %s", async (metadata) => {
  expect((await read(metadata)).workloads).toHaveLength(1);
});

/** The denials of a spec, as explain shows them. */
async function explained(spec: string): Promise<string[]> {
  const objects = await read("{name: web}", spec);
  const [decision] = explainObjects(objects, { policy, nowSeconds: 1_800_000_000, origin: null });
  return (decision?.denials ?? []).map(({ message, remedy }) => `${message}; ${remedy}`);
}

it.each([
  ["tags: {cost: 0815}", 'spec.tags.cost 0815 is the number 815 in YAML; write cost: "0815"'],
  ["tags: {build: 0042}", 'spec.tags.build 0042 is the number 34 in YAML; write build: "0042"'],
  ["tags: {costCenter: 0123}", 'spec.tags has the key "costCenter", which has the capital C; write costcenter: "0123"'],
  [
    "labels: {build: 0123, v: 1.10}",
    'spec.labels {build: "0123", v: "1.10"} is not a field; write tags: {build: "0123", v: "1-10"}',
  ],
  ["tags: {hex: 0x1F}", "spec.tags.hex 0x1F is the number 31 in YAML; write hex: 0x1f"],
  ["maxPrice: 0.10", 'spec.maxPrice 0.10 is the number 0.1 in YAML; write maxPrice: "0.10"'],
  ["tags: {cost: 815}", 'spec.tags.cost 815 is a number; write cost: "815"'],
])("says what the file has, and not only what YAML reads: %s", async (field, line) => {
  expect((await explained(`{cpu: 1, memory: 1, ${field}}`)).join()).toContain(line);
});

it("blames a tag, and not quotes", async () => {
  expect(await explained("{cpu: !!str 2, memory: 1}")).toEqual([
    'spec.cpu "2" is a text, because of its tag !!str; write a whole number of virtual CPUs: cpu: 2',
  ]);
});

it.each([
  [
    "{cpu: 1, memory: 1, provider: gcp, region: !Ref Region}",
    'spec.region "!Ref Region" is not a field, and is a placeholder that was not filled in',
  ],
  ["{cpu: !Ref Cpu, memory: 1}", 'spec.cpu "!Ref Cpu" is a placeholder that was not filled in'],
  ["{cpu: x, memory: 1, image: !GetAtt A.Id}", 'spec.image "!GetAtt A.Id" is a placeholder that was not filled in'],
])("says that the tag of CloudFormation is a placeholder: %s", async (spec, line) => {
  expect((await explained(spec)).join()).toContain(line);
});

it.each(["{cpu: 1, memory: 1, tags: {status: todo}, vmName: todo}", "{cpu: 1, memory: 1, tags: {a: !Ref b}}"])(
  "takes a word of the user's, and what the cluster takes: %s",
  async (spec) => {
    expect(await explained(spec)).toEqual([]);
  },
);

it("takes the fields of another map by a merge key, as kubectl does", async () => {
  const { workloads } = await read("{name: web}", "{<<: {cpu: 2, maxLatency: 20}, cpu: 1, memory: 1}");
  expect(workloads[0]?.object.spec).toEqual({ cpu: 1, maxLatency: 20, memory: 1 });
});

it("says what YAML reads in place of a list's only item", async () => {
  expect(await explained("{cpu: 1, memory: 1, dataResidency: NO}")).toEqual([
    'spec.dataResidency NO is the boolean false in YAML; write dataResidency: ["NO"]',
  ]);
});

it("notes numbers that YAML reads in base 8", async () => {
  notes.length = 0;
  await read("{name: web}", "{cpu: 2, memory: 010, tags: {a: 010}}");
  expect(notes).toEqual(["landfall: -: document 1: spec.memory 010 is 8 in YAML; write memory: 8 or memory: 10\n"]);
});

it("reads an unquoted country code as kubectl does", async () => {
  const { workloads } = await read("{name: web}", "{cpu: 1, memory: 1, dataResidency: [NO, SE]}");
  expect(workloads[0]?.object.spec?.["dataResidency"]).toEqual([false, "SE"]);
});

const VM =
  "apiVersion: composition.krateo.io/v0-2-0\nkind: VmTemplate\nmetadata: {name: e1}\nspec: {cpu: 1, memory: 1}\n";

it.each([
  ["a name with an exponent", VM, "e1"],
  ["a name of digits and an e", VM.replace("e1", "e123456"), "e123456"],
])("reads %s as kubectl does, as a text", async (_name, text, name) => {
  expect((await readText(text)).workloads[0]?.object.metadata.name).toBe(name);
});

it.each([
  [
    "a kind in other capitals",
    VM.replace("VmTemplate", "VMTemplate"),
    'kind "VMTemplate" is not known; write kind: VmTemplate',
  ],
  ["a misspelt kind", VM.replace("VmTemplate", "KaasClutser"), "write kind: KaasCluster"],
  ["another kind of the group", VM.replace("VmTemplate", "Boat"), "write kind: VmTemplate or kind: KaasCluster"],
  ["a version that no cluster serves", VM.replace("v0-2-0", "v1"), "write apiVersion: composition.krateo.io/v0-2-0"],
  ["another group", VM.replace("composition.krateo.io", "krateo.io"), "write apiVersion: composition.krateo.io/v0-2-0"],
  ["no kind", "apiVersion: v1\nmetadata: {name: a}\n", "kind is missing; write kind: VmTemplate or kind: KaasCluster"],
  ["no apiVersion", VM.replace(/^.*\n/, ""), "apiVersion is missing; write apiVersion: composition.krateo.io/v0-2-0"],
  [
    "a number as apiVersion",
    VM.replace(/^.*\n/, "apiVersion: 1\n"),
    "apiVersion 1 is not a text; write apiVersion: composition.krateo.io/v0-2-0",
  ],
  [
    "a spec without spaces after its colons",
    VM.replace("{cpu: 1, memory: 1}", "\n  cpu:1\n  memory:1"),
    "spec is a text, because no space follows a colon in it; write one after each, as in cpu: 2",
  ],
  [
    "fields with = in place of a colon",
    VM.replace("{cpu: 1, memory: 1}", "\n  cpu = 1\n  memory = 1"),
    "spec is a text, because its fields have = and no colon; write them as cpu: 2, each on a line of its own",
  ],
  [
    "a spec after |",
    VM.replace("{cpu: 1, memory: 1}", "|\n  cpu: 1\n  memory: 1"),
    "spec is a text, because of the | or > after spec:; remove it",
  ],
  ["no name", VM.replace("{name: e1}", "{namespace: demo}"), "metadata.name is missing; write name: web"],
  ["a misspelt metadata", VM.replace("metadata", "metdata"), "metdata is not a field; write metadata"],
  [
    "a machine of another tool",
    VM.replace("VmTemplate", "VirtualMachine"),
    "is not Landfall's; write kind: VmTemplate",
  ],
  ["a cluster of another tool", VM.replace("VmTemplate", "EKSCluster"), "write kind: KaasCluster"],
  [
    "annotations as a list",
    VM.replace("{name: e1}", "{name: e1, annotations: [landfall.dev/allow-move=true]}"),
    'metadata.annotations is not a map of names to texts; write annotations: {landfall.dev/allow-move: "true"}',
  ],
  [
    "a pause in a word that YAML reads as true",
    VM.replace("{name: e1}", "{name: e1, annotations: {krateo.io/paused: yes}}"),
    'is the boolean true in YAML, and not a text; write krateo.io/paused: "true"',
  ],
  ["no metadata", VM.replace("metadata: {name: e1}", ""), "metadata is missing; write metadata: {name: web}"],
  ["an empty metadata", VM.replace("{name: e1}", ""), "metadata is missing"],
  [
    "fields outside spec",
    VM.replace("spec: {cpu: 1, memory: 1}", "cpu: 1\nmemory: 1"),
    "cpu and memory stand outside spec; indent them below spec",
  ],
  [
    "a name and fields outside spec",
    VM.replace("{name: e1}", "{name: Web_1}").replace("spec: {cpu: 1, memory: 1}", "cpu: 1"),
    "write name: web-1; also cpu stands outside spec; indent it below spec",
  ],
  [
    "a kind, a name and a field of the metadata",
    VM.replace("VmTemplate", "VMTemplate").replace("{name: e1}", "{name: Web_1, tags: {env: prod}}"),
    'write kind: VmTemplate; also metadata.name "Web_1" is not a name',
  ],
  ["a misspelt spec", VM.replace("spec", "sepc"), "sepc is not a field of a VmTemplate; write spec"],
  ["a field of a ConfigMap", `${VM}data: {a: b}\n`, "data is not a field of a VmTemplate; remove it"],
  [
    "a field by another name outside spec",
    `${VM}region: italynorth\n`,
    "region stands outside spec; indent it below spec",
  ],
  ["an empty spec", VM.replace("{cpu: 1, memory: 1}", ""), "spec has no value; write its fields below it"],
  ["a list as spec", VM.replace("{cpu: 1, memory: 1}", "[cpu]"), "spec is not a map"],
  [
    "a spec whose fields have dashes",
    VM.replace("{cpu: 1, memory: 1}", "\n  - cpu: 1\n  - memory: 1"),
    'spec is a list, and not a map; write its fields without "- " before them',
  ],
  [
    "a kind and a version of another tool",
    VM.replace("VmTemplate", "VM").replace("v0-2-0", "v0.2.0"),
    'kind "VM" of composition.krateo.io is not Landfall\'s, and the cluster does not serve apiVersion "composition.krateo.io/v0.2.0"; write apiVersion: composition.krateo.io/v0-2-0 and kind: VmTemplate',
  ],
  [
    "the product's name as the group",
    VM.replace("VmTemplate", "Machine").replace("composition.krateo.io/v0-2-0", "landfall.dev/v1"),
    "write apiVersion: composition.krateo.io/v0-2-0 and kind: VmTemplate",
  ],
  [
    "a spec alone",
    "cpu: 2\nmemory: 4\n",
    "write apiVersion: composition.krateo.io/v0-2-0, kind: VmTemplate, metadata: {name: web} and spec:, and these fields below spec",
  ],
  [
    "the values of a chart",
    "image: {tag: a}\nreplicaCount: 2\nserviceAccount: {}\n",
    "so it is not a manifest, e.g. values of a chart; give a file with a VmTemplate or a KaasCluster",
  ],
  [
    "only metadata",
    "metadata: {name: a}\n",
    "apiVersion and kind are missing; write apiVersion: composition.krateo.io/v0-2-0, and kind: VmTemplate or kind: KaasCluster",
  ],
  [
    "a second object",
    VM + VM,
    '"apiVersion: composition.krateo.io/v0-2-0" begins a second object in one document; write --- on a line before it',
  ],
  [
    "a list",
    "- {kind: VmTemplate}",
    'it is a list, and not an object; remove "- " before each object, and write --- on a line between two',
  ],
  ["a text", "hello", "it is not a map; write apiVersion, kind, metadata and spec, each with a colon"],
  ["a tab", VM.replace("spec: {cpu: 1, memory: 1}", "spec:\n\tcpu: 1"), "is indented with a tab"],
  ["a field twice", VM.replace("cpu: 1", "cpu: 1, cpu: 2"), "has a field that its map has already"],
])("says what to write for %s", async (_name, text, detail) => {
  await expect(readText(text)).rejects.toThrow(LandfallError);
  const line = await readText(text).catch(lineOf);
  expect(line).toContain(detail);
  // Nothing general after what to write exactly.
  expect(line).not.toContain("standard input");
});

it("tells of a namespace's annotations that are no settings", async () => {
  notes.length = 0;
  const annotations = '{landfall.dev/maxLatency: "20", landfall.dev/when-done: terminate, team: a}';
  const namespace = `apiVersion: v1\nkind: Namespace\nmetadata: {name: demo, annotations: ${annotations}}\n---\n`;
  await readText(namespace + VM);
  expect(notes).toEqual([
    expect.stringContaining(
      "landfall: -: Namespace demo: annotation landfall.dev/maxLatency is not a setting of a namespace, so it has no effect; write landfall.dev/max-latency",
    ),
    expect.stringContaining('annotation landfall.dev/when-done "terminate" is not valid'),
  ]);
});

describe("objects of other kinds", () => {
  const list = `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Service, metadata: {name: db}}\n- ${VM.replaceAll("\n", "\n  ")}`;

  it("of a List are skipped, and that is told", async () => {
    notes.length = 0;
    expect((await readText(list)).workloads).toHaveLength(1);
    expect(notes).toEqual(["landfall: -: document 1, items[0], Service db, is skipped\n"]);
  });

  it("and its faults are told by their places, all of them", async () => {
    notes.length = 0;
    const wrong = list.replace("kind: Service", "kind: KaasClustr").replace("kind: VmTemplate", "kind: VMTemplate");
    const last = await readText(wrong).catch(lineOf);
    expect([...notes, last]).toEqual([
      expect.stringContaining('document 1, items[0]: kind "KaasClustr" is not known'),
      expect.stringContaining('document 1, items[1]: kind "VMTemplate" is not known; write kind: VmTemplate'),
    ]);
  });

  it("and its faults hide no other object", async () => {
    const { workloads, faults } = await readSound("-", {
      stdin: Readable.from([`${VM.replace("{name: e1}", "{name: Not_A_Name}")}---\n${VM}`]),
      note,
    });
    expect(workloads.map(({ object }) => object.metadata.name)).toEqual(["e1"]);
    expect(faults.map(lineOf)).toEqual([expect.stringContaining('-: document 1: metadata.name "Not_A_Name"')]);
  });

  it("are not enough", async () => {
    await expect(readText("apiVersion: v1\nkind: Service\nmetadata: {name: db}\n")).rejects.toThrow(
      "it holds no VmTemplate and no KaasCluster",
    );
  });
});

it.each([
  ["items: {a: {kind: VmTemplate}}", "items of the List is a map"],
  ["items: 3", "items of the List is no list"],
  ["item: []", "the List has no items"],
])("a List with %s is refused, and says how to write one", (items, detail) => {
  expect(() => parseDocuments("list.yaml", `apiVersion: v1\nkind: List\n${items}\n`)).toThrow(
    expect.objectContaining({
      code: "CLI_INPUT",
      params: { file: "list.yaml", detail, correction: 'write items: and below it each object after "- "' },
    }),
  );
});

describe("paths", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "landfall-paths-"));
    await mkdir(join(folder, "sub"));
    await writeFile(join(folder, "b.yaml"), VM.replace("e1", "b"));
    await writeFile(join(folder, "a.yml"), VM.replace("e1", "a"));
    await writeFile(join(folder, "sub", "c.yaml"), VM.replace("e1", "c"));
    await writeFile(join(folder, "sub", "values.yaml"), "replicas: 3\n");
    await writeFile(join(folder, "notes.txt"), "none");
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const names = async (...paths: string[]): Promise<(string | undefined)[]> => {
    const given = paths.map((path) => (path === "-" ? path : join(folder, path)));
    const { workloads } = await readObjects(given, { stdin: Readable.from([VM]), note });
    return workloads.map(({ object }) => object.metadata.name);
  };

  it.each([
    ["several files", ["b.yaml", "a.yml"], ["b", "a"]],
    ["a folder and what is below it", ["."], ["a", "b", "c"]],
    ["a pattern", ["*.y*ml"], ["a", "b"]],
    ["a file and a folder that holds it, which is read once", ["b.yaml", "."], ["b", "a", "c"]],
    ["a file and standard input", ["b.yaml", "-"], ["b", "e1"]],
  ])("can be %s", async (_name, paths, found) => {
    expect(await names(...paths)).toEqual(found);
  });

  it("tell of files in a folder that are no manifests", async () => {
    notes.length = 0;
    await names("sub");
    expect(notes.join("")).toContain("values.yaml: document 1, without a kind, is skipped");
  });

  it.each([
    ["a file that is not there", "none.yaml", "no such file"],
    ["a pattern of nothing", "*.json", "no file has such a name"],
  ])("are refused if they name %s", async (_name, path, text) => {
    await expect(names(path)).rejects.toThrow(text);
  });
});

it("takes the report of a run from a cluster as a part of it, and from a new object as a fault", async () => {
  const completed = "landfall.dev/completed: succeeded";
  const decided = { id: "1", inputs: "x", written: [], placement: { place: "aws/eu-north-1" } };
  const annotations = `landfall.dev/decision: '${JSON.stringify(decided)}', ${completed}`;
  const codesOf = async (metadata: string): Promise<string[]> => {
    const objects = await read(metadata, "{cpu: 1, memory: 1}");
    const [decision] = explainObjects(objects, { policy, nowSeconds: 1_800_000_000, origin: null });
    return (decision?.denials ?? []).map(({ code }) => code);
  };
  expect(await codesOf(`{name: web, annotations: {${annotations}}}`)).toEqual([]);
  expect(await codesOf(`{name: web, annotations: {${completed}}}`)).toEqual(["ADM_COMPLETED"]);
});
