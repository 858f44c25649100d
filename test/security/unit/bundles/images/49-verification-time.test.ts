import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Registry } from "../../../../../src/bundle/registry/open-registry.ts";
import { SIGSTORE_BUNDLE } from "../../../../../src/bundle/signature/find-signatures.ts";
import { metered } from "../../../../../src/bundle/signature/metered-registry.ts";
import type { Trust } from "../../../../../src/bundle/signature/trust.ts";
import { verifyImage } from "../../../../../src/bundle/signature/verify-image.ts";
import { sha256Digest } from "../../../../../src/model/sha256.ts";

const trust: Trust = { mode: "required", keys: [], identities: [], root: null };
const digest = `sha256:${"a".repeat(64)}`;
const reference = { host: "registry.test", repository: "r", version: "latest" };

const usedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** A registry whose answers come in turns of the event loop, as over a network. */
function registryOf(bodies: ReadonlyMap<string, Buffer>) {
  const asked: string[] = [];
  const get: Registry["get"] = async (_, path) => {
    asked.push(path);
    await turn();
    return bodies.get(path) ?? null;
  };
  return { asked, registry: { get, close: () => Promise.resolve() } };
}

/** A manifest of as many lists in lists as fit. */
const nested = (note: number): Buffer =>
  Buffer.from(`{"note":${String(note)},"layers":[{"x":${"[".repeat(30_000)}${"]".repeat(30_000)}}]}`);

function referrersOf(manifests: readonly Buffer[]): Map<string, Buffer> {
  const entries = manifests.map((manifest) => ({
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    digest: sha256Digest(manifest),
    size: manifest.length,
    artifactType: SIGSTORE_BUNDLE,
  }));
  const list = Buffer.from(JSON.stringify({ schemaVersion: 2, manifests: entries }));
  return new Map([
    [`referrers/${digest}`, list],
    ...manifests.map((manifest): [string, Buffer] => [`manifests/${sha256Digest(manifest)}`, manifest]),
  ]);
}

it("49: the verification of a hostile image takes a fifth of the thread, in small parts", async () => {
  const { registry } = registryOf(referrersOf(Array.from({ length: 60 }, (_, index) => nested(index))));
  const parts: number[] = [];
  let before = usedMs();
  const ticks = setInterval(() => {
    parts.push(usedMs() - before);
    before = usedMs();
  }, 1);
  const [began, beganMs] = [performance.now(), usedMs()];
  await expect(verifyImage(registry, reference, digest, trust)).rejects.toMatchObject({ code: "BUNDLE_SIGNATURE" });
  clearInterval(ticks);
  const [elapsed, used] = [performance.now() - began, usedMs() - beganMs];
  expect(parts.length).toBeGreaterThan(20);
  expect(Math.max(...parts)).toBeLessThan(100);
  expect(used / elapsed).toBeLessThan(0.45);
});

describe("49: the processor time of a verification", () => {
  let nowMs = 0;
  const rests: number[] = [];
  beforeEach(() => {
    [nowMs, rests.length] = [0, 0];
    vi.spyOn(process, "threadCpuUsage").mockImplementation(() => ({ user: nowMs * 1000, system: 0 }));
    vi.stubGlobal("setTimeout", (work: () => void, ms: number) => {
      rests.push(ms);
      setImmediate(work);
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  it("ends after five seconds, and says so", async () => {
    const { registry } = registryOf(new Map([["x", Buffer.alloc(1)]]));
    const counted = metered(registry);
    for (let index = 0; index < 3; index++) {
      expect(counted.spent()).toBeNull();
      await counted.get(reference, "x", { limit: 1 });
      nowMs += 1700;
    }
    await counted.get(reference, "x", { limit: 1 });
    expect(counted.spent()).toBe("5000 ms of processor time");
    expect(rests).toEqual([6800, 6800, 6800]);
  });

  it("does not count what waiting for the registry takes", async () => {
    const { registry } = registryOf(new Map([["x", Buffer.alloc(1)]]));
    const get: Registry["get"] = (...asked) => {
      nowMs += 1000;
      return registry.get(...asked);
    };
    const counted = metered({ ...registry, get });
    for (let count = 0; count < 10; count++) await counted.get(reference, "x", { limit: 1 });
    expect(counted.spent()).toBeNull();
    expect(rests).toEqual([]);
  });
});

it("49: an image has no more than 3,000 questions asked about it", async () => {
  const { asked, registry } = registryOf(new Map());
  const counted = metered(registry);
  while (counted.spent() === null) await counted.get(reference, "x", { limit: 1, optional: true });
  expect(asked).toHaveLength(3000);
  expect(counted.spent()).toBe("3000 requests");
});
