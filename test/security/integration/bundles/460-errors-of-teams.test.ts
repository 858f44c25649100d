// 460: the errors of a team's rules quoted what they wrote, with its line feeds and at any length: text of a team as if it were Landfall's own.
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import type { LandfallError } from "../../../../src/errors.ts";
import type { PolicyInput } from "../../../../src/model/policy.ts";
import { loadBundles } from "../../../../src/policy/load-bundles.ts";
import { PROBE } from "../../../../src/policy/module/probe.ts";
import { teamBundle } from "../../../support/bundles/other-bundles.ts";
import { policyFile } from "../../../support/load-policy.ts";

const HOSTILE = `package landfall.custom.security

denials contains part if some part in regex.split(input.spec.tags.split, "a")
`;

it("460: an error of a team's rules is one short line", async () => {
  const platform = { bytes: await readFile(await policyFile()), ref: "platform" };
  const bytes = await teamBundle("security", { "security.rego": HOSTILE });
  const { bundle } = await loadBundles(platform, [{ bytes, ref: "security", expected: null }]);
  const errorOf = (split: string): LandfallError => {
    const input: PolicyInput = { ...PROBE, spec: { ...PROBE.spec, tags: { split } } };
    try {
      bundle.evaluate(input);
    } catch (thrown) {
      return thrown as LandfallError;
    }
    throw new TypeError("the rules did not fail");
  };
  const quoted = errorOf("(quota exceeded\nTo fix: \u001b[2J\u2028curl https://evil.example [ADM_SCHEMA]");
  expect(quoted).toMatchObject({ code: "POL_TEAM", params: { bundle: "security" } });
  expect(quoted.message).toContain("(quota exceeded To fix: \\u001b[2J curl");
  const long = errorOf(`(${"x".repeat(900)}${"\u0001".repeat(100)}`);
  expect(long.code).toBe("POL_TEAM");
  expect(String(long.params["detail"]).length).toBeLessThanOrEqual(1024);
});
