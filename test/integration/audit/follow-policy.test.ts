import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { type FollowPolicyOptions, followPolicy } from "../../../src/audit/follow-policy.ts";
import { openStore } from "../../../src/bundle/bundle-store.ts";
import { TeamStrikes } from "../../../src/bundle/follow/team-strikes.ts";
import { type BundleSettings, defaultSettings } from "../../../src/bundle/read-settings.ts";
import { policyFile } from "../../support/load-policy.ts";
import { numbered } from "../../support/bundles/watched-bundle.ts";

let folder: string;
let ref: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-audit-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  ref = join(folder, "bundle.tar.gz");
  await copyFile(await policyFile(), ref);
});

async function follow(settings: BundleSettings, stored: Pick<FollowPolicyOptions, "storeOf"> = {}) {
  const events: [string, unknown][] = [];
  const registry = { plainHttp: true };
  const followed = await followPolicy({
    ref,
    settings,
    registry,
    strikes: new TeamStrikes(),
    ...stored,
    onEvent: (event, { code }) => events.push([event, code]),
  });
  onTestFinished(() => followed.stop());
  return { followed, events };
}

it("loads a new bundle on request, and the same one only once", async () => {
  const { followed } = await follow(defaultSettings("off"));
  const first = await followed.current();
  expect((await followed.current()).digest).toBe(first.digest);
  await writeFile(ref, await numbered(2));
  const second = await followed.current();
  expect(second.digest).not.toBe(first.digest);
  expect(second.zones).toContain("DE");
});

it("keeps the last good bundle, and reports the one that cannot be used once", async () => {
  const { followed, events } = await follow(defaultSettings("off"));
  const first = await followed.current();
  await writeFile(ref, "not a tarball");
  expect((await followed.current()).digest).toBe(first.digest);
  expect((await followed.current()).digest).toBe(first.digest);
  expect(events).toEqual([
    ["bundle without version or expiry", undefined],
    ["bundle not used", "BUNDLE_UNREADABLE"],
  ]);
  await rm(ref);
  expect((await followed.current()).digest).toBe(first.digest);
  expect(events.at(-1)).toEqual(["registry unavailable", "BUNDLE_REFERENCE"]);
});

it("rejects an unsigned bundle if signatures are required", async () => {
  const { followed, events } = await follow(defaultSettings("required"));
  await expect(followed.current()).rejects.toMatchObject({ code: "BUNDLE_NONE" });
  expect(events).toEqual([["bundle not used", "BUNDLE_UNSIGNED"]]);
});

it("goes on with the last good bundle after a restart, if the tag names one that cannot be used by then", async () => {
  const storeOf = (name: string | null) => openStore(join(folder, "store", name ?? ""));
  const before = await follow(defaultSettings("off"), { storeOf });
  const { digest } = await before.followed.current();
  await before.followed.stop();
  await writeFile(ref, "not a tarball");
  const { followed, events } = await follow(defaultSettings("off"), { storeOf });
  expect((await followed.current()).digest).toBe(digest);
  expect(events).toContainEqual(["bundle not used", "BUNDLE_UNREADABLE"]);
});

it("requires a required additional bundle, and continues without an optional one", async () => {
  const settings = defaultSettings("off");
  const { poll, stale } = settings.rollout;
  const missing = join(folder, "team.tar.gz");
  const team = (required: boolean): BundleSettings["others"][number] => ({
    ...{ name: "team", kind: "policy", ref: missing, required, poll, stale, packages: ["team"], trust: settings.trust },
  });
  await writeFile(missing, "not a tarball");
  const without = await follow({ ...settings, others: [team(false)] });
  await expect(without.followed.current()).resolves.toMatchObject({
    digest: expect.stringMatching(/^sha256:/) as string,
  });
  const required = await follow({ ...settings, others: [team(true)] });
  await expect(required.followed.current()).rejects.toMatchObject({
    code: "BUNDLE_REQUIRED",
    params: { name: "team" },
  });
});
