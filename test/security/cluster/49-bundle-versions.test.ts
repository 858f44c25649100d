import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openStore } from "../../../src/bundle/bundle-store.ts";
import { Follower } from "../../../src/bundle/follow/follow-reference.ts";
import type { Tarball } from "../../../src/bundle/open-source.ts";
import { recordedStore } from "../../../src/bundle/recorded-store.ts";
import type { ApiPath } from "../../../src/cluster/api-path.ts";
import { actAs } from "../../../src/cluster/client/act-as.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { openVersionRecord } from "../../../src/cluster/open-version-record.ts";
import { LandfallError, messageOf } from "../../../src/errors.ts";
import { writeRelease, writeRollback } from "../../../src/model/bundle-format/bundle-release.ts";
import { writeTar } from "../../../src/model/bundle-format/tar.ts";
import type { VersionRecord } from "../../../src/model/bundle-format/highest-version.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { sha256, sha256Digest } from "../../../src/model/sha256.ts";
import { textClient, type TextClient } from "../../support/text-client.ts";

const SYSTEM = "landfall-system";
const SECRET = `/api/v1/namespaces/${SYSTEM}/secrets/landfall-bundle-versions`;

let base: string;
let admin: KubeClient & TextClient;
/** With the rights that the chart gives them. */
let webhook: KubeClient;
let controller: KubeClient;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-record-"));
  const config = await loadKubeconfig(inject("cluster").kubeconfig, {});
  admin = textClient(createClient(config));
  webhook = createClient(actAs(config, `system:serviceaccount:${SYSTEM}:landfall-webhook`));
  controller = createClient(actAs(config, `system:serviceaccount:${SYSTEM}:landfall-composition`));
});

afterAll(async () => {
  await Promise.all([admin, webhook, controller].map((client) => client.close()));
  await rm(base, { recursive: true, force: true });
});

const bundle = (version: number): Buffer =>
  writeRelease(writeTar(new Map([["/.manifest", Buffer.from('{"revision":""}')]])), { version });

let count = 0;

/** A registry, and Pods that follow it: each has an empty disk unless it gets that of another. */
function world() {
  const ref = `registry/policies-49-${String((count += 1))}:latest`;
  const images = new Map<string, Tarball>();
  let tag = "";
  const serve = (bytes: Buffer): string => {
    tag = sha256Digest(bytes);
    images.set(tag, { bytes, digest: tag, signed: true, signers: ["key a"] });
    return tag;
  };
  const pod = (client: KubeClient = webhook, disk = join(base, `disk-${String((count += 1))}`)) => {
    let active: Tarball | null = null;
    const problems: string[] = [];
    const store = recordedStore(openStore(disk), openVersionRecord(client, SYSTEM), (thrown) => {
      problems.push(messageOf(thrown));
    });
    const follower = new Follower({
      ...{ poll: null, stale: { hours: 1, action: "warn" }, expired: { action: "warn" }, after: Promise.resolve() },
      source: {
        ref,
        digest: () => Promise.resolve(tag),
        fetch: (digest) => {
          const found = images.get(digest);
          return found === undefined
            ? Promise.reject(new LandfallError("BUNDLE_REGISTRY", { ref, detail: "gone" }))
            : Promise.resolve(found);
        },
        trusts: () => true,
        verify: () => undefined,
        close: () => Promise.resolve(),
      },
      store,
      use: (one) => {
        active = one;
        return Promise.resolve();
      },
      used: () => active,
      onEvent: () => undefined,
      nowMs: () => Date.UTC(2026, 10, 22),
      random: () => 0.5,
    });
    return { follower, problems, disk, active: () => active?.digest, error: () => follower.status().lastError };
  };
  const recorded = async (): Promise<unknown> => {
    const secret = await admin.get<Resource>(SECRET);
    const text = secret?.data?.[sha256(ref).slice(0, 32)];
    return typeof text === "string" ? JSON.parse(Buffer.from(text, "base64").toString()) : null;
  };
  const edit = (text: string | null) =>
    admin.patch(SECRET, "merge", {
      data: { [sha256(ref).slice(0, 32)]: text === null ? null : Buffer.from(text).toString("base64") },
    });
  return { ref, serve, pod, recorded, edit };
}

