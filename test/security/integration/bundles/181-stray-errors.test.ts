import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { openWatched, type ProcessEnd } from "../../../../src/policy/process/watched-process.ts";
import { reviewOf, vm } from "../../../support/admission.ts";
import { teamBundle } from "../../../support/bundles/other-bundles.ts";
import { openDecider } from "../../../support/bundles/watched-bundle.ts";
import { policyFile } from "../../../support/load-policy.ts";

/** How a process ends that works on these requests in one turn. */
function endOf(ids: readonly number[]): Promise<ProcessEnd> {
  const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
  const child = openWatched<{ type: string }>(
    {},
    {
      entry: new URL("../../../support/bundles/stray-process.ts", import.meta.url),
      ...{ teams: ["security"], limits: { loadMs: 30_000, decisionMs: 30_000 }, onEnd: resolve },
      onMessage: () => {
        child.send(ids);
      },
    },
  );
  return promise;
}

describe("181: an error that work leaves behind", () => {
  it("is blamed on the request and the team that were at work in that turn", async () => {
    const { error, request } = await endOf([7]);
    expect([error.code, error.params["bundle"], request]).toEqual(["POL_TEAM", "security", 7]);
  });

  it("is blamed on no request if there were several", async () => {
    const { error, request } = await endOf([3, 7, 4]);
    expect([error.code, error.params["bundle"], request]).toEqual(["POL_TEAM", "security", null]);
  });
});

const OFF = { mode: "off", keys: [], identities: [], root: null } as const;
const RULES = `package landfall.custom.security

warnings contains {"code": "S", "message": sprintf("%(constructor.fromAsync)s", [[1]])} if input.metadata.name == "trap"
`;
const asked = (name: string): string =>
  reviewOf(vm({ cpu: 2, memory: 4, provider: "gcp" }, { name, labels: { owner: "a" } }));

it("181: rules that would call functions of JavaScript deny the request, and the process goes on", async () => {
  const tarball = (bytes: Buffer) => ({ bytes, digest: "sha256:0", signed: false, signers: [] });
  const bytes = await teamBundle("security", { "security.rego": RULES });
  const others = [{ name: "security", kind: "policy" as const, ref: "team", tarball: tarball(bytes) }];
  const decider = openDecider(tarball(await readFile(await policyFile())), "platform", OFF, { others, absent: [] });
  await decider.ready;
  const answers: unknown[] = [];
  for (const name of ["trap", "honest", "trap", "honest"]) {
    const { log } = await decider.ask("/mutate", asked(name));
    answers.push(log?.["allowed"] === true ? "allowed" : log?.["codes"]);
  }
  await decider.stop();
  expect(answers).toEqual([["POL_TEAM"], "allowed", ["POL_TEAM"], "allowed"]);
});
