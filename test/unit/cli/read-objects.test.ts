import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { readObjects } from "../../../src/cli/objects/read-objects.ts";

const read = (metadata: string, spec = "{cpu: 1, memory: 1}") =>
  readObjects(
    "-",
    Readable.from([
      `apiVersion: composition.krateo.io/v0-1-0\nkind: VmTemplate\nmetadata: ${metadata}\nspec: ${spec}\n`,
    ]),
  );

it.each([
  [
    "{name: web, annotations: {landfall.dev/start-now: 5}}",
    "annotations[landfall.dev/start-now] has to be a string, not 5",
  ],
  ["{name: web, labels: {a: yes}}", "labels[a] has to be a string, not true: put it in quotes"],
  ["{name: web, labels: {a: [b]}}", "labels[a] has to be a string"],
  ["{name: web, annotations: [a]}", "annotations has to map names to strings"],
  ["{name: 123}", "name has to be a string, not 123: put it in quotes"],
  ["{name: Foo Bar}", 'name "Foo Bar" is not a name: at most 253 of a-z, 0-9, - or .'],
  ["{name: -web}", 'name "-web" is not a name'],
  ["{name: web, namespace: a.b}", 'namespace "a.b" is not a name: at most 63 of a-z, 0-9, -,'],
  [`{name: web, namespace: ${"a".repeat(64)}}`, `namespace "${"a".repeat(64)}" is not a name`],
])("refuses metadata that the API server refuses: %s", async (metadata, detail) => {
  await expect(read(metadata)).rejects.toMatchObject({ code: "CLI_METADATA" });
  await expect(read(metadata)).rejects.toThrow(`-: document 1: metadata.${detail}`);
});

it.each(["{name: a.web-1, namespace: demo, labels: {a: 'yes'}, annotations: {b: ''}}", "{name: web, labels: }", "{}"])(
  "takes what the API server takes: %s",
  async (metadata) => {
    expect((await read(metadata)).workloads).toHaveLength(1);
  },
);

it("reads an unquoted country code as kubectl does", async () => {
  const { workloads } = await read("{name: web}", "{cpu: 1, memory: 1, dataResidency: [NO, SE]}");
  expect(workloads[0]?.object.spec?.["dataResidency"]).toEqual([false, "SE"]);
});