describe("49: a Pod that is replaced", () => {
  it("refuses an earlier signed bundle, and takes it only from a signed rollback", async () => {
    const { serve, pod, recorded } = world();
    const older = serve(bundle(4));
    await pod().follower.poll();
    serve(bundle(5));
    await pod().follower.poll();
    expect(await recorded()).toMatchObject({ version: 5 });
    serve(bundle(4));
    const replaced = pod();
    await replaced.follower.poll();
    expect(replaced.active()).toBeUndefined();
    expect(replaced.error()).toContain("BUNDLE_OLDER");
    serve(writeRollback({ version: 6, rollback: older }));
    await replaced.follower.poll();
    expect(replaced.active()).toBe(older);
    expect(await recorded()).toMatchObject({ version: 6, uses: older });
    const next = pod();
    await next.follower.poll();
    expect(next.active()).toBe(older);
  });

  it("learns what the controller or another replica has used, also while it runs", async () => {
    const { serve, pod } = world();
    serve(bundle(1));
    const first = pod(webhook);
    await first.follower.poll();
    serve(bundle(3));
    await pod(controller).follower.poll();
    serve(bundle(2));
    await first.follower.poll();
    expect(first.error()).toContain("BUNDLE_OLDER");
  });
});

describe("49: the record", () => {
  it("keeps the highest of versions that replicas write together", async () => {
    const { ref, recorded } = world();
    const records = [webhook, controller].map((client) => openVersionRecord(client, SYSTEM));
    const versions = [3, 9, 1, 7, 5, 8];
    const raise = (record: VersionRecord, version: number): Promise<void> =>
      record.raise(ref, { version, digest: `d${String(version)}`, uses: "u" });
    await Promise.all(records.flatMap((record) => versions.map((version) => raise(record, version))));
    expect(await recorded()).toMatchObject({ version: 9, digest: "d9" });
  });

  it("that was deleted is written again from disk or memory, with a warning", async () => {
    const { serve, pod, recorded, edit } = world();
    serve(bundle(7));
    const first = pod();
    await first.follower.poll();
    await edit(null);
    await first.follower.poll();
    expect(first.problems.join()).toContain("lowered or deleted");
    expect(await recorded()).toMatchObject({ version: 7 });
    await edit(null);
    serve(bundle(6));
    const restarted = pod(webhook, first.disk);
    await restarted.follower.poll();
    expect(restarted.error()).toContain("BUNDLE_OLDER");
    expect(await recorded()).toMatchObject({ version: 7 });
  });

  it("that was edited stops a Pod without a disk from using anything, and no other", async () => {
    const { serve, pod, edit } = world();
    serve(bundle(7));
    const first = pod();
    await first.follower.poll();
    await edit("{}");
    serve(bundle(6));
    const replaced = pod();
    await replaced.follower.poll();
    expect(replaced.active()).toBeUndefined();
    expect(replaced.error()).toContain("BUNDLE_RECORD");
    await first.follower.poll();
    expect(first.error()).toContain("BUNDLE_OLDER");
    expect(first.problems.join()).toContain("does not hold a version");
  });

  it("is the only Secret that the chart's role lets the webhook change for this", async () => {
    const other = `/api/v1/namespaces/${SYSTEM}/secrets`;
    await admin.create(other, { apiVersion: "v1", kind: "Secret", metadata: { name: "other-49" } });
    const change = { apiVersion: "v1", kind: "Secret", metadata: { name: "other-49" }, data: {} };
    await expect(webhook.replace(`${other}/other-49` as ApiPath, change)).rejects.toMatchObject({ status: 403 });
    await admin.remove(`${other}/other-49`);
  });
});
