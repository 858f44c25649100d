import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import { loadApart } from "../../../../src/console/bundles/load-apart.ts";
import { LandfallError } from "../../../../src/errors.ts";
import { NOW, vm } from "../../../support/admission.ts";
import { moduleBundle } from "../../../support/bundles/hostile-module.ts";
import { teamBundle } from "../../../support/bundles/other-bundles.ts";
import { policyFile } from "../../../support/load-policy.ts";

/** Opens the platform's bundle with that of a team. */
async function openWith(bytes: Buffer, { name = "slow", required = false } = {}) {
  const ref = await policyFile();
  const omitted: string[] = [];
  const { bundle } = await loadApart(
    { bytes: await readFile(ref), ref },
    [{ bytes, ref: "team.tar.gz", expected: { name, kind: "policy" } }],
    { required: new Set(required ? [name] : []), omitted: (team) => omitted.push(team) },
  );
  return { bundle, omitted };
}

const NONE = moduleBundle("slow", Buffer.from("0061736d01000000", "hex"));

it("342: the console starts without an optional bundle that cannot be loaded", async () => {
  const { bundle, omitted } = await openWith(NONE);
  expect([bundle.others, omitted]).toEqual([[], ["slow"]]);
  expect((await openWith(NONE, { name: "other" })).omitted).toEqual(["other"]);
});

it("342: it does not start without a required one", async () => {
  await expect(openWith(NONE, { required: true })).rejects.toThrow(LandfallError);
});

const SLOW = `package landfall.custom.slow
denials contains denial if {
	input.metadata.labels.slow == "yes"
	long := concat("", [c | some _ in numbers.range(1, 2000); c := "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"])
	needle := concat("", [c | some k in numbers.range(1, 20); c := "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"])
	some i in numbers.range(1, 900)
	contains(long, sprintf("%sb%d", [needle, i]))
	denial := {"code": "X", "message": "x"}
}
`;

it("343: a team whose rules take too long is asked once, and named as missing", async () => {
  const { bundle, omitted } = await openWith(await teamBundle("slow", { "a.rego": SLOW }));
  expect([bundle.others.map(({ name }) => name), bundle.absent, omitted]).toEqual([["slow"], [], []]);
  const object = vm({ cpu: 1, memory: 1 }, { name: "x", namespace: "demo", labels: { slow: "yes" } });
  const namespace = { name: "demo", labels: {}, annotations: {} };
  const decide = () =>
    decideAlone({
      ...{ kind: "VmTemplate", object, namespace, policy: bundle, nowSeconds: NOW, operation: "CREATE" },
      relatedWorkloads: null,
    });
  expect(decide().allowed).toBe(true);
  expect([bundle.others, bundle.absent, omitted]).toEqual([[], ["slow"], ["slow"]]);
  expect(decide().allowed).toBe(true);
  expect(omitted).toEqual(["slow"]);
});
