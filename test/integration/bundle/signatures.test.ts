import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { fetchVerified, readVerified } from "../../../src/bundle/fetch-verified.ts";
import { pushBundle, type PushedBundle } from "../../../src/bundle/push-bundle.ts";
import { readSettings } from "../../../src/bundle/read-settings.ts";
import { fetchImage } from "../../../src/bundle/registry/fetch-image.ts";
import { openRegistry, type Registry } from "../../../src/bundle/registry/open-registry.ts";
import { parseReference } from "../../../src/bundle/registry/parse-reference.ts";
import { runProgram } from "../../../src/bundle/run-program.ts";
import { signBundleFiles } from "../../../src/bundle/signature/sign-bundle-files.ts";
import { signImage } from "../../../src/bundle/signature/sign-image.ts";
import type { SignatureMode, Trust } from "../../../src/bundle/signature/trust.ts";
import type { ErrorCode } from "../../../src/errors.ts";
import { readTar, writeTar } from "../../../src/model/bundle-format/tar.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { policyFile } from "../../support/load-policy.ts";
import {
  type FaultyRegistry,
  startFaultyRegistry,
  startRegistry,
  type TestRegistry,
} from "../../support/bundles/registry.ts";

const ours = generateKeyPairSync("ec", { namedCurve: "P-256" });
const others = generateKeyPairSync("rsa", { modulusLength: 2048 });
const trust = (mode: SignatureMode = "required", ...keys: KeyObject[]): Trust => ({
  mode,
  keys: keys.length === 0 ? [ours.publicKey] : keys,
  identities: [],
  root: null,
});

let folder: string;
let crane: string;
let registry: TestRegistry;
let door: FaultyRegistry;
let client: Registry;
let number = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-signatures-"));
  crane = await toolPath("crane");
  registry = await startRegistry(crane);
  door = await startFaultyRegistry(registry.host);
  client = await openRegistry({ plainHttp: true });
});

afterEach(() => {
  door.fault = null;
});

afterAll(async () => {
  await client.close();
  await Promise.all([door.close(), registry.close()]);
  await rm(folder, { recursive: true, force: true });
});

const reference = () => parseReference(`${door.host}/policies/signed:latest`);

/** A new image under the tag `latest`, signed by these keys. */
async function push(...keys: KeyObject[]): Promise<PushedBundle> {
  const file = join(folder, "bundle.tar.gz");
  await writeFile(file, writeTar(new Map([["/data.json", Buffer.from(`{"number": ${String(number++)}}`)]])));
  const pushed = await pushBundle({ crane, file, ref: `${registry.host}/policies/signed:latest`, plainHttp: true });
  for (const key of keys) await signImage({ crane, plainHttp: true }, parseReference(pushed.ref), pushed, key);
  return pushed;
}

const verified = ({ digest }: PushedBundle, by: Trust = trust()) => fetchVerified(client, reference(), digest, by);

