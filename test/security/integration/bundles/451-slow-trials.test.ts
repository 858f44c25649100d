// 451: the console decided about objects that are tried on the thread that serves all its users, without a limit of time.
import { readFile } from "node:fs/promises";
import { expect, it, onTestFinished } from "vitest";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import type { Tried } from "../../../../src/console/contract/trying.ts";
import { openTrials, type Trial, type TrialBundles } from "../../../../src/console/trying/open-trials.ts";
import { tryObject } from "../../../../src/console/trying/try-object.ts";
import { LandfallError } from "../../../../src/errors.ts";
import { API_VERSION } from "../../../../src/model/names.ts";
import type { LoadedBundle } from "../../../../src/policy/loaded-bundle.ts";
import { NOW } from "../../../support/admission.ts";
import { teamBundle } from "../../../support/bundles/other-bundles.ts";
import { answering } from "../../../support/console/console-app.ts";
import { loadPolicy, policyFile } from "../../../support/load-policy.ts";

/** Loops for objects with a tag. */
const LOOP = `package landfall.custom.security

_numbers := numbers.range(1, 20000)

denials contains "never" if {
	input.spec.tags.trap == "on"
	some a in _numbers
	some b in _numbers
	some c in _numbers
	[a, b, c] == input.spec.never
}
`;

/** A user who may not create the object, so that the console decides. */
const client: KubeClient = {
  ...answering({ "/api/v1/namespaces/demo": { metadata: { name: "demo" } } }),
  create: () => Promise.resolve({ status: { allowed: false } } as never),
};

async function bundles(): Promise<TrialBundles> {
  const ref = await policyFile();
  const team = { ref: "team", expected: { name: "security", kind: "policy" } as const };
  return {
    platform: { bytes: await readFile(ref), ref },
    others: [{ ...team, bytes: await teamBundle("security", { "security.rego": LOOP }) }],
  };
}

it("451: an object that somebody tries ends its own trial after a time, and holds up neither the console nor the trials of others", async () => {
  const trials = openTrials(await bundles(), { limits: { loadMs: 120_000, decisionMs: 3000 } });
  onTestFinished(() => trials.stop());
  const policy = {
    ...(await loadPolicy()),
    evaluate: (): never => {
      throw new Error("the console decides about it itself");
    },
  } as LoadedBundle;
  const { signal } = new AbortController();
  const inTurn = <T>(work: () => T): Promise<T> => Promise.resolve().then(work);
  const attempt = (user: string, tags: Record<string, string>): Promise<Tried> => {
    const object = { apiVersion: API_VERSION, kind: "VmTemplate", metadata: { name: user } };
    const manifest = { namespace: "demo", object: JSON.stringify({ ...object, spec: { cpu: 2, memory: 4, tags } }) };
    const decideApart = (trial: Trial) => trials.ask(user, "try", { trial }, signal);
    return tryObject({ client, policy, nowSeconds: () => NOW, inTurn, decideApart }, manifest);
  };
  expect((await attempt("alice", {})).placement).not.toBeNull();
  let longest = 0;
  let last = performance.now();
  const ticks = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 20);
  const slow = [1, 2].map(() => attempt("mallory", { trap: "on" }).catch((thrown: unknown) => thrown));
  const calm = await attempt("alice", {});
  const [first, second] = await Promise.all(slow);
  clearInterval(ticks);
  expect(calm).toMatchObject({ by: "console", denials: [] });
  expect(first).toBeInstanceOf(LandfallError);
  expect(first).toMatchObject({ code: "CONSOLE_TRIAL", message: expect.stringContaining("security") as string });
  expect(second).toMatchObject({ code: "CONSOLE_TRIAL" });
  expect(longest).toBeLessThan(1000);
  expect((await attempt("alice", {})).placement).not.toBeNull();
}, 240_000);

it("451: a trial whose page has left is not begun", async () => {
  const trials = openTrials(await bundles());
  onTestFinished(() => trials.stop());
  const trial = {} as Trial;
  await expect(trials.ask("alice", "try", { trial }, AbortSignal.abort())).rejects.toMatchObject({
    code: "CONSOLE_AGAIN",
  });
});
