import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openChartRegistry } from "../../../../src/bundle/registry/open-chart-registry.ts";
import { ApiError } from "../../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import { askRegistry, fetchChart } from "../../../../src/composition/chart/fetch-chart.ts";
import { openPins } from "../../../../src/composition/chart/open-pins.ts";
import { renderChart } from "../../../../src/composition/helm/render-chart.ts";
import { runHelm } from "../../../../src/composition/helm/run-helm.ts";
import type { ChartReference } from "../../../../src/composition/types.ts";
import { writeTar } from "../../../../src/model/bundle-format/tar.ts";
import { sha256Digest } from "../../../../src/model/sha256.ts";
import { toolPath } from "../../../../src/toolchain/tool-path.ts";

const CHART = fileURLToPath(new URL("../../../fixtures/charts/test-vm", import.meta.url));
const MIB = 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, "x");
const INDEX =
  "apiVersion: v1\nentries: { test-vm: [{ apiVersion: v2, name: test-vm, version: 0.1.0, urls: [chart.tgz] }] }\n";
const TRUST = {
  ...{ namespaces: [], passwordHosts: [], verify: null },
  ...{ signers: new Set<string>(), signaturesRequired: false },
};

let base: string;
let helm: { binary: string; env: Record<string, string> };
let archive: Buffer;
const servers: Server[] = [];

function secrets() {
  const kept = new Map<string, object>();
  const client = {
    get: (path: string) => Promise.resolve(kept.get(path) ?? null),
    create: (path: string, secret: { metadata: { name: string } }) => {
      const key = `${path}/${secret.metadata.name}`;
      if (kept.has(key)) return Promise.reject(new ApiError(409, { action: "POST", detail: "exists" }));
      kept.set(key, secret);
      return Promise.resolve(secret);
    },
  } as unknown as KubeClient;
  return { kept, pins: openPins(client, "landfall-system") };
}

const [ENDLESS, SILENT] = ["endless", "silent"];
type Answer = Buffer | string | undefined;

/** A registry that answers as `answers` says, by the end of the path; it counts requests and the bytes that it sent. */
async function hostile(answers: Record<string, Answer>) {
  const seen = { requests: 0, bytes: 0 };
  const flood = (response: ServerResponse): void => {
    if (response.destroyed || seen.bytes > 400 * MIB) response.destroy();
    else {
      seen.bytes += PIECE.length;
      response.write(PIECE, () => {
        flood(response);
      });
    }
  };
  const server = createServer((request, response) => {
    seen.requests += 1;
    const found = Object.entries(answers).find(([end]) => request.url?.endsWith(end) === true)?.[1];
    if (found === ENDLESS) flood(response);
    else if (found === undefined) response.writeHead(404).end();
    else if (found !== SILENT) response.end(found);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  servers.push(server);
  const host = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return { host, seen, answers, repository: { url: `http://${host}`, repo: "test-vm", version: "0.1.0" } };
}

let folders = 0;
const inputFor = (reference: ChartReference, pins = secrets().pins, timeoutMs = 20_000) => ({
  ...{ helm, reference, password: null, pins, trust: TRUST },
  registry: openChartRegistry({ timeoutMs, env: {} }),
  directory: join(base, `charts-${String((folders += 1))}`),
});

const manifest = (layer: object): string =>
  JSON.stringify({ schemaVersion: 2, mediaType: "application/vnd.oci.image.manifest.v1+json", layers: [layer] });
const LAYER = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-hostile-"));
  const home = { HELM_CACHE_HOME: base, HELM_CONFIG_HOME: base, HELM_DATA_HOME: base, HOME: base };
  helm = { binary: await toolPath("helm"), env: home };
  await execa("tar", ["-czf", join(base, "chart.tgz"), "test-vm"], { cwd: join(CHART, "..") });
  archive = await readFile(join(base, "chart.tgz"));
}, 600_000);

afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await rm(base, { recursive: true, force: true });
});

