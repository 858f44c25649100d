import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openChartRegistry } from "../../../../src/bundle/registry/open-chart-registry.ts";
import { fetchImage } from "../../../../src/bundle/registry/fetch-image.ts";
import { openRegistry, type Registry } from "../../../../src/bundle/registry/open-registry.ts";
import { parseReference } from "../../../../src/bundle/registry/parse-reference.ts";
import { signerNames } from "../../../../src/bundle/signature/key-name.ts";
import { signImage } from "../../../../src/bundle/signature/sign-image.ts";
import type { Trust } from "../../../../src/bundle/signature/trust.ts";
import { verifyContent } from "../../../../src/bundle/verify-content.ts";
import { ApiError } from "../../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import type { ChartTrust } from "../../../../src/composition/chart/chart-trust.ts";
import { askRegistry, fetchChart, type FetchInput } from "../../../../src/composition/chart/fetch-chart.ts";
import { openPins } from "../../../../src/composition/chart/open-pins.ts";
import { packageChart } from "../../../../src/composition/helm/package-chart.ts";
import type { Chart, ChartReference } from "../../../../src/composition/types.ts";
import { LandfallError } from "../../../../src/errors.ts";
import { toolPath } from "../../../../src/toolchain/tool-path.ts";
import { startRegistry, type TestRegistry } from "../../../support/bundles/registry.ts";

const CHART = fileURLToPath(new URL("../../../fixtures/charts/test-vm", import.meta.url));
const PASSWORD = "correct horse battery staple";

let base: string;
let helm: { binary: string; env: Record<string, string> };
let crane: string;
let registry: TestRegistry;
let images: Registry;

/** An API server that keeps Secrets; its immutable ones cannot be changed, as on a real one. */
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

const OPEN: ChartTrust = {
  namespaces: [],
  passwordHosts: [],
  verify: null,
  signers: new Set(),
  signaturesRequired: false,
};

const signedBy = (trust: Trust): ChartTrust => ({
  ...OPEN,
  verify: ({ ref, archive }) => verifyContent(images, ref, archive, trust),
  signers: signerNames(trust),
  signaturesRequired: true,
});

/** Packages the test chart with this description, and pushes it under the same tag. */
async function push(description: string): Promise<void> {
  const folder = await mkdtemp(join(base, "source-"));
  const chart = join(folder, "test-vm");
  await cp(CHART, chart, { recursive: true });
  const about = join(chart, "Chart.yaml");
  await writeFile(about, (await readFile(about, "utf8")).replace(/^description: .*$/m, `description: ${description}`));
  const { file } = await packageChart({ helm, chart, destination: folder });
  await execa(helm.binary, ["push", file, `oci://${registry.host}/charts`, "--plain-http"], { env: helm.env });
}

/** Replaces a line of Chart.yaml. */
async function edit(chart: string, line: RegExp, text: string): Promise<void> {
  const about = join(chart, "Chart.yaml");
  await writeFile(about, (await readFile(about, "utf8")).replace(line, text));
}

/** A tarball of the test chart after this change, which helm has not checked. */
async function archiveOf(change: (chart: string) => Promise<void>): Promise<Buffer> {
  const folder = await mkdtemp(join(base, "archive-"));
  await cp(CHART, join(folder, "test-vm"), { recursive: true });
  await change(join(folder, "test-vm"));
  await execa("tar", ["-czf", "chart.tgz", "test-vm"], { cwd: folder });
  return readFile(join(folder, "chart.tgz"));
}

