// Programs of the projects' releases, from a server with TLS on the loopback address in place of their hosts.
import { createHash } from "node:crypto";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { writeTar } from "../../../src/model/bundle-format/tar.ts";
import { goPlatform } from "../../../src/toolchain/cache-paths.ts";
import { resolveTool } from "../../../src/toolchain/resolve-tool.ts";
import { defaultToolchain } from "../../../src/toolchain/tool-path.ts";
import type { Network, Toolchain } from "../../../src/toolchain/tool-spec.ts";
import { type Answer, type ReleaseMirror, startMirror } from "../../support/toolchain/release-mirror.ts";
import { type SigstoreDouble, startSigstore } from "../../support/toolchain/sigstore-double.ts";

const ISSUER = "https://issuer.example";
const IDENTITY = "release@project.example";
const VERSION = "4.3.1";
const PLATFORM = `${goPlatform().os}-${goPlatform().arch}`;
const ARCHIVE = `/helm-v${VERSION}-${PLATFORM}.tar.gz`;
const COSIGN = "/v3.1.3/cosign";
const KUBECTL = `/v1.36.3/${PLATFORM}/kubectl`;
const SERVER = `/v1.36.3/${PLATFORM}/kube-apiserver`;

let mirror: ReleaseMirror;
let sigstore: SigstoreDouble;
let folder: string;
let shown: string;

const program = (version: string): Buffer => Buffer.from(`#!/bin/sh\necho v${version}\n`);
const sha256 = (file: Buffer): string => createHash("sha256").update(file).digest("hex");
const archive = (file: Buffer): Buffer =>
  writeTar(
    new Map([
      [`${PLATFORM}/helm`, file],
      ["LICENSE", Buffer.from("x")],
    ]),
  );
const cacheFolder = (): string => join(folder, "cache");

/** The releases of three modules: with a checksum, with a bundle, and with a signature beside its certificate. */
async function writeManifest(toolsFolder: string, origin: string): Promise<void> {
  const tool = (name: string) => ({ name, package: name, output: name, versionCommand: ["--version"] });
  const common = { compatible: "same-minor", stamp: [] };
  const signed = { issuer: ISSUER, identity: IDENTITY };
  const modules = [
    {
      ...{ folder: "helm", version: VERSION, ...common, tools: [tool("helm")] },
      release: {
        ...{ url: `${origin}/helm-v{version}-{os}-{arch}.tar.gz`, checksum: "{url}.sha256sum" },
        member: "{os}-{arch}/helm",
      },
    },
    {
      ...{ folder: "cosign", version: "3.1.3", ...common, tools: [tool("cosign")] },
      release: {
        ...{ url: `${origin}/v{version}/cosign`, checksum: `${origin}/v{version}/checksums.txt` },
        signature: { bundle: "{url}.sigstore.json", ...signed },
      },
    },
    {
      ...{ folder: "kubernetes", version: "1.36.3", ...common, tools: [tool("kubectl"), tool("kube-apiserver")] },
      release: {
        ...{ url: `${origin}/v{version}/{os}-{arch}/{tool}`, checksum: "{url}.sha256" },
        signature: { signature: "{url}.sig", certificate: "{url}.cert", ...signed },
      },
    },
    { folder: "opa", version: "1.22.0", ...common, tools: [tool("opa")] },
  ];
  await mkdir(toolsFolder, { recursive: true });
  await writeFile(join(toolsFolder, "tools.json"), JSON.stringify({ modules }));
  await Promise.all(modules.map(async (one) => mkdir(join(toolsFolder, one.folder), { recursive: true })));
}

const LIMITS = { probeMs: 1_000, connectMs: 1_000, idleMs: 300, fileMs: 1_500, bytes: 1_000_000 };

function chain(env: NodeJS.ProcessEnv, network: Partial<Network> = {}): Toolchain {
  const toolsFolder = join(folder, "tools");
  const trustedRoot = join(toolsFolder, "sigstore-root.json");
  return defaultToolchain({
    ...{ env, toolsFolder, cacheFolder: cacheFolder() },
    progress: { write: (text: string): boolean => ((shown += text), true) },
    network: { ca: mirror.ca, trustedRoot, ...LIMITS, ...network },
  });
}

