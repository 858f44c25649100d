// 465: the console explained stored objects on the thread that serves all its users: one that takes long held up everybody, and a team whose rules it made
// slow was asked about no object of anyone until the Pod restarted.
import { readFile } from "node:fs/promises";
import { expect, it, onTestFinished } from "vitest";
import { explainApart } from "../../../../src/console/trying/explain-apart.ts";
import { openTrials } from "../../../../src/console/trying/open-trials.ts";
import type { Resource } from "../../../../src/model/kubernetes.ts";
import { NOW, vm } from "../../../support/admission.ts";
import { teamBundle } from "../../../support/bundles/other-bundles.ts";
import { policyFile } from "../../../support/load-policy.ts";

/** Loops for objects with a tag, and denies all others. */
const LOOP = `package landfall.custom.security

_numbers := numbers.range(1, 20000)

denials contains "the team was asked" if not input.spec.tags.trap

denials contains "never" if {
	input.spec.tags.trap == "on"
	some a in _numbers
	some b in _numbers
	some c in _numbers
	[a, b, c] == input.spec.never
}
`;

it("465: a stored object that takes long ends its own explanation, and neither those of others nor the rules that it made slow", async () => {
  const ref = await policyFile();
  const team = { ref: "team", expected: { name: "security", kind: "policy" } as const };
  const others = [{ ...team, bytes: await teamBundle("security", { "security.rego": LOOP }) }];
  const limits = { loadMs: 120_000, decisionMs: 6000 };
  const trials = openTrials({ platform: { bytes: await readFile(ref), ref }, others }, { limits });
  onTestFinished(() => trials.stop());
  const { signal } = new AbortController();
  const namespace = { name: "demo", labels: {}, annotations: {} };
  const explaining = (user: string) =>
    explainApart((what, about, left) => trials.ask(user, what, about, left), {
      ...{ forecasts: () => null, nowSeconds: () => NOW },
      ruleLine: (rule) => ({ file: `${rule}.rego`, line: 1 }),
    });
  const stored = (tags: Record<string, string>) => vm({ cpu: 2, memory: 4, tags }) as Resource;
  let longest = 0;
  let last = performance.now();
  const ticks = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 20);
  const slow = explaining("mallory").explain(stored({ trap: "on" }), namespace, signal);
  await expect(slow).rejects.toMatchObject({
    code: "CONSOLE_TRIAL",
    message: expect.stringContaining("security") as string,
  });
  clearInterval(ticks);
  expect(longest).toBeLessThan(3000);
  const calm = explaining("alice");
  const explained = await calm.explain(stored({}), namespace, signal);
  expect(explained.denials.map(({ message }) => message).join()).toContain("the team was asked");
  expect(explained.funnel[0]?.source).toMatchObject({ line: 1 });
  const place = "azure/italynorth" as const;
  expect(await calm.whatIf(stored({}), namespace, place, signal)).toMatchObject({ place, allowed: false });
  expect((await calm.starts(stored({}), namespace, signal)).starts.length).toBeGreaterThan(0);
}, 300_000);