describe("a signature of an image", () => {
  it("is reported with the trusted key's name", async () => {
    const { signers } = await verified(await push(ours.privateKey));
    expect(signers).toEqual([expect.stringMatching(/^key sha256:[0-9a-f]{64}$/)]);
  });

  it("is sufficient from one of several keys, also with RSA", async () => {
    const pushed = await push(others.privateKey, ours.privateKey);
    expect((await verified(pushed)).signers).toHaveLength(1);
    expect((await verified(pushed, trust("required", others.publicKey))).signers).toHaveLength(1);
  });

  it("has different codes if it is missing, wrong, or for other bytes", async () => {
    await expect(verified(await push())).rejects.toMatchObject({ code: "BUNDLE_UNSIGNED" });
    await expect(verified(await push(others.privateKey))).rejects.toMatchObject({ code: "BUNDLE_SIGNATURE" });
    const good = await push(ours.privateKey);
    const image = await fetchImage(client, { ...reference(), version: good.digest });
    door.fault = ({ url = "" }, response) =>
      url.endsWith(`blobs/${image?.layers[0]?.digest ?? ""}`) && Boolean(response.writeHead(200).end("tampered"));
    await expect(verified(good)).rejects.toMatchObject({ code: "BUNDLE_TAMPERED" });
  });

  it("of another image is rejected after copying", async () => {
    const signed = await push(ours.privateKey);
    const unsigned = await push();
    door.fault = (request) => {
      request.url = request.url?.replace(unsigned.digest.replace(":", "-"), signed.digest.replace(":", "-")) ?? "";
      return false;
    };
    const failure = verified(unsigned);
    await expect(failure).rejects.toMatchObject({ code: "BUNDLE_SIGNATURE" });
    await expect(failure).rejects.toThrow("not about this image");
  });

  it("is not valid for the digest that the tag moves to", async () => {
    await push(ours.privateKey);
    await push();
    const moved = await fetchImage(client, reference());
    await expect(fetchVerified(client, reference(), moved?.digest ?? "", trust())).rejects.toMatchObject({
      code: "BUNDLE_UNSIGNED",
    });
  });

  it("is also found through the registry's referrers API", async () => {
    const signed = await push(ours.privateKey);
    const tag = signed.digest.replace(":", "-");
    let asked = 0;
    door.fault = (request) => {
      if (request.url?.includes("/referrers/") === true) {
        asked += 1;
        request.url = request.url.replace(/referrers\/.*/, `manifests/${tag}`);
      }
      return false;
    };
    expect((await verified(signed)).signers).toHaveLength(1);
    expect(asked).toBe(1);
  });

  it.each<[SignatureMode, ErrorCode | null, ErrorCode | null]>([
    ["required", "BUNDLE_UNSIGNED", "BUNDLE_SIGNATURE"],
    ["optional", null, "BUNDLE_SIGNATURE"],
    ["off", null, null],
  ])("%s: none gives %s, a bad one %s", async (mode, none, bad) => {
    for (const [keys, code] of [
      [[], none],
      [[others.privateKey], bad],
    ] as [KeyObject[], ErrorCode | null][]) {
      const outcome = await verified(await push(...keys), trust(mode)).then(
        () => null,
        (thrown: unknown) => (thrown as { code: string }).code,
      );
      expect(outcome).toBe(code);
    }
  });

  it("is not made with a key that cosign cannot verify", async () => {
    const { privateKey } = generateKeyPairSync("ed25519");
    await expect(push(privateKey)).rejects.toMatchObject({ code: "BUNDLE_KEY" });
  });
});