describe("39: a chart registry that answers without an end", () => {
  it.each([
    ["for the index of a repository", { "/index.yaml": ENDLESS }, "repository"],
    ["for an archive", { "/index.yaml": INDEX, "/chart.tgz": ENDLESS }, "repository"],
    ["for an archive that is named by its URL", { ".tgz": ENDLESS }, "archive"],
    ["for the manifest of an image", { "/manifests/0.1.0": ENDLESS }, "image"],
    ["for the tags of a repository", { "/tags/list": ENDLESS }, "tags"],
    [
      "for a layer",
      {
        "/manifests/0.1.0": manifest({ mediaType: LAYER, digest: `sha256:${"a".repeat(64)}`, size: 1000 }),
        [`sha256:${"a".repeat(64)}`]: ENDLESS,
      },
      "image",
    ],
  ] as [string, Record<string, Answer>, string][])("%s is left at a limit", async (_, answers, kind) => {
    const { host, repository, seen } = await hostile(answers);
    const url = `oci://${host}/charts/test-vm`;
    const references: Record<string, ChartReference> = {
      ...{ repository, tags: { url }, image: { url, version: "0.1.0" } },
      archive: { url: `http://${host}/x/chart.tgz` },
    };
    const { kept, pins } = secrets();
    const reference = references[kind] ?? { url };
    await expect(fetchChart(inputFor(reference, pins))).rejects.toMatchObject({ code: "REL_CHART_UNREADABLE" });
    expect(kept.size).toBe(0);
    // The limit is 16 MiB; the rest is what sockets hold.
    expect(seen.bytes).toBeLessThan(32 * MIB);
    expect(seen.bytes).toBeGreaterThan(0);
  });

  it("or not at all gives the time limit as the reason", async () => {
    const { repository } = await hostile({ "/index.yaml": SILENT });
    const fetched = fetchChart(inputFor(repository, secrets().pins, 500));
    await expect(fetched).rejects.toMatchObject({ code: "REL_CHART_UNREADABLE" });
  });

  it("is not asked for a chart that is pinned, and what it answers then is only reported", async () => {
    const { repository, seen, answers } = await hostile({ "/index.yaml": INDEX, "/chart.tgz": archive });
    const { pins } = secrets();
    const first = await fetchChart(inputFor(repository, pins));
    const asked = seen.requests;
    answers["/index.yaml"] = ENDLESS;
    const input = inputFor(repository, pins);
    const again = await fetchChart(input);
    expect(again).toMatchObject({ name: "test-vm", digest: first.digest, pinned: first.pinned });
    expect(seen.requests).toBe(asked);
    expect(await askRegistry(input, first.pinned ?? "")).toMatchObject({ code: "REL_CHART_UNREADABLE" });
    expect(seen.bytes).toBeLessThan(32 * MIB);
    answers["/index.yaml"] = INDEX;
    expect(await askRegistry(input, first.pinned ?? "")).toBeNull();
  });

  it("is asked by the digests of the pin if the content is nowhere else, whatever the tag names now", async () => {
    const layer = { mediaType: LAYER, digest: sha256Digest(archive), size: archive.length };
    const text = manifest(layer);
    const digest = sha256Digest(text);
    const { host } = await hostile({
      ...{ "/manifests/0.1.0": ENDLESS, [`/manifests/${digest}`]: text },
      [`/blobs/${layer.digest}`]: archive,
    });
    const reference = { url: `oci://${host}/charts/test-vm`, version: "0.1.0" };
    const { pins } = secrets();
    const pin = { archive: layer.digest, image: digest, signers: [], content: null };
    const fetched = await fetchChart(inputFor(reference, { ...pins, read: () => Promise.resolve(pin) }));
    expect(fetched).toMatchObject({ name: "test-vm", pinned: layer.digest });
  });
});