/** A chart repository whose index names test-vm 0.1.0, and which serves any bytes for it. */
async function serve(first: Buffer) {
  let body = first;
  const index =
    "apiVersion: v1\nentries: { test-vm: [{ apiVersion: v2, name: test-vm, version: 0.1.0, urls: [chart.tgz] }] }\n";
  const server = createServer((request, response) => {
    response.end(request.url === "/index.yaml" ? index : body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return { url, server, serve: (next: Buffer) => void (body = next) };
}

const reference = (): ChartReference => ({ url: `oci://${registry.host}/charts/test-vm`, version: "0.1.0" });

const describedBy = async (directory: string): Promise<string> =>
  /description: (\w+)$/m.exec(await readFile(join(directory, "Chart.yaml"), "utf8"))?.[1] ?? "";

/** A chart, and then what the registry says about its pin. */
async function fetchAndAsk(input: Omit<FetchInput, "registry">) {
  const whole = { ...input, registry: openChartRegistry({ crane, env: process.env }) };
  const chart = await fetchChart(whole);
  return { ...chart, problem: await askRegistry(whole, chart.pinned ?? "") };
}

let folders = 0;
const newFolder = (): string => join(base, `charts-${String((folders += 1))}`);

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-pins-"));
  const home = { HELM_CACHE_HOME: base, HELM_CONFIG_HOME: base, HELM_DATA_HOME: base, HOME: base };
  helm = { binary: await toolPath("helm"), env: home };
  crane = await toolPath("crane");
  registry = await startRegistry(crane);
  images = await openRegistry({ plainHttp: true });
}, 600_000);

afterAll(async () => {
  await images.close();
  await registry.close();
  await rm(base, { recursive: true, force: true });
});

describe("6: a chart", () => {
  it("stays what it was at its first use when its tag moves, also on another machine, and says so", async () => {
    const { kept, pins } = secrets();
    const fetch = (directory: string) =>
      fetchAndAsk({ helm, reference: reference(), password: null, directory, pins, trust: OPEN });
    await push("first");
    const first = await fetch(newFolder());
    expect(first.problem).toBeNull();
    expect(await describedBy(first.directory)).toBe("first");
    await push("second");
    for (const directory of [newFolder(), newFolder()]) {
      const again = await fetch(directory);
      expect(await describedBy(again.directory)).toBe("first");
      expect(again.digest).toBe(first.digest);
      expect(again.problem).toMatchObject({ code: "REL_CHART_MOVED", params: { pinned: first.pinned } });
    }
    expect(kept.size).toBe(1);
    kept.clear();
    expect(await describedBy((await fetch(newFolder())).directory)).toBe("second");
  });

  it("is used from its pin while its registry cannot be reached", async () => {
    const { pins } = secrets();
    await push("first");
    await fetchAndAsk({ helm, reference: reference(), password: null, directory: newFolder(), pins, trust: OPEN });
    const away = { ...pins, read: () => pins.read(reference()) };
    const gone = { ...reference(), url: "oci://127.0.0.1:9/charts/test-vm" };
    const found = await fetchAndAsk({
      ...{ helm, reference: gone, password: null, directory: newFolder(), pins: away, trust: OPEN },
    });
    expect(await describedBy(found.directory)).toBe("first");
    expect(found.problem).toMatchObject({ code: "REL_CHART_UNREADABLE" });
  });

  it.each([
    ["bytes that are no archive", () => Promise.resolve(Buffer.from("<html>maintenance</html>"))],
    ["an archive without a chart", () => archiveOf(async (chart) => rm(join(chart, "Chart.yaml")))],
    ["a chart that helm refuses", () => archiveOf((chart) => edit(chart, /^apiVersion: .*$/m, "apiVersion: 7"))],
    ["another version of the chart", () => archiveOf((chart) => edit(chart, /^version: .*$/m, "version: 0.9.0"))],
    ["another chart", () => archiveOf((chart) => edit(chart, /^name: .*$/m, "name: other"))],
    [
      "a schema that the caller refuses",
      () => archiveOf((chart) => edit(chart, /^description: .*$/m, "description: x")),
    ],
  ])("is not pinned if the registry serves %s first, so that the right one is used later", async (name, junk) => {
    const { kept, pins } = secrets();
    const right = await archiveOf(() => Promise.resolve());
    const repository = await serve(await junk());
    const check = ({ directory }: Chart): void => {
      const bad = readFileSync(join(directory, "Chart.yaml"), "utf8").includes("description: x");
      if (bad) throw new LandfallError("REL_CHART_SCHEMA", { chart: "test-vm", detail: "test" });
    };
    const from = { url: repository.url, repo: "test-vm", version: "0.1.0" };
    const fetch = (directory: string) =>
      fetchAndAsk({ helm, reference: from, password: null, directory, pins, trust: OPEN, check });
    const directory = newFolder();
    const code = name.startsWith("a schema") ? "REL_CHART_SCHEMA" : "REL_CHART_UNREADABLE";
    await expect(fetch(directory)).rejects.toMatchObject({ code });
    expect(kept.size).toBe(0);
    expect(await readdir(directory)).toEqual([]);
    repository.serve(right);
    expect(await fetch(directory)).toMatchObject({ name: "test-vm", version: "0.1.0", problem: null });
    expect(kept.size).toBe(1);
    repository.server.close();
  });

  it("is used only with a trusted signature of its image where signatures are required", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    const { publicKey: other } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    const trust: Trust = { mode: "required", keys: [publicKey], identities: [], root: null };
    const { pins, kept } = secrets();
    const fetch = (by: Trust) =>
      fetchAndAsk({
        ...{ helm, reference: reference(), password: null, directory: newFolder(), pins, trust: signedBy(by) },
      });
    await push("signed");
    await expect(fetch(trust)).rejects.toMatchObject({ code: "REL_CHART_SIGNATURE" });
    expect(kept.size).toBe(0);
    const image = parseReference(`${registry.host}/charts/test-vm:0.1.0`);
    const found = await fetchImage(images, image);
    const target = { crane, plainHttp: true, env: process.env };
    await signImage(target, image, { digest: found?.digest ?? "", size: found?.size ?? 0 }, privateKey);
    await expect(fetch({ ...trust, keys: [other] })).rejects.toMatchObject({ code: "REL_CHART_SIGNATURE" });
    expect((await fetch(trust)).problem).toBeNull();
    // After a restart, the pin is what proves the signature, not what the registry shows.
    await push("unsigned");
    const later = await fetch(trust);
    expect(await describedBy(later.directory)).toBe("signed");
    expect(later.problem).toMatchObject({ code: "REL_CHART_MOVED" });
    const hidden: ChartTrust["verify"] = () => Promise.reject(new LandfallError("BUNDLE_UNSIGNED", { ref: "hidden" }));
    const hiding = { ...signedBy(trust), verify: hidden };
    const common = { helm, reference: reference(), password: null, directory: newFolder(), pins };
    expect(await describedBy((await fetchAndAsk({ ...common, trust: hiding })).directory)).toBe("signed");
    // A signer who is no longer trusted proves nothing, also while the registry is away.
    const away: ChartTrust["verify"] = () =>
      Promise.reject(new LandfallError("BUNDLE_REGISTRY", { ref: "away", detail: "test" }));
    const changed = { ...signedBy({ ...trust, keys: [other] }), verify: away };
    await expect(fetchAndAsk({ ...common, trust: changed })).rejects.toMatchObject({ code: "REL_CHART_SIGNATURE" });
    await expect(fetch({ ...trust, keys: [other] })).rejects.toMatchObject({ code: "REL_CHART_SIGNATURE" });
  });
});