describe("opa's own .signatures.json", () => {
  const file = (): string => join(folder, "files.tar.gz");

  it.each([
    ["ECDSA", ours, "ES256"],
    ["RSA", others, "RS256"],
  ] as const)("by an %s key is good for us and for the real opa", async (_, pair, algorithm) => {
    await writeFile(file(), signBundleFiles(await readFile(await policyFile()), pair.privateKey));
    expect((await readVerified(file(), trust("required", pair.publicKey))).signers).toHaveLength(1);
    const key = join(folder, "opa.pub");
    await writeFile(key, pair.publicKey.export({ type: "spki", format: "pem" }));
    const args = ["build", "--bundle", file(), "--verification-key", key, "--signing-alg", algorithm];
    const { code, stderr } = await runProgram(await toolPath("opa"), [...args, "-o", join(folder, "out.tar.gz")]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("is accepted if the real opa made it", async () => {
    const key = join(folder, "opa.key");
    await writeFile(key, ours.privateKey.export({ type: "pkcs8", format: "pem" }));
    const args = ["sign", "--signing-key", key, "--signing-alg", "ES256", "--bundle", await policyFile()];
    const { code } = await runProgram(await toolPath("opa"), [...args, "--output-file-path", folder]);
    expect(code).toBe(0);
    const files = readTar(await readFile(await policyFile()));
    files.set(".signatures.json", await readFile(join(folder, ".signatures.json")));
    await writeFile(file(), writeTar(files));
    expect((await readVerified(file(), trust())).signers).toHaveLength(1);
  });

  it.each<[string, (files: Map<string, Buffer>) => unknown, ErrorCode, string]>([
    ["a changed policy", (files) => files.set("landfall/main.rego", Buffer.from("x")), "BUNDLE_TAMPERED", "main.rego"],
    ["changed data", (files) => files.set("data.json", Buffer.from("{}")), "BUNDLE_TAMPERED", "data.json"],
    ["an added file", (files) => files.set("more.rego", Buffer.from("x")), "BUNDLE_TAMPERED", "more.rego"],
    ["a file that is gone", (files) => files.delete("policy.wasm"), "BUNDLE_TAMPERED", "policy.wasm was signed"],
    ["no signature", (files) => files.delete(".signatures.json"), "BUNDLE_UNSIGNED", "has no signature"],
    ["signatures that are none", (files) => files.set(".signatures.json", Buffer.from("[")), "BUNDLE_TAMPERED", "JSON"],
    ["an empty token", (files) => files.set(".signatures.json", Buffer.from("{}")), "BUNDLE_TAMPERED", "JSON"],
  ])("%s is refused", async (_, change, code, text) => {
    const files = readTar(signBundleFiles(await readFile(await policyFile()), ours.privateKey));
    change(files);
    await writeFile(file(), writeTar(files));
    const failure = readVerified(file(), trust());
    await expect(failure).rejects.toMatchObject({ code });
    await expect(failure).rejects.toThrow(text);
  });

  it("is rejected with a different code if another key made it", async () => {
    await writeFile(file(), signBundleFiles(await readFile(await policyFile()), others.privateKey));
    await expect(readVerified(file(), trust())).rejects.toMatchObject({ code: "BUNDLE_SIGNATURE" });
  });
});

describe("the settings", () => {
  const settings = async (text: string): ReturnType<typeof readSettings> => {
    const file = join(folder, "settings.yaml");
    await writeFile(join(folder, "ours.pub"), ours.publicKey.export({ type: "spki", format: "pem" }));
    await writeFile(file, text);
    return readSettings(file);
  };

  it("have defaults, and can name keys next to them", async () => {
    expect(await settings("keys: [ours.pub]")).toMatchObject({
      trust: { mode: "required", keys: [expect.objectContaining({ type: "public" })], identities: [], root: null },
      rollout: { poll: { seconds: 30, jitter: 0.2 }, canary: { share: 0.2 }, stale: { hours: 24, action: "warn" } },
    });
  });

  it.each([
    ["nobody who is trusted", "{}", "BUNDLE_SETTINGS", "no trusted key or identity"],
    ["an unknown field", "signature: off", "BUNDLE_SETTINGS", "signature"],
    ["an unknown mode", "signatures: maybe", "BUNDLE_SETTINGS", 'signatures "maybe" is not one of'],
    ["a pause of none", "{signatures: 'off', poll: {seconds: 0}}", "BUNDLE_SETTINGS", "poll.seconds 0"],
    ["broken YAML", "a: [", "BUNDLE_SETTINGS", "settings.yaml"],
    ["a key that is not there", "keys: [none.pub]", "BUNDLE_KEY", "none.pub"],
    ["a key that is none", "keys: [settings.yaml]", "BUNDLE_KEY", "settings.yaml"],
    ["a trust root that is none", "{keys: [ours.pub], trustRoot: ours.pub}", "BUNDLE_SETTINGS", "ours.pub"],
  ])("are refused with %s", async (_, text, code, detail) => {
    const failure = settings(text);
    await expect(failure).rejects.toMatchObject({ code });
    await expect(failure).rejects.toThrow(detail);
  });
});
