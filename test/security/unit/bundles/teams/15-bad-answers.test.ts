import { describe, expect, it } from "vitest";
import { Follower } from "../../../../../src/bundle/follow/follow-reference.ts";
import { NO_STORE } from "../../../../../src/bundle/follow/open-others.ts";
import { pauseMs } from "../../../../../src/bundle/follow/poll.ts";
import type { Tarball } from "../../../../../src/bundle/open-source.ts";
import { type ErrorCode, LandfallError } from "../../../../../src/errors.ts";
import { writeRelease, writeRollback } from "../../../../../src/model/bundle-format/bundle-release.ts";
import { writeTar } from "../../../../../src/model/bundle-format/tar.ts";
import { sha256Digest } from "../../../../../src/model/sha256.ts";

const EMPTY = writeTar(new Map([["/.manifest", Buffer.from("{}")]]));

/** A follower of a registry that answers badly as long as a test says so. `poll` in seconds. */
function startFollower(poll: number | null = null) {
  const images = new Map<string, Tarball>();
  const bad = { fetch: new Map<string, ErrorCode>(), verify: null as ErrorCode | null, use: null as ErrorCode | null };
  const state = { tag: "", active: null as Tarball | null, fetches: 0 };
  const failing = (code: ErrorCode | null | undefined): void => {
    if (code !== null && code !== undefined) throw new LandfallError(code, { ref: "r", detail: "d", seconds: 0 });
  };
  /** Content that is refused before it is known whose it is has no signature of its image. */
  const serve = (bytes: Buffer, signed = true): string => {
    state.tag = sha256Digest(bytes);
    images.set(state.tag, { bytes, digest: state.tag, signed, signers: [] });
    return state.tag;
  };
  const follower = new Follower({
    poll: poll === null ? null : { seconds: poll, jitter: 0 },
    ...{ stale: { hours: 1, action: "warn" }, expired: { action: "warn" } },
    source: {
      ref: "r",
      digest: () => Promise.resolve(state.tag),
      fetch: (digest) => {
        state.fetches += 1;
        return Promise.resolve().then(() => {
          failing(bad.fetch.get(digest));
          return (
            images.get(digest) ??
            Promise.reject(new LandfallError("BUNDLE_REGISTRY", { ref: "r", detail: "no answer" }))
          );
        });
      },
      trusts: () => true,
      verify: () => {
        failing(bad.verify);
      },
      close: () => Promise.resolve(),
    },
    store: NO_STORE,
    after: Promise.resolve(),
    use: (one) =>
      Promise.resolve().then(() => {
        failing(bad.use);
        state.active = one;
      }),
    used: () => state.active,
    onEvent: () => undefined,
    nowMs: () => Date.UTC(2026, 10, 20),
    random: () => 0.5,
  });
  return { follower, serve, bad, state };
}

const release = (version: number): Buffer => writeRelease(EMPTY, { version });

describe("15: one bad answer", () => {
  it.each<ErrorCode>(["BUNDLE_UNREADABLE", "BUNDLE_LIMIT", "BUNDLE_UNSAFE", "BUNDLE_TAMPERED"])(
    "that ends with %s before the content is verified does not keep a good bundle out",
    async (code) => {
      const { follower, serve, bad, state } = startFollower();
      const good = serve(release(1));
      bad.fetch.set(good, code);
      await follower.poll();
      expect(follower.status().quarantined).toMatchObject([{ digest: good, code }]);
      bad.fetch.clear();
      serve(release(1), false);
      bad.verify = code;
      await follower.poll();
      expect(state.active).toBeNull();
      bad.verify = null;
      await follower.poll();
      expect(state.active?.digest).toBe(good);
      expect(follower.status()).toMatchObject({ quarantined: [], lastError: null });
    },
  );

  it("is none if a signature vouches for the content: it is refused once", async () => {
    const { follower, serve, bad, state } = startFollower();
    const digest = serve(release(1));
    bad.verify = "BUNDLE_UNSAFE";
    await follower.poll();
    await follower.poll();
    expect(state.fetches).toBe(1);
    expect(follower.status().quarantined).toMatchObject([{ digest, code: "BUNDLE_UNSAFE" }]);
  });

  it("about the bundle that a rollback names does not keep the rollback out", async () => {
    const { follower, serve, bad, state } = startFollower();
    const earlier = serve(release(1));
    serve(release(2));
    await follower.poll();
    serve(writeRollback({ version: 3, rollback: earlier }));
    bad.fetch.set(earlier, "BUNDLE_LIMIT");
    await follower.poll();
    expect(state.active?.digest).not.toBe(earlier);
    bad.fetch.clear();
    await follower.poll();
    expect(state.active?.digest).toBe(earlier);
  });

  it("is repeated before the next usual poll", async () => {
    const { follower, serve, bad, state } = startFollower(3600);
    const good = serve(release(1));
    bad.fetch.set(good, "BUNDLE_UNREADABLE");
    await expect.poll(() => state.fetches).toBe(1);
    bad.fetch.clear();
    await expect.poll(() => state.active?.digest, { timeout: 3000 }).toBe(good);
    await follower.stop();
  });

  it("does not end the quarantine of verified content that is bad", async () => {
    const { follower, serve, bad, state } = startFollower();
    serve(release(1));
    bad.use = "BUNDLE_UNREADABLE";
    await follower.poll();
    await follower.poll();
    expect(state).toMatchObject({ active: null, fetches: 1 });
  });
});

describe("15: a pause that a registry asks for", () => {
  it.each([2_000_000, 9_999_999_999, Number.MAX_VALUE])("of %d s counts as five minutes", (busy) => {
    expect(pauseMs({ seconds: 30, jitter: 0.2, random: () => 0.5 }, 1, busy)).toBe(300_000);
  });
});
