import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { unpackChart } from "../../../../../src/composition/chart/unpack-chart.ts";
import { writeTar } from "../../../../../src/model/bundle-format/tar.ts";
import { paxRecord, tarEntry } from "../../../../support/bundles/tar-entry.ts";

const SUB = "apiVersion: v2\nname: sub\nversion: 1.0.0\n";
const SCHEMA = JSON.stringify({ $ref: "http://169.254.169.254/latest" });
const BASE = { "x/Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0\n", "x/templates/a.yaml": "" };
type Files = Record<string, string | Buffer>;
const archive = (files: Files): Buffer =>
  writeTar(new Map(Object.entries(files).map(([name, body]) => [name, Buffer.from(body)])));
const packed = (...entries: Buffer[]): Buffer =>
  gzipSync(Buffer.concat([tarEntry("sub/Chart.yaml", "0", Buffer.from(SUB)), ...entries, Buffer.alloc(1024)]));
const withSub = (sub: Buffer, name = "x/charts/sub-1.0.0.tgz"): Buffer => archive({ ...BASE, [name]: sub });
const pax = (...records: Buffer[]): Buffer => tarEntry("pax", "x", Buffer.concat(records));

const inner = tarEntry("sub/values.schema.json", "0", Buffer.from(SCHEMA));

async function unpacked(content: Buffer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "landfall-readers-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await unpackChart(content, join(folder, "chart"), "oci://r.example/x");
  return join(folder, "chart");
}

describe("244: an archive that Helm could read otherwise than the checks", () => {
  it.each<[string, Buffer]>([
    ["a name that ends in /.", archive({ ...BASE, "x/values.schema.json/.": SCHEMA })],
    ["the same of a subchart", archive({ ...BASE, "x/charts/sub/values.schema.json/.": SCHEMA })],
    ["a name that ends in /", archive({ ...BASE, "x/charts/sub/values.schema.json/": SCHEMA })],
    ["a name with //", archive({ ...BASE, "x/charts/sub//values.schema.json": SCHEMA })],
    ["a name with /./", archive({ ...BASE, "x/./values.schema.json": SCHEMA })],
    ["a packed subchart whose name ends in /.", withSub(packed(inner), "x/charts/sub-1.0.0.tgz/.")],
    ["a name that ends in /. in a packed one", withSub(archive({ "sub/values.schema.json/.": SCHEMA }))],
    [
      "a record within the comment before the path",
      withSub(
        packed(
          pax(paxRecord("comment", "\n11 path=aaa"), paxRecord("path", "sub/values.schema.json")),
          tarEntry("z", "0", Buffer.from(SCHEMA)),
        ),
      ),
    ],
    ["another size", withSub(packed(pax(paxRecord("size", "0")), tarEntry("sub/README.md", "0", inner)))],
    ["a record with another length", withSub(packed(pax(Buffer.from("99 path=sub/a\n")), inner))],
    ["a file twice", withSub(packed(tarEntry("sub/values.schema.json", "0", Buffer.from("{}")), inner))],
    [
      "a subchart packed and unpacked",
      archive({ ...BASE, "x/charts/sub/Chart.yaml": SUB, "x/charts/sub.tgz": packed() }),
    ],
  ])("with %s is refused", async (_, content) => {
    await expect(unpacked(content)).rejects.toMatchObject({ code: "REL_CHART_UNREADABLE" });
  });

  it("of a packed subchart reaches Helm as the files that were checked", async () => {
    const values = tarEntry("sub/values.schema.json", "0", Buffer.from("{}"));
    const folder = await unpacked(withSub(packed(values, tarEntry("sub/charts/b.tgz", "0", packed()))));
    const files = await readdir(folder, { recursive: true });
    expect(files.filter((name) => name.endsWith(".tgz"))).toEqual([]);
    expect(files).toContain("charts/sub-1.0.0/charts/b/Chart.yaml");
    expect(await readFile(join(folder, "charts/sub-1.0.0/values.schema.json"), "utf8")).toBe("{}");
  });
});
