import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { startRegistry, type TestRegistry } from "../../support/bundles/registry.ts";

const bin = fileURLToPath(new URL("../../../bin/landfall.js", import.meta.url));
const EXAMPLE = fileURLToPath(new URL("../../../examples/08-when-it-is-green.yaml", import.meta.url));
const NOWHERE = `sha256:${"0".repeat(64)}`;
let folder: string;
let registry: TestRegistry;
let tag: string;
/** Digests of the images with versions 1 and 2. */
let [first, second] = ["", ""];

interface Ran {
  code: number | undefined;
  out: string;
  err: string;
}

async function landfall(...args: string[]): Promise<Ran> {
  const options = { cwd: folder, reject: false, stdin: "ignore" } as const;
  const { exitCode, stdout, stderr } = await execa(process.execPath, [bin, ...args], options);
  return { code: exitCode, out: stdout, err: stderr };
}

const bundle = (...args: string[]): Promise<Ran> => landfall("bundle", ...args);
const digestIn = (out: string): string => /sha256:[0-9a-f]{64}/.exec(out)?.[0] ?? "";
const plain = "--plain-http";

async function writeKey(name: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  await writeFile(join(folder, `${name}.key`), privateKey.export({ type: "pkcs8", format: "pem" }));
  await writeFile(join(folder, `${name}.pub`), publicKey.export({ type: "spki", format: "pem" }));
}

async function pushVersion(version: number, ...key: string[]): Promise<string> {
  const file = `v${String(version)}.tar.gz`;
  const release = ["--version", String(version), "--expires", "90d"];
  expect(await bundle("build", "--no-test", "--out", file, ...release)).toMatchObject({ code: 0 });
  const pushed = await bundle("push", file, tag, plain, ...key);
  expect(pushed).toMatchObject({ code: 0 });
  return digestIn(pushed.out);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-cli-rollback-"));
  registry = await startRegistry(await toolPath("crane"));
  tag = `${registry.host}/policies/landfall:1.0`;
  await writeKey("own");
  await writeKey("other");
  first = await pushVersion(1, "--key", "own.key");
  second = await pushVersion(2, "--key", "own.key");
}, 120_000);

afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true, force: true });
});

/** The digest of an image that refers to the first bundle: its signature. */
async function signatureImage(): Promise<string> {
  // The fallback of registries without a list of referrers.
  const listed = await fetch(`http://${registry.host}/v2/policies/landfall/manifests/${first.replace(":", "-")}`);
  const { manifests } = (await listed.json()) as { manifests: { digest: string }[] };
  return manifests[0]?.digest ?? "";
}

const current = async (): Promise<string> =>
  digestIn((await bundle("pull", tag, plain, "--out", "current.tar.gz")).out);

describe("a rollback that webhooks would refuse moves no tag:", () => {
  it.each<[string, () => string[] | Promise<string[]>, string[]]>([
    [
      "an image that is not there",
      () => ["--to", NOWHERE, "--version", "3"],
      [`policies/landfall@${NOWHERE}: the repository has no such image`, "[BUNDLE_ROLLBACK]", "bundle rollback --to"],
    ],
    [
      "an image that is no bundle",
      async () => ["--to", await signatureImage(), "--version", "3"],
      ["the image has no single layer", "[BUNDLE_ROLLBACK]"],
    ],
    [
      "a version that is not above the tag's",
      () => ["--to", first, "--version", "1"],
      [`the bundle at`, "has version 2", "--version 3", "[BUNDLE_NOT_NEWER]"],
    ],
    [
      "an image without a signature, where the rollback is signed",
      async () => {
        const file = ["--out", "u.tar.gz", "--version", "1", "--revision", "unsigned"];
        expect((await bundle("build", "--no-test", ...file)).code).toBe(0);
        const pushed = await bundle("push", "u.tar.gz", tag.replace(":1.0", ":unsigned"), plain);
        return ["--to", digestIn(pushed.out), "--version", "3", "--key", "own.key"];
      },
      ["has no signature", "[BUNDLE_UNSIGNED]"],
    ],
  ])("%s", async (_, args, texts) => {
    const before = await current();
    const { code, err } = await bundle("rollback", tag, plain, ...(await args()));
    for (const text of texts) expect(err).toContain(text);
    expect(code).toBe(2);
    expect(await current()).toBe(before);
  });
});