describe("25: the password of a chart repository", () => {
  const credentials = { username: "me", passwordRef: { namespace: "landfall-system", name: "pull", key: "password" } };

  /** A chart repository that wants the password, and a helm that notes its arguments. */
  async function world() {
    const folder = await mkdtemp(join(base, "repository-"));
    const { file } = await packageChart({ helm, chart: CHART, destination: folder });
    await execa(helm.binary, ["repo", "index", folder], { env: helm.env });
    const asked: string[] = [];
    const server = createServer((request, response) => {
      const wanted = `Basic ${Buffer.from(`me:${PASSWORD}`).toString("base64")}`;
      if (request.headers.authorization !== wanted) {
        response.writeHead(401).end();
        return;
      }
      asked.push(request.url ?? "");
      const name = request.url?.endsWith("index.yaml") === true ? join(folder, "index.yaml") : file;
      void readFile(name).then((body) => response.end(body));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const host = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const said = join(folder, "arguments");
    const wrapper = join(folder, "helm");
    const script = `#!/bin/sh\nprintf '%s\\n' "$*" >> ${said}\nexec ${helm.binary} "$@"\n`;
    await writeFile(wrapper, script);
    await chmod(wrapper, 0o755);
    const trust = { ...OPEN, passwordHosts: [host] };
    return { host, asked, said, server, trust, helm: { binary: wrapper, env: { ...helm.env, PATH: "/bin:/usr/bin" } } };
  }

  it.each([
    ["a repository", (host: string) => ({ url: `http://${host}`, repo: "test-vm", version: "0.1.0" })],
    ["an archive", (host: string) => ({ url: `http://${host}/test-vm-0.1.0.tgz`, version: "0.1.0" })],
  ])("of %s stands in no argument of helm, and in no file that stays", async (_, where) => {
    const { host, asked, said, server, trust, helm: noting } = await world();
    const directory = newFolder();
    const from: ChartReference = { ...where(host), credentials };
    const chart = await fetchAndAsk({
      ...{ helm: noting, reference: from, password: PASSWORD, directory, pins: secrets().pins, trust },
    });
    server.close();
    expect(chart).toMatchObject({ name: "test-vm", problem: null });
    expect(asked).toContain("/test-vm-0.1.0.tgz");
    const given = await readFile(said, "utf8");
    expect(given).toContain("package");
    expect(given).not.toContain(PASSWORD);
    const left = await readdir(directory, { recursive: true });
    for (const name of left) {
      const path = join(directory, name);
      if ((await stat(path)).isFile()) expect(await readFile(path, "latin1")).not.toContain(PASSWORD);
    }
  });

  it("is sent to no host that the platform does not name", async () => {
    const { host, asked, server, helm: noting } = await world();
    const from = { url: `http://${host}`, repo: "test-vm", version: "0.1.0", credentials };
    const fetched = fetchAndAsk({
      ...{
        helm: noting,
        reference: from,
        password: PASSWORD,
        directory: newFolder(),
        pins: secrets().pins,
        trust: OPEN,
      },
    });
    await expect(fetched).rejects.toMatchObject({ code: "REL_CHART_HOST" });
    server.close();
    expect(asked).toEqual([]);
  });
});
