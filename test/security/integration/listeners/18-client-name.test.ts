import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runProcess } from "../../../support/processes/run-process.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-client-name-"));
  await writeFile(join(folder, "ca.pem"), "");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("18: a webhook that could sign decisions for every client of a CA", () => {
  it.each([
    ["without --client-name", [], "needs --client-ca and --client-name", "ADM_DOOR"],
    ["with an empty --client-name", ["--client-name", ""], "expected a text that is not empty", "[CLI_USAGE]"],
    ["with a CA for a door that may use one", ["--door", "auto"], "without the other", "ADM_DOOR"],
  ])("does not start %s", async (_, more, told, named) => {
    const needed = ["--bundle", "none.tar.gz", "--data-dir", join(folder, "data")];
    const args = [...needed, "--client-ca", join(folder, "ca.pem"), "--kubeconfig", "/none", ...more];
    const { code, out, err } = await runProcess("webhook/main.ts", args);
    expect(code).toBeGreaterThan(0);
    expect(out + err).toContain(told);
    expect(out + err).toContain(named);
  });
});
