import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testPolicies } from "../../../../src/bundle/test-policies.ts";
import { writeTar } from "../../../../src/model/bundle-format/tar.ts";
import { toolPath } from "../../../../src/toolchain/tool-path.ts";

const capabilities = new URL("../../../../policies/capabilities.json", import.meta.url).pathname;
let source: string;

beforeEach(async () => {
  source = join(await mkdtemp(join(tmpdir(), "landfall-sources-")), "policies");
  await mkdir(source);
  await writeFile(join(source, "own.rego"), "package own\n\nyes := true\n");
});
afterEach(() => rm(join(source, ".."), { recursive: true, force: true }));

const test = async () => testPolicies({ opa: await toolPath("opa"), source, capabilities });

/** Puts a test into an archive among the sources: opa loads it as a bundle. */
async function addArchive(rule: string): Promise<void> {
  const rego = `package hidden\n\ntest_it if ${rule}\n`;
  await writeFile(
    join(source, "fixtures.tar.gz"),
    writeTar(new Map([["/hidden/hidden_test.rego", Buffer.from(rego)]])),
  );
}

describe("25: policy sources of others", () => {
  it.each([
    ["read the environment", `opa.runtime().env.PATH != ""`, "opa.runtime"],
    ["send requests", `http.send({"method": "GET", "url": "http://127.0.0.1:9"})`, "http.send"],
  ])("do not %s from an archive that opa's check does not read", async (_name, rule, builtin) => {
    await addArchive(rule);
    await expect(test()).rejects.toMatchObject({
      code: "BUNDLE_TEST",
      params: { detail: expect.stringContaining(builtin) as string },
    });
  });

  it("are tested with what the runtime can do", async () => {
    await addArchive("1 + 1 == 2");
    await expect(test()).resolves.toBeUndefined();
  });
});