describe("a push of an earlier version", () => {
  it("is refused with the number to write, and passes with --force", async () => {
    const refused = await bundle("push", "v1.tar.gz", tag, plain, "--key", "own.key");
    expect(refused.err).toMatch(/has version 2, and webhooks that used it refuse 1.*--version 3.*\[BUNDLE_NOT_NEWER\]/);
    expect(refused.code).toBe(2);
    expect((await bundle("push", "v1.tar.gz", tag, plain, "--key", "own.key", "--force")).code).toBe(0);
    // The same bundle again is no earlier one.
    for (const file of ["v2.tar.gz", "v2.tar.gz"])
      expect(await bundle("push", file, tag, plain, "--key", "own.key")).toMatchObject({ code: 0, err: "" });
  });
});

describe("after a rollback", () => {
  beforeAll(async () => {
    const to = ["--to", first, "--version", "3", "--expires", "2099-01-01T00:00:00Z", "--key", "own.key"];
    expect(await bundle("rollback", tag, plain, ...to)).toMatchObject({ code: 0, err: "" });
  });

  it("inspect shows its version, expiry and target, and the target's content", async () => {
    const { code, out } = await bundle("inspect", tag, plain);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^rollback +to ${first}\n  version +3\n  expires +2099-01-01T00:00:00Z\n`));
    expect(out).toMatch(/\nversion +1\n/);
    const value = JSON.parse((await bundle("inspect", tag, plain, "-o", "json")).out) as unknown;
    const rollback = { version: 3, expires: "2099-01-01T00:00:00Z", channel: null };
    expect(value).toMatchObject({ kind: "platform", version: 1, image: first, rollback });
  });

  it("diff and impact read the bundle that it goes back to, and say so", async () => {
    const image = `${tag.replace(/:1\.0$/, "")}@${first}`;
    const same = await bundle("diff", tag, image, plain);
    expect(same).toMatchObject({ code: 0, out: expect.not.stringContaining("\n~") as string });
    expect(same.err).toContain(`is a rollback with version 3: its bundle is ${first}`);
    const impact = await landfall("impact", "--bundle", tag, "--against", image, plain, "--dir", EXAMPLE);
    expect(impact.err).toContain(`its bundle is ${first}`);
    expect(impact.code).toBe(0);
  });

  it("verify also verifies the bundle that it goes back to", async () => {
    const { out, code } = await bundle("verify", tag, plain, "--key", "own.pub");
    expect(out).toMatch(new RegExp(`\na rollback to ${first}\n  tarball sha256:.*\n  signed by `));
    expect(code).toBe(0);
    expect((await bundle("rollback", tag, plain, "--to", second, "--version", "4", "--key", "other.key")).err).toMatch(
      /other\.key did not sign the earlier image, so webhooks use it only if they trust its signer/,
    );
    const wrong = await bundle("verify", tag, plain, "--key", "other.pub");
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining(`@${second}`) as string });
    expect((await bundle("verify", tag, plain, "--key", "own.pub", "--key", "other.pub")).code).toBe(0);
  });

  it("a tarball of it says which image to name", async () => {
    expect((await bundle("pull", tag, plain, "--out", "r.tar.gz")).code).toBe(0);
    const { err } = await bundle("inspect", "r.tar.gz");
    expect(err).toContain(`r.tar.gz is a rollback to ${second}`);
    expect(err).toContain(`REGISTRY/REPOSITORY@${second}`);
  });
});
