import { describe, expect, it } from "vitest";
import { NO_STORE } from "../../../../../src/bundle/follow/open-others.ts";
import { Follower } from "../../../../../src/bundle/follow/follow-reference.ts";
import type { Tarball } from "../../../../../src/bundle/open-source.ts";
import { type ErrorCode, LandfallError } from "../../../../../src/errors.ts";
import { writeTar } from "../../../../../src/model/bundle-format/tar.ts";
import { HOUR_MS } from "../../../../../src/model/time.ts";

const tarball = (digest: string): Tarball => ({
  bytes: writeTar(new Map([["/.manifest", Buffer.from("{}")]])),
  digest,
  signed: true,
  signers: [],
});

/** A follower of a registry whose answers a test sets. */
function startFollower() {
  const answers = { digest: "sha256:a", digestFails: false, fetchFails: null as ErrorCode | null };
  const loads = { fails: null as ErrorCode | null };
  const clock = { nowMs: Date.UTC(2026, 10, 20) };
  let active: Tarball | null = null;
  const fail = (code: ErrorCode): Promise<never> => Promise.reject(new LandfallError(code, { ref: "r", detail: "d" }));
  const follower = new Follower({
    poll: null,
    stale: { hours: 1, action: "refuse" },
    expired: { action: "warn" },
    source: {
      ref: "r",
      digest: () => (answers.digestFails ? fail("BUNDLE_REGISTRY") : Promise.resolve(answers.digest)),
      fetch: (digest) => (answers.fetchFails === null ? Promise.resolve(tarball(digest)) : fail(answers.fetchFails)),
      trusts: () => true,
      verify: () => undefined,
      close: () => Promise.resolve(),
    },
    store: NO_STORE,
    after: Promise.resolve(),
    use: async (one) => {
      if (loads.fails !== null) await fail(loads.fails);
      active = one;
    },
    used: () => active,
    onEvent: () => undefined,
    nowMs: () => clock.nowMs,
    random: () => 0.5,
  });
  return { follower, answers, loads, clock };
}

/** A follower whose bundle was confirmed two hours ago. */
async function staleFollower(): Promise<ReturnType<typeof startFollower>> {
  const started = startFollower();
  await started.follower.poll();
  started.clock.nowMs += 2 * HOUR_MS;
  return started;
}

describe("15: the age of the active bundle begins again", () => {
  it("with the digest of the active bundle", async () => {
    const { follower, clock } = await staleFollower();
    expect(follower.status().stale).toBe(true);
    await follower.poll();
    expect(follower.status()).toMatchObject({ stale: false, contactedAt: new Date(clock.nowMs).toISOString() });
  });

  it("with a signed bundle, also if it cannot be used", async () => {
    const { follower, answers, loads, clock } = await staleFollower();
    Object.assign(answers, { digest: "sha256:b" });
    loads.fails = "BUNDLE_UNREADABLE";
    await follower.poll();
    expect(follower.status().stale).toBe(false);
    // It is in quarantine now, and not fetched again.
    clock.nowMs += 2 * HOUR_MS;
    await follower.poll();
    expect(follower.status().stale).toBe(false);
  });
});

describe("15: the age of the active bundle goes on", () => {
  it("with an error", async () => {
    const { follower, answers } = await staleFollower();
    answers.digestFails = true;
    await follower.poll();
    expect(follower.status()).toMatchObject({ stale: true, contactedAt: "2026-11-20T00:00:00.000Z" });
  });

  it.each<ErrorCode>(["BUNDLE_UNSIGNED", "BUNDLE_SIGNATURE", "BUNDLE_TAMPERED", "BUNDLE_LIMIT", "BUNDLE_REGISTRY"])(
    "with an image that ends with %s",
    async (code) => {
      const { follower, answers, clock } = await staleFollower();
      Object.assign(answers, { digest: "sha256:b", fetchFails: code });
      await follower.poll();
      clock.nowMs += 1;
      await follower.poll();
      expect(follower.status()).toMatchObject({ stale: true, contactedAt: "2026-11-20T00:00:00.000Z" });
      expect(() => {
        follower.checkStale();
      }).toThrow("unavailable for 2 hours");
    },
  );

  it("with a tarball whose own signature is not valid", async () => {
    const { follower, answers, loads } = await staleFollower();
    Object.assign(answers, { digest: "sha256:b" });
    loads.fails = "BUNDLE_SIGNATURE";
    await follower.poll();
    expect(follower.status().stale).toBe(true);
  });
});
