import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pullChart, servedDigest } from "../../../../../src/composition/chart/pull-chart.ts";
import type { ChartRegistry } from "../../../../../src/model/chart-registry.ts";
import { sha256Digest } from "../../../../../src/model/sha256.ts";

const ARCHIVE = Buffer.from("the archive of a chart");
const DIGEST = sha256Digest(ARCHIVE);
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "landfall-archives-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** A repository whose index has one entry, and the addresses that were read. */
function repository(base: string, entry: { url: string; digest?: unknown }, large = false) {
  const asked: string[] = [];
  const digest = entry.digest === undefined ? "" : `    digest: ${JSON.stringify(entry.digest)}\n`;
  const filling = large ? `  other:\n${"  - version: 1.0.0\n".repeat(4000)}` : "";
  const item = `  - version: 0.1.0\n${digest}    urls:\n    - ${entry.url}\n`;
  const index = `apiVersion: v1\nentries:\n${filling}  vm:\n${item}`;
  const refused = (): Promise<never> => Promise.reject(new TypeError("no OCI registry"));
  const registry: ChartRegistry = {
    ...{ layer: refused, tags: refused },
    image: ({ ref }) => {
      asked.push(`oci://${ref}`);
      return refused();
    },
    download: (url) => {
      asked.push(url);
      return Promise.resolve(url.endsWith("/index.yaml") ? Buffer.from(index) : ARCHIVE);
    },
  };
  const reference = { url: base, repo: "vm", version: "0.1.0" };
  return { asked, input: { registry, reference, password: null, directory } };
}

const TLS = "https://charts.example/stable";
const read = (input: Parameters<typeof pullChart>[0]) => pullChart(input).then(({ archive }) => archive);

describe("84: the index of a chart repository with TLS", () => {
  it.each(["http://charts.example/vm.tgz", "HTTP://127.0.0.1/vm.tgz", "ftp://charts.example/vm.tgz", "file:///vm.tgz"])(
    "does not lead to %s",
    async (url) => {
      for (const base of [TLS, "HTTPS://charts.example"]) {
        const { input, asked } = repository(base, { url });
        await expect(read(input)).rejects.toMatchObject({ code: "REL_CHART_UNREADABLE" });
        await expect(read(input)).rejects.toThrow("names an archive without TLS");
        expect(asked.every((address) => address.endsWith("/index.yaml"))).toBe(true);
      }
    },
  );

  it.each(["vm.tgz", "https://files.example/vm.tgz", "//files.example/vm.tgz"])("leads to %s", async (url) => {
    expect(await read(repository(TLS, { url }).input)).toEqual(ARCHIVE);
  });

  it("leads to an OCI registry", async () => {
    const { input, asked } = repository(TLS, { url: "oci://charts.example/vm" });
    await expect(read(input)).rejects.toThrow("no OCI registry");
    expect(asked.at(-1)).toBe("oci://charts.example/vm:0.1.0");
  });

  it("leads to plain HTTP if the repository itself has no TLS", async () => {
    const url = "http://charts.example/vm.tgz";
    expect(await read(repository("http://charts.example", { url }).input)).toEqual(ARCHIVE);
  });
});

describe.each([
  ["small", false],
  ["large", true],
])("84: an archive that a %s index names", (_, large) => {
  it.each([undefined, "", DIGEST, DIGEST.replace("sha256:", ""), DIGEST.replace("sha256:", "").toUpperCase()])(
    "is used with the digest %s",
    async (digest) => {
      const { input } = repository(TLS, { url: "vm.tgz", digest }, large);
      expect(await read(input)).toEqual(ARCHIVE);
      expect(await servedDigest(input)).toBe(DIGEST);
    },
  );

  it.each(["0".repeat(64), `sha256:${"0".repeat(64)}`, "sha512:00", "none"])(
    "is refused with the digest %s",
    async (digest) => {
      const { input } = repository(TLS, { url: "vm.tgz", digest }, large);
      await expect(read(input)).rejects.toMatchObject({ code: "REL_CHART_UNREADABLE" });
      await expect(read(input)).rejects.toThrow(`its digest is ${DIGEST}`);
      await expect(servedDigest(input)).rejects.toMatchObject({ code: "REL_CHART_UNREADABLE" });
    },
  );
});
