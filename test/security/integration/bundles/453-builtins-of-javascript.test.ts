// 453: builtins that run in JavaScript took memory and time of the process that all modules share, beyond the limits of a module.
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import type { PolicyInput } from "../../../../src/model/policy.ts";
import { loadBundles } from "../../../../src/policy/load-bundles.ts";
import { PROBE } from "../../../../src/policy/module/probe.ts";
import { teamBundle } from "../../../support/bundles/other-bundles.ts";
import { policyFile } from "../../../support/load-policy.ts";

const HOSTILE = `package landfall.custom.security

denials contains part if some part in regex.split("(a+)+$", input.spec.tags.split)

denials contains key if {
	some key in object.keys(yaml.unmarshal(input.spec.tags.yaml))
}
`;

it("453: the rules of a team that call them so deny in its name, and are asked again", async () => {
  const platform = { bytes: await readFile(await policyFile()), ref: "platform" };
  const bytes = await teamBundle("security", { "security.rego": HOSTILE });
  const { bundle } = await loadBundles(platform, [{ bytes, ref: "security", expected: null }]);
  const tagged = (tags: Record<string, string>): PolicyInput => ({ ...PROBE, spec: { ...PROBE.spec, tags } });
  const refused = (detail: string): Error =>
    expect.objectContaining({
      ...{ code: "POL_TEAM", params: { bundle: "security", detail: expect.stringContaining(detail) as string } },
    }) as Error;
  expect(() => bundle.evaluate(tagged({ split: `${"a".repeat(40)}b` }))).toThrow(refused("regex.split"));
  expect(() => bundle.evaluate(tagged({ yaml: "- a\n".repeat(20_000) }))).toThrow(refused("yaml.unmarshal"));
  const { denials } = bundle.evaluate(tagged({ split: "web", yaml: "b: 1" }));
  expect(denials.map(({ message }) => message)).toEqual(["b", "web"]);
});
