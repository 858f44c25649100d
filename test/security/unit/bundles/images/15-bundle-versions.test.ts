import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import { openStore } from "../../../../../src/bundle/bundle-store.ts";
import { Follower } from "../../../../../src/bundle/follow/follow-reference.ts";
import type { Tarball } from "../../../../../src/bundle/open-source.ts";
import { LandfallError } from "../../../../../src/errors.ts";
import { readRelease, writeRelease, writeRollback } from "../../../../../src/model/bundle-format/bundle-release.ts";
import { writeTar } from "../../../../../src/model/bundle-format/tar.ts";
import { sha256Digest } from "../../../../../src/model/sha256.ts";
import { HOUR_MS } from "../../../../../src/model/time.ts";
import { context, create, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-versions-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const EMPTY = writeTar(new Map([["/.manifest", Buffer.from(`{"revision":"r"}`)]]));
const NOW_MS = Date.UTC(2026, 10, 20);

/** A bundle of this version, or without one; each is different. */
const versioned = (version: number | null, more: { expires?: string; different?: string } = {}): Buffer => {
  const { different = "", ...rest } = more;
  const bytes = writeTar(new Map([["/.manifest", Buffer.from(`{"revision":"${different}"}`)]]));
  return version === null ? bytes : writeRelease(bytes, { version, ...rest });
};

/** A registry, and followers of it with the store of this name. */
function openRegistry(name: string) {
  const images = new Map<string, Tarball>();
  let tag = "";
  const clock = { nowMs: NOW_MS };
  const forged = new Set<string>();
  const removed = new Set<string>();
  const fetched: string[] = [];
  const serve = (bytes: Buffer): string => {
    tag = sha256Digest(bytes);
    images.set(tag, { bytes, digest: tag, signed: true, signers: ["key a"] });
    return tag;
  };
  const start = (action: "warn" | "refuse" = "warn") => {
    let active: Tarball | null = null;
    const events: string[] = [];
    const follower = new Follower({
      ...{ poll: null, stale: { hours: 1, action: "warn" }, expired: { action }, after: Promise.resolve() },
      source: {
        ref: "registry/policies:latest",
        digest: () => Promise.resolve(tag),
        fetch: (digest) => {
          fetched.push(digest);
          const found = images.get(digest);
          return found === undefined
            ? Promise.reject(new LandfallError("BUNDLE_REGISTRY", { ref: "r", detail: "no answer" }))
            : Promise.resolve(found);
        },
        trusts: ({ signers }) => signers.some((signer) => !removed.has(signer)),
        verify: ({ digest }) => {
          if (forged.has(digest)) throw new LandfallError("BUNDLE_UNSIGNED", { ref: "r" });
        },
        close: () => Promise.resolve(),
      },
      store: openStore(join(folder, name)),
      use: (one) => {
        active = one;
        return Promise.resolve();
      },
      used: () => active,
      onEvent: (event, fields) =>
        void events.push(`${event} ${typeof fields["code"] === "string" ? fields["code"] : ""}`.trim()),
      nowMs: () => clock.nowMs,
      random: () => 0.5,
    });
    return { follower, events, active: () => active?.digest };
  };
  return { serve, start, clock, forged, removed, fetched };
}

/** A data image with this date. */
const dated = (date: string): Buffer => {
  const landfall = { kind: "data", name: "carbon", date };
  const manifest = { revision: date, roots: ["landfall/catalog/carbon"], metadata: { landfall } };
  return writeTar(new Map([["/.manifest", Buffer.from(JSON.stringify(manifest))]]));
};

describe("15: the date of a data image", () => {
  it("is at most a day ahead, or the image would never be stale", async () => {
    const { serve, start, clock } = openRegistry("dated");
    const { follower, active, events } = start();
    const tomorrow = serve(dated("2026-11-21T00:00:00Z"));
    await follower.poll();
    expect(active()).toBe(tomorrow);
    const ahead = serve(dated("2026-11-21T00:00:01Z"));
    await follower.poll();
    serve(dated("2099-01-01T00:00:00Z"));
    await follower.poll();
    expect([active(), events.filter((event) => event.endsWith("BUNDLE_DATA_AHEAD")).length]).toEqual([tomorrow, 2]);
    expect(follower.status().lastError).toContain("dated 2099-01-01T00:00:00Z, which is more than a day ahead");
    // It is asked again at each poll, so the same image is used once its time has come.
    clock.nowMs += 2000;
    serve(dated("2026-11-21T00:00:01Z"));
    await follower.poll();
    expect(active()).toBe(ahead);
  });
});

describe("15: the version of a bundle", () => {
  it("only rises: an earlier signed bundle is refused, and does not end staleness", async () => {
    const { serve, start, clock } = openRegistry("rises");
    const { follower, active, events } = start();
    serve(versioned(4));
    await follower.poll();
    const newest = serve(versioned(5));
    await follower.poll();
    clock.nowMs += 2 * HOUR_MS;
    for (const older of [versioned(4), versioned(5, { different: "x" }), versioned(null)]) {
      serve(older);
      await follower.poll();
      expect(active()).toBe(newest);
      expect(follower.status()).toMatchObject({ version: 5, highestVersion: 5, stale: true });
      expect(follower.status().lastError).toContain("BUNDLE_OLDER");
    }
    expect(events).toContain("bundle not used BUNDLE_OLDER");
    const next = serve(versioned(6));
    await follower.poll();
    expect(active()).toBe(next);
    expect(follower.status()).toMatchObject({ stale: false, lastError: null });
  });

  it("is remembered by digest: a refused bundle is not fetched again, and can still be the target of a rollback", async () => {
    const { serve, start, fetched } = openRegistry("once");
    const { follower, active } = start();
    serve(versioned(2));
    await follower.poll();
    const older = serve(versioned(1));
    for (let polls = 0; polls < 3; polls += 1) await follower.poll();
    expect(fetched.filter((digest) => digest === older)).toHaveLength(1);
    expect(follower.status().lastError).toContain("BUNDLE_OLDER");
    serve(writeRollback({ version: 3, rollback: older }));
    await follower.poll();
    expect(active()).toBe(older);
  });

  it("is remembered over a restart, also if the stored bundle is lost", async () => {
    const { serve, start } = openRegistry("restart");
    serve(versioned(7));
    await start().follower.poll();
    const older = serve(versioned(6));
    const again = start();
    await again.follower.poll();
    expect(again.active()).not.toBe(older);
    await rm(join(folder, "restart", `${older.replace("sha256:", "")}.tar.gz`), { force: true });
    await rm(join(folder, "restart", "last-good.json"));
    const third = start();
    await third.follower.poll();
    expect(third.active()).toBeUndefined();
    expect(third.follower.status().lastError).toContain("BUNDLE_OLDER");
  });

  it("may be missing, with a warning, as long as no bundle has had one", async () => {
    const { serve, start } = openRegistry("without");
    const { follower, active, events } = start();
    serve(versioned(null));
    await follower.poll();
    const second = serve(versioned(null, { different: "second" }));
    await follower.poll();
    expect(active()).toBe(second);
    expect(events).toEqual(["bundle without version or expiry", "bundle without version or expiry"]);
    expect(follower.status()).toMatchObject({ version: null, highestVersion: null, behind: false });
  });

  it("that is not a number above 0 makes the bundle unreadable", () => {
    const of = (release: unknown): Buffer =>
      writeTar(new Map([["/.manifest", Buffer.from(JSON.stringify({ metadata: { release } }))]]));
    const wrong = [
      {},
      { version: 0 },
      { version: "5" },
      { version: 1.5 },
      { version: 1, expires: "soon" },
      { version: 1, rollback: "latest" },
      5,
    ];
    for (const release of wrong) expect(() => readRelease(of(release), "r")).toThrow("metadata.release");
    expect(readRelease(EMPTY, "r")).toEqual({
      ...{ version: null, expires: null, rollback: null, channel: null },
      date: null,
    });
  });
});

describe("15: a rollback", () => {
  it("goes back to the bundle that it names, stays there over a restart, and ends with a higher version", async () => {
    const { serve, start } = openRegistry("rollback");
    const { follower, active } = start();
    const good = serve(versioned(1));
    await follower.poll();
    const bad = versioned(2);
    serve(bad);
    await follower.poll();
    serve(writeRollback({ version: 3, rollback: good }));
    await follower.poll();
    expect(active()).toBe(good);
    expect(follower.status()).toMatchObject({ version: 1, highestVersion: 3, behind: false, lastError: null });
    const again = start();
    await again.follower.poll();
    expect(again.active()).toBe(good);
    expect(again.follower.status()).toMatchObject({ behind: false, lastError: null });
    serve(bad);
    await again.follower.poll();
    expect(again.active()).toBe(good);
    const fixed = serve(versioned(4));
    await again.follower.poll();
    expect(again.active()).toBe(fixed);
  });

  it("is refused if it is not signed, not higher, or names another rollback", async () => {
    const { serve, start, forged } = openRegistry("refused");
    const { follower, active } = start();
    const first = serve(versioned(1));
    await follower.poll();
    const second = serve(versioned(2));
    await follower.poll();
    forged.add(serve(writeRollback({ version: 3, rollback: first })));
    await follower.poll();
    serve(writeRollback({ version: 2, rollback: first }));
    await follower.poll();
    const other = serve(writeRollback({ version: 5, rollback: `sha256:${"0".repeat(64)}` }));
    serve(writeRollback({ version: 6, rollback: other }));
    await follower.poll();
    expect(active()).toBe(second);
    const codes = follower.status().quarantined.map(({ code }) => code);
    expect(codes).toEqual(["BUNDLE_UNSIGNED", "BUNDLE_OLDER", "BUNDLE_UNREADABLE"]);
  });
});

describe("15: an expired bundle", () => {
  const expires = new Date(NOW_MS + HOUR_MS).toISOString().replace(".000", "");

  it("decides on, unless the settings refuse it", async () => {
    const { serve, start, clock } = openRegistry("expired");
    serve(versioned(1, { expires }));
    const [warns, refuses] = [start(), start("refuse")];
    for (const { follower } of [warns, refuses]) await follower.poll();
    expect(refuses.follower.status()).toMatchObject({ expires, expired: false });
    clock.nowMs += HOUR_MS;
    expect(warns.follower.status().expired).toBe(true);
    expect(() => {
      warns.follower.checkStale();
    }).not.toThrow();
    expect(() => {
      refuses.follower.checkStale();
    }).toThrow(expires);
  });

  it("is not used anew, by its tag or by a rollback, also where none was used before", async () => {
    const { serve, start, clock, fetched } = openRegistry("expired-new");
    const old = serve(versioned(1, { expires: "2020-01-01T00:00:00Z" }));
    const { follower, active } = start();
    for (let polls = 0; polls < 2; polls += 1) await follower.poll();
    expect(active()).toBeUndefined();
    expect(follower.status()).toMatchObject({ contactedAt: null, quarantined: [{ code: "BUNDLE_EXPIRED" }] });
    expect(fetched).toEqual([old]);
    const fresh = serve(versioned(2, { expires }));
    await follower.poll();
    serve(writeRollback({ version: 3, rollback: old }));
    await follower.poll();
    expect(active()).toBe(fresh);
    expect(follower.status().lastError).toContain("BUNDLE_EXPIRED");
    // The one in use decides on, also after a restart.
    clock.nowMs += HOUR_MS;
    serve(versioned(3, { expires: "2020-01-01T00:00:00Z" }));
    const again = start();
    await again.follower.poll();
    expect(again.active()).toBe(fresh);
    expect(again.follower.status()).toMatchObject({ expired: true, expires });
  });

  it("is named in each decision", async () => {
    const policy = await loadPolicy();
    const bundle = { ...policy, expires: 1 };
    const { decision } = admit(create(vm({ cpu: 2, memory: 4 })), context(bundle));
    expect(decision?.degraded).toContainEqual(expect.objectContaining({ code: "BUNDLE_EXPIRED" }));
    const { decision: fresh } = admit(create(vm({ cpu: 2, memory: 4 })), context(policy));
    expect(fresh?.degraded.map(({ code }) => code)).not.toContain("BUNDLE_EXPIRED");
  });
});

describe("15: the store of a bundle", () => {
  it("is not used if nobody who signed the bundle is trusted any more, until the registry's bundle is verified", async () => {
    const { serve, start, removed, forged } = openRegistry("removed-key");
    const digest = serve(versioned(1));
    const before = start();
    await before.follower.poll();
    expect(before.active()).toBe(digest);

    removed.add("key a");
    forged.add(digest);
    const refused = start();
    await refused.follower.poll();
    expect(refused.active()).toBeUndefined();
    expect(refused.events).toEqual(["bundle not used BUNDLE_SIGNATURE", "bundle not used BUNDLE_UNSIGNED"]);
    expect(refused.follower.status()).toMatchObject({ contactedAt: null, loaded: null });

    forged.delete(digest);
    await refused.follower.poll();
    expect(refused.active()).toBe(digest);
  });

  it("counts the version of its bundle if the file of the highest version is lost", async () => {
    const { serve, start } = openRegistry("lost-version");
    const newest = serve(versioned(2));
    await start().follower.poll();
    await rm(join(folder, "lost-version", "highest-version.json"));
    serve(versioned(1));
    const restarted = start();
    await restarted.follower.poll();
    expect(restarted.active()).toBe(newest);
    expect(restarted.follower.status().lastError).toContain("BUNDLE_OLDER");
  });
});
