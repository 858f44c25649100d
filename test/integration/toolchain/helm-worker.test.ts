import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("../../../tools/helm-worker", import.meta.url));
// As src/toolchain/go-build.ts builds it, so that both share what Go has compiled.
const env = { ...process.env, GOWORK: "off", GOFLAGS: "-mod=readonly -trimpath -vet=off", CGO_ENABLED: "0" };

test("the worker's own tests pass", { timeout: 600_000 }, async () => {
  const { stdout } = await promisify(execFile)("go", ["test", "./..."], { cwd: folder, env });
  expect(stdout).toMatch(/^ok\s+landfall\.dev\/tools\/helm-worker/);
});
