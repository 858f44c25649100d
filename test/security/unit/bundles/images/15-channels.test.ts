import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Follower } from "../../../../../src/bundle/follow/follow-reference.ts";
import { NO_STORE } from "../../../../../src/bundle/follow/open-others.ts";
import { openSource, type Tarball } from "../../../../../src/bundle/open-source.ts";
import { readSettings } from "../../../../../src/bundle/read-settings.ts";
import { signBundleFiles } from "../../../../../src/bundle/signature/sign-bundle-files.ts";
import { writeRelease } from "../../../../../src/model/bundle-format/bundle-release.ts";
import { writeTar } from "../../../../../src/model/bundle-format/tar.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-channels-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const EMPTY = writeTar(new Map([["/.manifest", Buffer.from(`{"revision":"r"}`)]]));

it("15: a bundle that was signed for another channel is not used, and one without a channel with a warning", async () => {
  await writeFile(join(folder, "key.pub"), publicKey.export({ type: "spki", format: "pem" }));
  await writeFile(join(folder, "settings.yaml"), "keys: [key.pub]\nchannel: prod\n");
  const { trust } = await readSettings(join(folder, "settings.yaml"));
  const file = join(folder, "bundle.tar.gz");
  const serve = (version: number, channel: object): Promise<void> =>
    writeFile(
      file,
      signBundleFiles(writeRelease(EMPTY, { version, expires: "2099-01-01T00:00:00Z", ...channel }), privateKey),
    );
  await serve(1, {});
  let active: Tarball | null = null;
  const events: string[] = [];
  const follower = new Follower({
    ...{ poll: null, stale: { hours: 1, action: "warn" }, expired: { action: "warn" }, after: Promise.resolve() },
    source: await openSource(file, {}, trust),
    store: NO_STORE,
    use: (one) => Promise.resolve().then(() => void (active = one)),
    used: () => active,
    onEvent: (event) => void events.push(event),
    nowMs: () => Date.UTC(2026, 10, 20),
    random: () => 0.5,
  });
  await follower.poll();
  expect(events).toEqual(["bundle without channel"]);
  await serve(2, { channel: "dev" });
  await follower.poll();
  expect(follower.status()).toMatchObject({ version: 1, quarantined: [{ code: "BUNDLE_CHANNEL" }] });
  await serve(3, { channel: "prod" });
  await follower.poll();
  expect(follower.status()).toMatchObject({ version: 3, lastError: null });
  expect(events).toEqual(["bundle without channel", "bundle not used"]);
});
