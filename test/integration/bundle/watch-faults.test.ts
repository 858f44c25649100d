import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { openStore } from "../../../src/bundle/bundle-store.ts";
import { openSource } from "../../../src/bundle/open-source.ts";
import type { ErrorCode } from "../../../src/errors.ts";
import { readTar } from "../../../src/model/bundle-format/tar.ts";
import { type DecisionProcess, startProcess } from "../../../webhook/decisions/start-process.ts";
import { reviewOf, vm } from "../../support/admission.ts";
import { certificateOf } from "../../support/services/certificate-of.ts";
import { policyFile } from "../../support/load-policy.ts";
import { type Fault, startFaultyRegistry } from "../../support/bundles/registry.ts";
import { buildTrapBundle, changedTrap } from "../../support/bundles/trap-bundle.ts";
import { type Bench, changedBundle, numbered, openBench } from "../../support/bundles/watched-bundle.ts";

const OFF = { mode: "off", keys: [], identities: [], root: null } as const;
const root = fileURLToPath(new URL("../../..", import.meta.url));
const run = promisify(execFile);
let bench: Bench;
let folder: string;

beforeAll(async () => {
  bench = await openBench();
  folder = await mkdtemp(join(tmpdir(), "landfall-bundle-faults-"));
});
afterEach(async () => {
  bench.door.fault = null;
  await rm(join(bench.folder, "store"), { recursive: true, force: true });
});
afterAll(async () => {
  await bench.stop();
  await rm(folder, { recursive: true, force: true });
});

const answer =
  (path: RegExp, status: number, body: string | Buffer = "", headers = {}): Fault =>
  ({ url = "" }, response) =>
    path.test(url) && Boolean(response.writeHead(status, headers).end(body));

/** Half of a layer, and the connection ends. */
const truncated: Fault = ({ url = "" }, response) => {
  if (!url.includes("/blobs/")) return false;
  response.writeHead(200, { "content-length": "400000" });
  response.write(Buffer.alloc(1000), () => response.destroy());
  return true;
};

const HELM_CHART = JSON.stringify({
  schemaVersion: 2,
  mediaType: "application/vnd.oci.image.manifest.v1+json",
  config: { mediaType: "application/vnd.cncf.helm.config.v1+json", digest: `sha256:${"0".repeat(64)}`, size: 2 },
  layers: [
    { mediaType: "application/vnd.cncf.helm.chart.content.v1.tar+gzip", digest: `sha256:${"0".repeat(64)}`, size: 10 },
  ],
});

const review = (tags: Record<string, string> = {}): string => reviewOf(vm({ cpu: 2, memory: 4, tags }));

/** What the API server is told. */
async function ask(decider: DecisionProcess | null, tags?: Record<string, string>): Promise<string> {
  const { body } = (await decider?.ask("/mutate", review(tags))) ?? { body: "{}" };
  const { response } = JSON.parse(body) as { response?: { allowed: boolean; status?: { message: string } } };
  return response?.allowed === true ? "allowed" : (response?.status?.message ?? "no answer");
}

