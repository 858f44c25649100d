import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../../src/bundle/bundle-store.ts";
import { openSource, type Tarball } from "../../../src/bundle/open-source.ts";
import { pushBundle } from "../../../src/bundle/push-bundle.ts";
import { defaultSettings, type Rollout } from "../../../src/bundle/read-settings.ts";
import { parseReference } from "../../../src/bundle/registry/parse-reference.ts";
import type { ClusterEvent } from "../../../src/external-data/cluster-data.ts";
import { signImage } from "../../../src/bundle/signature/sign-image.ts";
import type { Trust } from "../../../src/bundle/signature/trust.ts";
import { readTar, writeTar } from "../../../src/model/bundle-format/tar.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import type { OtherKind } from "../../../src/model/bundle-format/other-bundle.ts";
import type { Beside, OtherOptions } from "../../../src/bundle/follow/bundle-set.ts";
import { type BundleEvent, BundleWatch, type WatchOptions } from "../../../webhook/bundle-watch/watch-bundle.ts";
import { type DecisionProcess, startProcess } from "../../../webhook/decisions/start-process.ts";
import { policyFile } from "../load-policy.ts";
import { type FaultyRegistry, startFaultyRegistry, startRegistry } from "./registry.ts";

export type BundleData = { landfall: Record<string, Record<string, unknown>> };

let unpacked: ReadonlyMap<string, Buffer> | undefined;

/** The project's bundle with other data and other files; null removes a file. */
export async function changedBundle(
  change: (data: BundleData) => void,
  files: Record<string, Buffer | string | null> = {},
): Promise<Buffer> {
  unpacked ??= readTar(await readFile(await policyFile()));
  const all = new Map(unpacked);
  const data = JSON.parse(all.get("data.json")?.toString("utf8") ?? "{}") as BundleData;
  change(data);
  all.set("data.json", Buffer.from(JSON.stringify(data)));
  for (const [name, body] of Object.entries(files)) {
    if (body === null) all.delete(name);
    else all.set(name, Buffer.from(body));
  }
  return writeTar(new Map([...all].map(([name, body]) => [`/${name}`, body])), 1);
}

/** A good bundle that is different for each number. */
export const numbered = (number: number): Promise<Buffer> =>
  changedBundle((data) => {
    data.landfall["number"] = { number };
  });

export interface Bench {
  door: FaultyRegistry;
  ref: string;
  folder: string;
  /** Pushes a bundle to the tag, or to another repository's tag, and returns the image's digest. */
  push(bytes: Uint8Array, signed?: boolean, repository?: string): Promise<string>;
  /** An additional bundle, in a repository with its name. */
  other(name: string, kind: OtherKind, changes?: Partial<OtherOptions>): Promise<OtherOptions>;
  sign(digest: string): Promise<void>;
  watch(changes?: Partial<WatchOptions>): Promise<{ watch: BundleWatch; events: [BundleEvent, unknown][] }>;
  rollout(): Rollout;
  stop(): Promise<void>;
}

const keys = [Buffer.alloc(32, 7)] as const;

interface DeciderChanges {
  events?: readonly ClusterEvent[];
  timeoutMs?: number;
}

export const openDecider = (
  { bytes, signed }: Tarball,
  ref: string,
  trust: Trust,
  { others, absent, events = [], timeoutMs = 8000 }: Beside & DeciderChanges = { others: [], absent: [] },
): DecisionProcess =>
  startProcess({
    others: others.map(({ name, kind, ref: from, tarball }) => ({
      ...{ bytes: tarball.bytes, signed: tarball.signed, ref: from, trust },
      expected: { name, kind },
    })),
    absent,
    bytes,
    ref,
    signed,
    trust,
    keys,
    events,
    forecasts: null,
    timeoutMs,
    onReserved: () => undefined,
    logLabels: null,
  });

/** A registry, a key, and watches of one tag that poll only on request. */
export async function openBench(): Promise<Bench> {
  const crane = await toolPath("crane");
  const folder = await mkdtemp(join(tmpdir(), "landfall-watch-"));
  const registry = await startRegistry(crane);
  const door = await startFaultyRegistry(registry.host);
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const trust: Trust = { mode: "required", keys: [publicKey], identities: [], root: null };
  const tagOf = (host: string, repository = "policies/landfall"): string => `${host}/${repository}:latest`;
  const ref = tagOf(door.host);
  const watches: BundleWatch[] = [];
  const rollout = (): Rollout => ({ ...defaultSettings().rollout, poll: { seconds: 3600, jitter: 0 } });
  const sign = (digest: string, size: number, repository?: string): Promise<void> =>
    signImage(
      { crane, plainHttp: true },
      parseReference(tagOf(registry.host, repository)),
      { digest, size },
      privateKey,
    );
  const sizes = new Map<string, number>();
  return {
    door,
    ref,
    folder,
    rollout,
    push: async (bytes, signed = true, repository = "policies/landfall") => {
      const file = join(folder, "pushed.tar.gz");
      await writeFile(file, bytes);
      const pushed = await pushBundle({ crane, file, ref: tagOf(registry.host, repository), plainHttp: true });
      sizes.set(pushed.digest, pushed.size);
      if (signed) await sign(pushed.digest, pushed.size, repository);
      return pushed.digest;
    },
    other: async (name, kind, changes = {}) => ({
      ...{ name, kind, required: true, poll: rollout().poll, stale: rollout().stale },
      source: await openSource(tagOf(door.host, name), { plainHttp: true, timeoutMs: 1000 }, trust),
      store: openStore(join(folder, "store", "beside", name)),
      ...changes,
    }),
    sign: (digest) => sign(digest, sizes.get(digest) ?? 0),
    watch: async (changes = {}) => {
      const events: [BundleEvent, unknown][] = [];
      const watch = new BundleWatch({
        source: await openSource(ref, { plainHttp: true, timeoutMs: 1000 }, trust),
        store: openStore(join(folder, "store")),
        rollout: rollout(),
        start: (tarball, from, beside) => openDecider(tarball, from, trust, beside),
        canaries: () => Promise.resolve([]),
        onActive: () => undefined,
        // The bundles of most tests have no version.
        onEvent: (event, fields) => void (event !== "bundle without version or expiry" && events.push([event, fields])),
        nowMs: Date.now,
        random: () => 0.5,
        ...changes,
      });
      watches.push(watch);
      return { watch, events };
    },
    stop: async () => {
      await Promise.all(watches.map((watch) => watch.stop()));
      await Promise.all([door.close(), registry.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