describe("39: a chart's archive", () => {
  it.each([
    ["unpacks to more than 32 MiB", () => new Map([["test-vm/zeros", Buffer.alloc(40 * MIB)]])],
    [
      "holds more than 5,000 files",
      () => new Map(Array.from({ length: 5001 }, (_, at) => [`test-vm/f${String(at)}`, Buffer.from("x")])),
    ],
    ["has a Chart.yaml of 1 MiB", () => new Map([["test-vm/Chart.yaml", Buffer.alloc(MIB, '"')]])],
  ] as [string, () => Map<string, Buffer>][])("that %s is refused in little time", async (_, files) => {
    const { repository } = await hostile({ "/index.yaml": INDEX, "/chart.tgz": writeTar(files(), 1) });
    const before = process.cpuUsage();
    await expect(fetchChart(inputFor(repository))).rejects.toMatchObject({ code: "REL_CHART_UNREADABLE" });
    expect(process.cpuUsage(before).user).toBeLessThan(8e6);
  });

  it("in an index made to be slow is refused in little time", async () => {
    const junk = `entries:\n  test-vm:\n  - version: 0.1.0\n    urls: ${'"'.repeat(4 * MIB)}\n`;
    const { repository } = await hostile({ "/index.yaml": junk });
    const before = process.cpuUsage();
    await expect(fetchChart(inputFor(repository))).rejects.toMatchObject({ code: "REL_CHART_UNREADABLE" });
    expect(process.cpuUsage(before).user).toBeLessThan(4e6);
  });

  it("is found in an index of 10 MB", async () => {
    const item = (name: string, version: string, url: string): string =>
      `  - apiVersion: v2\n    description: |\n      - version: ${version}\n    name: ${name}\n    urls:\n    - ${url}\n    version: ${version}\n`;
    const others = Array.from({ length: 80_000 }, (_, at) => item("other", `1.0.${String(at)}`, "other.tgz")).join("");
    const own = item("test-vm", "0.2.0", "wrong.tgz") + item("test-vm", "0.1.0", "chart.tgz");
    const index = `apiVersion: v1\nentries:\n  other:\n${others}  test-vm:\n${own}  zz:\n${item("zz", "0.1.0", "z.tgz")}generated: "x"\n`;
    expect(index.length).toBeGreaterThan(9e6);
    const { repository } = await hostile({ "/index.yaml": index, "/chart.tgz": archive });
    expect(await fetchChart(inputFor(repository))).toMatchObject({ name: "test-vm", version: "0.1.0" });
  });

  it("compressed with little to read of it ends nothing", async () => {
    const { repository } = await hostile({ "/index.yaml": INDEX, "/chart.tgz": gzipSync(Buffer.alloc(64 * MIB)) });
    await expect(fetchChart(inputFor(repository))).rejects.toMatchObject({ code: "REL_CHART_UNREADABLE" });
  });
});

describe("39: helm", () => {
  it("is killed if a chart's template takes all memory", async () => {
    const chart = join(await mkdtemp(join(base, "greedy-")), "test-vm");
    await cp(CHART, chart, { recursive: true });
    const bomb = '{{ $x := "x" }}{{ range until 40 }}{{ $x = print $x $x }}{{ end }}';
    await writeFile(join(chart, "templates", "bomb.yaml"), bomb);
    const rendered = renderChart({
      ...{ helm: { ...helm, kubeconfig: null }, chartDir: chart, name: "r", namespace: "demo" },
      values: { cpu: 2, disks: 1, global: { compositionName: "a" } },
    });
    await expect(rendered).rejects.toThrow("MiB of memory");
  });

  it("is killed if it prints without an end", async () => {
    const node = { binary: process.execPath, env: {}, kubeconfig: null };
    const script = `const w = () => process.stdout.write("x".repeat(1048576), w); w();`;
    const { code, stdout, stderr } = await runHelm(node, { args: ["-e", script] });
    expect(code).not.toBe(0);
    expect(stdout.length).toBeLessThan(64 * MIB);
    expect(stderr).toContain("printed more than");
  });
});