describe("a registry that fails while a good bundle decides", () => {
  it("does not change the active bundle, is reported, and is followed again after recovery", async () => {
    const good = await bench.push(await numbered(100));
    const { watch } = await bench.watch();
    await watch.poll();
    const next = await bench.push(await numbered(101));
    const cases: [fault: Fault, code: ErrorCode][] = [
      [answer(/./, 401, "who?", { "www-authenticate": 'Basic realm="here"' }), "BUNDLE_REGISTRY_AUTH"],
      [answer(/./, 403, "no"), "BUNDLE_REGISTRY_AUTH"],
      [answer(/./, 429, "", { "retry-after": "1" }), "BUNDLE_REGISTRY_BUSY"],
      [answer(/./, 503, "maintenance"), "BUNDLE_REGISTRY"],
      [answer(/\/manifests\//, 404), "BUNDLE_REGISTRY"],
      [answer(/\/manifests\//, 200, "<html>captive portal</html>"), "BUNDLE_UNREADABLE"],
      [answer(/\/manifests\//, 200, HELM_CHART), "BUNDLE_UNREADABLE"],
      [truncated, "BUNDLE_REGISTRY_AWAY"],
      [answer(/\/blobs\//, 200, gzipSync("another layer")), "BUNDLE_TAMPERED"],
      [answer(/\/blobs\//, 404), "BUNDLE_REGISTRY"],
    ];
    for (const [fault, code] of cases) {
      bench.door.fault = fault;
      await watch.poll();
      const { active, lastError } = watch.status();
      expect([active?.digest, lastError], code).toEqual([good, expect.stringContaining(`[${code}]`)]);
      expect(await ask(await watch.decider())).toBe("allowed");
    }
    bench.door.fault = null;
    await watch.poll();
    expect(watch.status()).toMatchObject({ active: { digest: next }, lastError: null });
  });

  it.each([
    ["has expired", "2020-01-01", "2021-01-01", "CERT_HAS_EXPIRED"],
    ["is not valid yet, as where this machine's clock is behind", "2090-01-01", "2091-01-01", "CERT_NOT_YET_VALID"],
  ])("a certificate that %s", async (_, notBefore, notAfter, reason) => {
    const { certificate, key } = await certificateOf(new Date(notBefore), new Date(notAfter));
    const tls = await startFaultyRegistry(bench.ref.split("/")[0] ?? "", { key, cert: certificate });
    const ca = join(folder, "registry.crt");
    await writeFile(ca, certificate);
    const { watch } = await bench.watch({
      source: await openSource(`${tls.host}/policies/landfall:latest`, { ca }, OFF),
    });
    await watch.poll();
    expect(watch.status().lastError).toContain("[BUNDLE_REGISTRY_TLS]");
    expect(watch.status().lastError).toContain(reason);
    expect(await watch.decider()).toBeNull();
    await tls.close();
  });
});

describe("an invalid archive", () => {
  const linked = async (type: string): Promise<Buffer> => {
    const tar = gunzipSync(await numbered(110));
    // The type of the first entry: 1 a hard link, 2 a symbolic one. Its checksum is then wrong as well, as it often is.
    tar.write(type, 156);
    return gzipSync(tar);
  };
  const otherEntrypoint = async (): Promise<Buffer> => {
    const wasm =
      readTar(await readFile(await policyFile()))
        .get("policy.wasm")
        ?.toString("latin1") ?? "";
    return changedBundle(() => undefined, {
      "policy.wasm": Buffer.from(wasm.replaceAll("landfall/main/", "landfall/moon/"), "latin1"),
    });
  };

  it("is not pushed if it is truncated", async () => {
    const half = (await numbered(111)).subarray(0, 50_000);
    await expect(bench.push(half)).rejects.toMatchObject({ code: "BUNDLE_UNREADABLE" });
  });

  it.each<[string, () => Promise<Buffer>, ErrorCode]>([
    ["a symbolic link", () => linked("2"), "BUNDLE_UNSAFE"],
    ["a hard link", () => linked("1"), "BUNDLE_UNSAFE"],
    ["no entrypoint that is asked for", otherEntrypoint, "BUNDLE_NO_ENTRYPOINT"],
  ])("%s: it is in quarantine, and nothing decides before the first good one", async (_, bytes, code) => {
    const bad = await bench.push(await bytes());
    const { watch } = await bench.watch();
    await watch.poll();
    expect(watch.status()).toMatchObject({ active: null, quarantined: [{ digest: bad, code }] });
    const good = await bench.push(await numbered(112));
    await watch.poll();
    expect(watch.status()).toMatchObject({ active: { digest: good }, lastError: null });
  });
});

describe("a policy", () => {
  let trap: Buffer;
  beforeAll(async () => {
    trap = await buildTrapBundle(folder);
  });

  const start =
    (loadMs: number, timeoutMs: number) =>
    ({ bytes, signed }: { bytes: Uint8Array; signed: boolean }, ref: string): DecisionProcess =>
      startProcess({
        ...{ bytes, signed, ref, trust: OFF, keys: [Buffer.alloc(32)] as const, events: [], forecasts: null },
        ...{ logLabels: null, onReserved: () => undefined, timeoutMs, loadMs },
      });

  it("that throws for one object denies that one with a code, and continues", async () => {
    await bench.push(trap);
    const { watch } = await bench.watch();
    await watch.poll();
    const decider = await watch.decider();
    expect(await ask(decider, { trap: "throw" })).toContain("POL_EVALUATION");
    expect(await ask(decider)).toBe("allowed");
    expect(await watch.decider()).toBe(decider);
  });

  it("that loops for one object times out for that one, and continues with the others", async () => {
    const digest = await bench.push(trap);
    const { watch } = await bench.watch({ start: start(60_000, 2000) });
    await watch.poll();
    await expect(ask(await watch.decider(), { trap: "loop" })).rejects.toMatchObject({ code: "ADM_TIMEOUT" });
    // Until the new process runs, requests are refused as retryable.
    await vi.waitFor(async () => expect(await ask(await watch.decider())).toBe("allowed"), 30_000);
    expect(watch.status().active?.digest).toBe(digest);
  });

  it("that loops for every object never becomes active", async () => {
    const good = await bench.push(trap);
    const { watch } = await bench.watch({ start: start(10_000, 8000) });
    await watch.poll();
    expect(watch.status().active?.digest).toBe(good);
    const looping = await bench.push(changedTrap(trap, { always: true }));
    const tried = watch.poll();
    expect(await ask(await watch.decider())).toBe("allowed");
    await tried;
    expect(watch.status()).toMatchObject({
      active: { digest: good },
      quarantined: [{ digest: looping, code: "BUNDLE_LOOPS" }],
    });
  });
});

describe("a full disk", () => {
  // The limit of a process's files ends a write half-way, as a full disk does, without filling one.
  const keep = (bytes: string): string => `
    import { openStore } from ${JSON.stringify(join(root, "src/bundle/bundle-store.ts"))};
    const tarball = { bytes: Buffer.from(${bytes}), digest: "sha256:2", signed: true, signers: [] };
    await openStore(process.argv[1]).keep("ref", tarball, 2).then(
      () => console.log("kept"),
      (thrown) => console.log(thrown.code),
    );`;
  const limited = async (script: string, store: string): Promise<string> => {
    const command = 'ulimit -f 64; exec "$0" --input-type=module-typescript -e "$1" "$2"';
    return (await run("bash", ["-c", command, process.execPath, script, store])).stdout.trim();
  };

  it("loses nothing: the stored bundle is complete, without a partial file next to it", async () => {
    const folderOfStore = join(folder, "full");
    const store = openStore(folderOfStore);
    const kept = { bytes: Buffer.from("good"), digest: "sha256:1", signed: true, signers: ["x"] };
    await store.keep("ref", kept, 1);
    expect(await limited(keep("'small'"), join(folder, "roomy"))).toBe("kept");
    expect(await limited(keep("'x'.repeat(1_000_000)"), folderOfStore)).toMatch(/^(EFBIG|ENOSPC)$/);
    expect(await store.read("ref")).toEqual({ ...kept, contactedAt: 1 });
    expect((await readdir(folderOfStore)).sort()).toEqual([expect.stringMatching(/\.tar\.gz$/), "last-good.json"]);
  });
});

describe("a wrong clock", () => {
  it("counts a contact in the future from now on, also after a restart", async () => {
    const real = Date.UTC(2026, 10, 20);
    let nowMs = real + 10 * 365 * 86_400_000;
    const stale = { hours: 1, action: "refuse" as const };
    await bench.push(await numbered(120));
    const { watch } = await bench.watch({ rollout: { ...bench.rollout(), stale }, nowMs: () => nowMs });
    await watch.poll();
    // Someone sets the clock right while the registry is away.
    bench.door.fault = (request) => Boolean(request.socket.destroy());
    nowMs = real;
    expect(watch.status().stale).toBe(false);
    nowMs += 2 * 3_600_000;
    expect(watch.status().stale).toBe(true);
    await expect(watch.decider()).rejects.toMatchObject({ code: "BUNDLE_STALE" });

    nowMs = real;
    const again = await bench.watch({ rollout: { ...bench.rollout(), stale }, nowMs: () => nowMs });
    await again.watch.poll();
    expect(again.watch.status()).toMatchObject({ active: { from: "disk" }, stale: false });
    nowMs += 2 * 3_600_000;
    expect(again.watch.status().stale).toBe(true);
    bench.door.fault = null;
    await again.watch.poll();
    expect(again.watch.status().stale).toBe(false);
  });
});
