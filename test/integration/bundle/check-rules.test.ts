import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkRules } from "../../../src/bundle/check-rules.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";

let source: string;

beforeEach(async () => {
  source = await mkdtemp(join(tmpdir(), "landfall-rules-"));
});
afterEach(() => rm(source, { recursive: true, force: true }));

const write = async (name: string, rules: string): Promise<void> =>
  writeFile(join(source, `${name}.rego`), `package landfall.custom.${name}\n\n${rules}\n`);

const check = async (): Promise<void> => checkRules(await toolPath("opa"), source);

const DENY = 'deny contains "no arm" if input.spec.arch == "arm64"';

describe("rules that a platform adds", () => {
  it("are refused where no decision reads any of them", async () => {
    await write("no_arm", DENY);
    await expect(check()).rejects.toMatchObject({
      code: "BUNDLE_BUILD",
      params: {
        detail:
          "package landfall.custom.no_arm defines deny, and no decision reads it: write denials, warnings, refused (docs/guides/policy-authors.md)",
      },
    });
  });

  it.each(["deny", "denials_", "warn"])(
    "are refused where %s stands beside one that is read, and nothing uses it",
    async (rule) => {
      const other = 'refused contains "aws/eu-west-3" if input.spec.arch == "arm64"';
      await write("no_arm", `${other}\n\n${DENY.replace("deny", rule)}`);
      const meant = rule === "warn" ? "warnings" : "denials";
      await expect(check()).rejects.toMatchObject({
        params: {
          detail: `no decision reads ${rule} of package landfall.custom.no_arm, and no rule uses it: write ${meant}`,
        },
      });
    },
  );

  it("may have helpers beside one that is read, and in a package of their own", async () => {
    await write("no_arm", `import data.landfall.custom.lib\n\n${DENY}\n\ndenials contains one if some one in deny\n`);
    await write("lib", "is_arm if input.spec.arch == lib_arch\n\nlib_arch := data.landfall.arch");
    await expect(check()).resolves.toBeUndefined();
  });
});
