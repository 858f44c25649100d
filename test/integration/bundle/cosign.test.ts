import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pushBundle } from "../../../src/bundle/push-bundle.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { policyFile } from "../../support/load-policy.ts";
import { startRegistry, type TestRegistry } from "../../support/bundles/registry.ts";

const bin = fileURLToPath(new URL("../../../bin/landfall.js", import.meta.url));
let folder: string;
let cosign: string;
let registry: TestRegistry;
let ref: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-cosign-"));
  cosign = await toolPath("cosign");
  const crane = await toolPath("crane");
  registry = await startRegistry(crane);
  ref = (
    await pushBundle({
      crane,
      file: await policyFile(),
      ref: `${registry.host}/policies/landfall:one`,
      plainHttp: true,
    })
  ).ref;
});

afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true, force: true });
});

function run(program: string, args: readonly string[]): { code: number | null; text: string } {
  const env = { ...process.env, COSIGN_PASSWORD: "", TUF_ROOT: folder };
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", cwd: folder, env });
  return { code: status, text: stdout + stderr };
}

const landfall = (...args: string[]): ReturnType<typeof run> =>
  run(process.execPath, [bin, "bundle", ...args, "--plain-http"]);
const verifyByCosign = (key: string): ReturnType<typeof run> =>
  run(cosign, ["verify", "--key", key, "--insecure-ignore-tlog=true", "--allow-http-registry", ref]);
const signByCosign = (...more: string[]): ReturnType<typeof run> =>
  run(cosign, [
    ...["sign", "--key", "cosign.key", "--tlog-upload=false", "--use-signing-config=false"],
    ...["--allow-http-registry", "-y", ...more, ref],
  ]);

describe("signatures and the real cosign", () => {
  it("verifies our signature, but not with another key", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    await writeFile(join(folder, "ours.key"), privateKey.export({ type: "pkcs8", format: "pem" }));
    await writeFile(join(folder, "ours.pub"), publicKey.export({ type: "spki", format: "pem" }));
    const { publicKey: other } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    await writeFile(join(folder, "other.pub"), other.export({ type: "spki", format: "pem" }));
    expect(verifyByCosign("ours.pub").code).not.toBe(0);
    expect(landfall("sign", ref, "--key", "ours.key")).toEqual({ code: 0, text: `${ref}\n` });
    expect(verifyByCosign("ours.pub")).toMatchObject({ code: 0 });
    expect(verifyByCosign("other.pub").code).not.toBe(0);
  });

  it("makes signatures that we verify, as a sigstore bundle and in the older format", () => {
    expect(run(cosign, ["generate-key-pair"]).code).toBe(0);
    expect(landfall("verify", ref, "--key", "cosign.pub").text).toContain("BUNDLE_SIGNATURE");
    expect(signByCosign()).toMatchObject({ code: 0 });
    expect(landfall("verify", ref, "--key", "cosign.pub")).toMatchObject({ code: 0 });
    expect(run(cosign, ["generate-key-pair", "--output-key-prefix", "old"]).code).toBe(0);
    expect(landfall("verify", ref, "--key", "old.pub").text).toContain("BUNDLE_SIGNATURE");
    const old = signByCosign("--new-bundle-format=false", "--key", "old.key");
    expect(old).toMatchObject({ code: 0 });
    expect(landfall("verify", ref, "--key", "old.pub")).toMatchObject({ code: 0 });
  });
});
