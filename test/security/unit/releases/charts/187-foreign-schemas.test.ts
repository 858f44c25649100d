import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unpackChart } from "../../../../../src/composition/chart/unpack-chart.ts";
import { writeTar } from "../../../../../src/model/bundle-format/tar.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-schemas-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Files = Record<string, string | Buffer>;
const archive = (files: Files): Buffer =>
  writeTar(new Map(Object.entries(files).map(([name, body]) => [name, Buffer.from(body)])));
const chart = (schema: unknown, more: Files = {}): Buffer =>
  archive({ "x/Chart.yaml": "name: x", "x/values.schema.json": JSON.stringify(schema), ...more });

let number = 0;
async function unpack(content: Buffer): Promise<string> {
  const target = join(folder, String((number += 1)));
  await unpackChart(content, target, "oci://r.example/x");
  return target;
}

const FILE = { $ref: "file:///var/run/secrets/token" };
const FETCHED = { $ref: "http://169.254.169.254/latest" };
const within = (levels: number, packed: Buffer): Buffer =>
  levels === 0 ? packed : within(levels - 1, chart({}, { "x/charts/y.tgz": packed }));

describe("187: a chart whose schema makes Helm read files or addresses is not unpacked", () => {
  it.each<[string, Buffer, string]>([
    ["its own schema", chart(FETCHED), "values.schema.json: $ref http://169.254.169.254/latest leaves the file"],
    ["deep in it", chart({ properties: { a: { items: [{ anyOf: [FILE] }] } } }), "$ref file:///var/run"],
    ["a relative one", chart({ $ref: "other.json#/a" }), "$ref other.json#/a leaves"],
    ["a dynamic one", chart({ $dynamicRef: "http://evil.example/#a" }), "$dynamicRef http"],
    ["another meta schema", chart({ $schema: "http://evil.example/schema" }), "$schema http://evil.example"],
    ["an escaped name", archive({ "x/values.schema.json": String.raw`{"\u0024ref":"http://a"}` }), "$ref http://a"],
    [
      "a subchart",
      chart({}, { "x/charts/y/values.schema.json": JSON.stringify(FILE) }),
      "charts/y/values.schema.json: $ref",
    ],
    ["a packed subchart", chart({}, { "x/charts/y.tgz": chart(FILE) }), "charts/y/values.schema.json: $ref"],
    ["one packed in that", within(2, chart(FILE)), "charts/y/charts/y/values.schema.json: $ref"],
    ["many packed in one another", within(6, chart({})), "4 in one another"],
    ["a packed one that is no archive", chart({}, { "x/charts/y.tgz": "x" }), "charts/y.tgz: "],
    ["what is not JSON", archive({ "x/values.schema.json": "\ufeff{}" }), "values.schema.json: "],
    ["200,000 values", chart(Array.from({ length: 200_001 }, () => 0)), "more than 200000 values"],
  ])("%s", async (_, content, detail) => {
    const unpacked = unpack(content);
    await expect(unpacked).rejects.toMatchObject({ code: "REL_CHART_UNREADABLE" });
    await expect(unpacked).rejects.toThrow(detail);
    await expect(stat(join(folder, String(number)))).rejects.toThrow("ENOENT");
  });

  it("references within a schema, and the drafts' own names, may be there", async () => {
    const schema = {
      ...{ $schema: "http://json-schema.org/draft-07/schema#", $ref: "#/$defs/a" },
      $defs: { a: { type: "object", properties: { $ref: { type: "string" } } } },
    };
    const target = await unpack(chart(schema, { "x/charts/y.tgz": chart(schema), "x/files/y.tgz": "x" }));
    expect((await stat(join(target, "values.schema.json"))).isFile()).toBe(true);
  });
});