/** `go`, which notes that it was asked and builds every program of a module. */
async function fakeGo(): Promise<string> {
  const path = join(folder, "bin", "go");
  await mkdir(dirname(path), { recursive: true });
  const build = 'for name in helm cosign kubectl kube-apiserver opa; do echo built > "$2/$name"; done';
  await writeFile(path, `#!/bin/sh\nwhile [ "$1" != "-o" ]; do shift; done\n${build}\n`);
  await chmod(path, 0o755);
  return dirname(path);
}

const download = async (name: "helm" | "cosign" | "kubectl", network: Partial<Network> = {}) =>
  resolveTool(name, chain({ PATH: "", LANDFALL_TOOLS: "download" }, network));

/** The programs in the cache. */
async function cached(): Promise<string[]> {
  const found = await readdir(cacheFolder(), { recursive: true, withFileTypes: true });
  return found.filter((one) => one.isFile() && one.name !== "unreachable.json").map(({ name }) => name);
}

async function serveSigned(path: string, file: Buffer, identity = IDENTITY): Promise<void> {
  const { signature, certificate, bundle } = await sigstore.sign(file, identity, ISSUER);
  mirror.files.set(path, file);
  mirror.files.set(`${path}.sha256`, sha256(file));
  mirror.files.set(`${path}.sig`, signature);
  // As dl.k8s.io does.
  mirror.files.set(`${path}.cert`, Buffer.from(certificate).toString("base64"));
  mirror.files.set(`${path}.sigstore.json`, bundle);
}

beforeAll(async () => {
  mirror = await startMirror();
  sigstore = await startSigstore();
});

