import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { describeApart } from "../../../../src/policy/process/read-apart.ts";
import { reviewOf, vm } from "../../../support/admission.ts";
import { hostileModule, moduleBundle } from "../../../support/bundles/hostile-module.ts";
import { openDecider } from "../../../support/bundles/watched-bundle.ts";
import { policyFile } from "../../../support/load-policy.ts";

const OFF = { mode: "off", keys: [], identities: [], root: null } as const;
const tarball = (bytes: Buffer) => ({ bytes, digest: "sha256:0", signed: false, signers: [] });
const asked = (name: string): string =>
  reviewOf(vm({ cpu: 2, memory: 4, provider: "gcp" }, { name, labels: { owner: "a" } }));

/** Rules whose loops have so many values, which each branch moves. */
const rules = (functions: number, branches: number, values: number): Buffer =>
  hostileModule(undefined, undefined, { functions, branches, values });

async function deciderWith(teams: Record<string, Buffer>) {
  const others = Object.entries(teams).map(([name, wasm]) => {
    return { name, kind: "policy" as const, ref: name, tarball: tarball(moduleBundle(name, wasm)) };
  });
  const platform = tarball(await readFile(await policyFile()));
  return openDecider(platform, "platform", OFF, { others, absent: [], timeoutMs: 240_000 });
}

it("182: a module with blocks of many values is refused: each branch would compile to 14 kB", async () => {
  const decider = await deciderWith({ security: rules(1, 10, 1000) });
  await expect(decider.ready).rejects.toMatchObject({ code: "BUNDLE_UNREADABLE" });
});

it("182: rules that compile to more machine code than all modules may have end the process, and are blamed", async () => {
  const decider = await deciderWith({ finance: rules(25, 59_000, 16), security: rules(25, 60_000, 16) });
  await decider.ready;
  expect((await decider.ask("/mutate", asked("honest"))).log).toMatchObject({ allowed: true });
  await expect(decider.ask("/mutate", asked("trap"))).rejects.toMatchObject({
    ...{ code: "POL_TEAM", params: { bundle: "security" } },
    message: expect.stringContaining("committed code space") as string,
  });
  const { ofMemory, fatalRequest } = await decider.ended;
  expect([ofMemory, fatalRequest?.path]).toEqual([true, "/mutate"]);
});

it("182: an unverified bundle of such rules is not inspected", async () => {
  const evil = { bytes: moduleBundle("security", rules(1, 10, 1000)), ref: "evil.tar.gz" };
  await expect(describeApart(evil, { env: process.env })).rejects.toMatchObject({
    code: "BUNDLE_UNREADABLE",
    message: expect.stringContaining("functions of at most 16 numbers") as string,
  });
});