afterAll(() => mirror.close());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-download-"));
  shown = "";
  mirror.asked.length = 0;
  mirror.files.clear();
  await writeManifest(join(folder, "tools"), mirror.url);
  await writeFile(join(folder, "tools", "sigstore-root.json"), sigstore.root);
  const file = archive(program(VERSION));
  mirror.files.set(ARCHIVE, file);
  mirror.files.set(`${ARCHIVE}.sha256sum`, `${sha256(file)}  ${ARCHIVE.slice(1)}\n`);
  const cosign = program("3.1.3");
  await serveSigned(COSIGN, cosign);
  mirror.files.set("/v3.1.3/checksums.txt", `${"0".repeat(64)}  other\n${sha256(cosign)} *cosign\n`);
  await serveSigned(KUBECTL, program("1.36.3"));
  await serveSigned(SERVER, program("1.36.3"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe("a release", () => {
  it("is downloaded, taken out of its archive, and cached as a program that runs", async () => {
    const found = await download("helm");
    expect(found).toMatchObject({ source: "downloaded", version: VERSION });
    expect(await readFile(found.path)).toEqual(program(VERSION));
    expect(await cached()).toEqual(["helm"]);
    mirror.files.clear();
    expect(await download("helm")).toMatchObject({ source: "cache" });
  });

  it("is preferred to a build where its host answers, for all programs of the module", async () => {
    const env = { PATH: await fakeGo() };
    expect(await resolveTool("kubectl", chain(env))).toMatchObject({ source: "downloaded" });
    expect(await resolveTool("kube-apiserver", chain(env))).toMatchObject({ source: "cache" });
    expect(shown).toContain(`downloading kubectl 1.36.3 from ${new URL(mirror.url).host}\n`);
  });

  it("with a bundle is taken if the project signed it", async () => {
    expect(await download("cosign")).toMatchObject({ source: "downloaded", version: "3.1.3" });
  });

  it("is found behind redirects with TLS", async () => {
    const file = mirror.files.get(ARCHIVE) as Buffer;
    mirror.files.set("/elsewhere", file);
    mirror.files.set(ARCHIVE, (_, response) => response.writeHead(302, { location: "/elsewhere" }).end());
    expect(await download("helm")).toMatchObject({ source: "downloaded" });
  });
});

const redirectTo =
  (location: string): Answer =>
  (_, response) =>
    response.writeHead(302, { location }).end();

/** Sends the beginning of what it announces, and closes the connection. */
const truncated =
  (file: Buffer): Answer =>
  (_, response) => {
    response.writeHead(200, { "content-length": file.length });
    response.write(file.subarray(0, file.length / 2), () => response.destroy());
  };

const silent: Answer = (_, response) => {
  response.writeHead(200);
  response.write("x");
};

/** Some bytes at a time, for ever. */
const dripping: Answer = (_, response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write("x"), 100);
  response.on("close", () => {
    clearInterval(timer);
  });
};

const endless: Answer = (_, response) => {
  response.writeHead(200);
  const more = (): void => {
    while (response.write(Buffer.alloc(65_536)));
  };
  response.on("drain", more);
  more();
};

const wrong = archive(Buffer.from("#!/bin/sh\necho wrong\n"));
const older = archive(program("4.3.0"));
const elsewhere = writeTar(new Map([["other/helm", program(VERSION)]]));
const checksumOf = (file: Buffer): [string, Answer] => [
  `${ARCHIVE}.sha256sum`,
  `${sha256(file)}  ${ARCHIVE.slice(1)}\n`,
];
const half = archive(program(VERSION)).subarray(0, 90);

const HELM_FAULTS: [title: string, files: [string, Answer | null][], detail: string][] = [
  ["has other bytes than the checksum says", [[ARCHIVE, wrong]], "has the SHA-256"],
  ["ends early", [[ARCHIVE, truncated(archive(program(VERSION)))]], "bytes came"],
  ["is half an archive with the checksum of the half", [[ARCHIVE, half], checksumOf(half)], "unexpected end of file"],
  ["has no checksum file", [[`${ARCHIVE}.sha256sum`, null]], "answers with status 404"],
  [
    "has a checksum file of another file",
    [[`${ARCHIVE}.sha256sum`, `${"a".repeat(64)}  other\n`]],
    "has no SHA-256 of",
  ],
  ["has an HTML page as checksum file", [[`${ARCHIVE}.sha256sum`, "<html>not found</html>"]], "has no SHA-256 of"],
  ["is not there", [[ARCHIVE, null]], "answers with status 404"],
  ["stops without an end", [[ARCHIVE, silent]], "bytes came"],
  ["never ends, slowly", [[ARCHIVE, dripping]], "not complete after 1.5 s"],
  ["never ends, fast", [[ARCHIVE, endless]], "has more than 1000000 bytes"],
  ["redirects to an address without TLS", [[ARCHIVE, redirectTo("http://127.0.0.1:1/x")]], "without TLS"],
  ["redirects for ever", [[ARCHIVE, redirectTo(ARCHIVE)]], "redirects more than 5 times"],
  ["is of another version", [[ARCHIVE, older], checksumOf(older)], "says that its version is 4.3.0"],
  ["has the program elsewhere", [[ARCHIVE, elsewhere], checksumOf(elsewhere)], `holds no file ${PLATFORM}/helm`],
];

describe("a release that", () => {
  it.for(HELM_FAULTS)("%s is refused, and no part of it is cached", async ([, files, detail]) => {
    for (const [path, answer] of files)
      if (answer === null) mirror.files.delete(path);
      else mirror.files.set(path, answer);
    const begun = Date.now();
    await expect(download("helm")).rejects.toMatchObject({
      code: "TOOL_DOWNLOAD",
      message: expect.stringContaining(detail) as string,
      remedy: expect.stringContaining("LANDFALL_TOOLS=build") as string,
    });
    expect(Date.now() - begun).toBeLessThan(10_000);
    expect(await cached()).toEqual([]);
    // By default it is built, and the reason is shown.
    expect(await resolveTool("helm", chain({ PATH: await fakeGo() }))).toMatchObject({ source: "built" });
    expect(shown).toContain("helm: not downloaded: ");
    expect(shown).toContain(detail);
  });

  const signedBy = async (identity: string) => {
    await serveSigned(COSIGN, program("3.1.3"), identity);
    await serveSigned(KUBECTL, program("1.36.3"), identity);
  };
  const signatureOf = async (file: Buffer) => {
    const { bundle, signature } = await sigstore.sign(file, IDENTITY, ISSUER);
    mirror.files.set(`${COSIGN}.sigstore.json`, bundle);
    mirror.files.set(`${KUBECTL}.sig`, signature);
  };
  const foreignRoot = async () => {
    await writeFile(join(folder, "tools", "sigstore-root.json"), (await startSigstore()).root);
  };
  const SIGNATURES: [title: string, change: () => Promise<unknown>, detail: string][] = [
    ["is signed by someone else", () => signedBy("thief@project.example"), "thief@project.example"],
    ["is signed by someone whose name contains the project's", () => signedBy(`x-${IDENTITY}`), `x-${IDENTITY}`],
    ["has the signature of another file", () => signatureOf(program("1.0.0")), "the signature of"],
    ["is signed below another root", foreignRoot, "the signature of"],
  ];
  it.for(SIGNATURES)("%s is refused, and no part of it is cached", async ([, change, detail]) => {
    await change();
    for (const name of ["cosign", "kubectl"] as const)
      await expect(download(name), name).rejects.toMatchObject({
        code: "TOOL_DOWNLOAD",
        message: expect.stringContaining(detail) as string,
      });
    expect(await cached()).toEqual([]);
  });

  it("is not signed is refused", async () => {
    mirror.files.delete(`${COSIGN}.sigstore.json`);
    await expect(download("cosign")).rejects.toMatchObject({ code: "TOOL_DOWNLOAD" });
    mirror.files.delete(`${KUBECTL}.cert`);
    await expect(download("kubectl")).rejects.toMatchObject({ code: "TOOL_DOWNLOAD" });
    expect(await cached()).toEqual([]);
  });

  it("is signed without an entry in the log of signatures is refused", async () => {
    const bundle = JSON.parse(String(mirror.files.get(`${COSIGN}.sigstore.json`))) as Record<string, object>;
    const material = { ...bundle["verificationMaterial"], tlogEntries: [] };
    mirror.files.set(`${COSIGN}.sigstore.json`, JSON.stringify({ ...bundle, verificationMaterial: material }));
    await expect(download("cosign")).rejects.toMatchObject({
      message: expect.stringContaining("the signature of") as string,
    });
  });

  it("has a certificate that is in no log of certificates is refused", async () => {
    const root = JSON.parse(sigstore.root) as object;
    const { ctlogs } = JSON.parse((await startSigstore()).root) as { ctlogs: object[] };
    await writeFile(join(folder, "tools", "sigstore-root.json"), JSON.stringify({ ...root, ctlogs }));
    for (const name of ["cosign", "kubectl"] as const)
      await expect(download(name), name).rejects.toMatchObject({
        message: expect.stringContaining("the signature of") as string,
      });
  });

  it("is damaged in its second program leaves the first one out of the cache too", async () => {
    mirror.files.set(SERVER, program("1.36.4"));
    await expect(download("kubectl")).rejects.toMatchObject({ code: "TOOL_DOWNLOAD" });
    expect(await cached()).toEqual([]);
  });
});

describe("hosts that do not answer", () => {
  /** An address of the documentation, which no network routes, and one that refuses. */
  const closed = async (): Promise<string> => {
    const other = await startMirror();
    await other.close();
    return other.url;
  };

  it("are asked once for all programs, and remembered", async () => {
    await writeManifest(join(folder, "tools"), await closed());
    const env = { PATH: await fakeGo() };
    expect(await resolveTool("helm", chain(env))).toMatchObject({ source: "built" });
    expect(shown).toMatch(/helm: not downloaded: 127\.0\.0\.1:\d+ cannot be reached\n/);
    const memo = await readFile(join(cacheFolder(), "unreachable.json"), "utf8");
    expect(await resolveTool("cosign", chain(env))).toMatchObject({ source: "built" });
    expect(await readFile(join(cacheFolder(), "unreachable.json"), "utf8")).toBe(memo);
  });

  it("cost at most the time of the probe", async () => {
    const listening = await startMirror();
    try {
      // It takes the connection and says nothing.
      listening.files.set("/", () => undefined);
      await writeManifest(join(folder, "tools"), listening.url);
      const probing = chain({ PATH: await fakeGo() }, { ca: listening.ca, idleMs: 60_000, fileMs: 60_000 });
      const begun = Date.now();
      expect(await resolveTool("helm", probing)).toMatchObject({ source: "built" });
      const took = Date.now() - begun;
      expect(took).toBeGreaterThanOrEqual(LIMITS.probeMs);
      expect(took).toBeLessThan(LIMITS.probeMs + 2_000);
      expect(await resolveTool("cosign", probing)).toMatchObject({ source: "built" });
      expect(listening.asked).toEqual(["HEAD /"]);
    } finally {
      await listening.close();
    }
  });

  it("are asked again after six hours, and by LANDFALL_TOOLS=download at once", async () => {
    const host = new URL(mirror.url).host;
    const remember = async (hours: number): Promise<void> => {
      const memo = { at: Date.now() - hours * 3600_000, unreachable: [host] };
      await writeFile(join(cacheFolder(), "unreachable.json"), JSON.stringify(memo));
    };
    await mkdir(cacheFolder(), { recursive: true });
    await remember(5.9);
    const env = { PATH: await fakeGo() };
    expect(await resolveTool("helm", chain(env))).toMatchObject({ source: "built" });
    expect(mirror.asked).toEqual([]);
    expect(await download("cosign")).toMatchObject({ source: "downloaded" });
    await remember(6.1);
    expect(await resolveTool("kubectl", chain(env))).toMatchObject({ source: "downloaded" });
  });

  it("that stop answering after the probe are remembered too", async () => {
    const other = await startMirror();
    await writeManifest(join(folder, "tools"), other.url);
    other.files.set(ARCHIVE, (request) => request.socket.destroy());
    const env = { PATH: await fakeGo() };
    expect(await resolveTool("helm", chain(env, { ca: other.ca }))).toMatchObject({ source: "built" });
    await other.close();
    const memo = JSON.parse(await readFile(join(cacheFolder(), "unreachable.json"), "utf8")) as object;
    expect(memo).toMatchObject({ unreachable: [new URL(other.url).host] });
  });

  it("are an error with LANDFALL_TOOLS=download, which says what to do", async () => {
    await writeManifest(join(folder, "tools"), await closed());
    await expect(download("helm")).rejects.toMatchObject({
      code: "TOOL_UNREACHABLE",
      remedy: expect.stringContaining("HTTPS_PROXY") as string,
    });
  });

  it("and no Go are reported together", async () => {
    await writeManifest(join(folder, "tools"), await closed());
    await expect(resolveTool("helm", chain({ PATH: "/nonexistent" }))).rejects.toMatchObject({
      code: "TOOL_MISSING",
      message: expect.stringMatching(/there is no `go` on the PATH; 127\.0\.0\.1:\d+ cannot be reached/) as string,
    });
  });
});

describe("LANDFALL_TOOLS", () => {
  it("build asks no host", async () => {
    const env = { PATH: await fakeGo(), LANDFALL_TOOLS: "build" };
    expect(await resolveTool("helm", chain(env))).toMatchObject({ source: "built" });
    expect(mirror.asked).toEqual([]);
  });

  it("builds a program without a release in every mode", async () => {
    const env = { PATH: await fakeGo(), LANDFALL_TOOLS: "download" };
    expect(await resolveTool("opa", chain(env))).toMatchObject({ source: "built" });
  });

  it("with another value is refused", async () => {
    await expect(resolveTool("helm", chain({ PATH: "", LANDFALL_TOOLS: "fetch" }))).rejects.toMatchObject({
      code: "TOOL_SETTING",
      message: "LANDFALL_TOOLS is fetch",
    });
  });
});

it("the project's own root of trust names sigstore's CA and logs", async () => {
  const text = await readFile(new URL("../../../tools/sigstore-root.json", import.meta.url), "utf8");
  await cp(new URL("../../../tools/sigstore-root.json", import.meta.url), join(folder, "tools", "sigstore-root.json"));
  expect(text).toContain("https://fulcio.sigstore.dev");
  // It is read as a root, under which the double's signatures are nobody's.
  await expect(download("cosign")).rejects.toMatchObject({
    message: expect.stringContaining("the signature of") as string,
  });
});
