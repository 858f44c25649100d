import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LandfallError } from "../../../../src/errors.ts";
import type { DecisionEnd, DecisionProcess } from "../../../../webhook/decisions/start-process.ts";
import { reviewOf, vm } from "../../../support/admission.ts";
import { teamBundle } from "../../../support/bundles/other-bundles.ts";
import { type Bench, numbered, openBench, openDecider } from "../../../support/bundles/watched-bundle.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(async () => {
  await rm(join(bench.folder, "store"), { recursive: true, force: true });
  await bench.stop();
});

const OFF = { mode: "off", keys: [], identities: [], root: null } as const;
const RULES = 'package landfall.custom.security\n\ndenials contains "no" if input.never == "x"\n';
const review = reviewOf(vm({ cpu: 2, memory: 4, provider: "gcp" }, { labels: { owner: "a" } }));
const hangs = new LandfallError("ADM_TIMEOUT", { limit: 4000 });

it("103: a set that hangs with a team, whose name no one knows, keeps the platform's new bundle", async () => {
  await bench.push(await numbered(1));
  const team = await bench.push(await teamBundle("security", { "security.rego": RULES }), true, "security");
  const trap = Promise.withResolvers<DecisionEnd>();
  let isTrapped = false;
  /** Once trapped, every question ends a process that has a team's rules. */
  const start: Parameters<Bench["watch"]>[0] = {
    start: (tarball, ref, beside): DecisionProcess => {
      const decider = openDecider(tarball, ref, OFF, beside);
      if (beside.others.length === 0) return decider;
      const isFirst = !isTrapped;
      return {
        ...decider,
        ended: isFirst ? Promise.race([decider.ended, trap.promise]) : decider.ended,
        ask: (...asked) => (isTrapped ? Promise.reject(hangs) : decider.ask(...asked)),
      };
    },
  };
  const others = [await bench.other("security", "policy", { required: false })];
  const { watch } = await bench.watch({ ...start, others });
  await watch.poll();
  const platform = await bench.push(await numbered(2));
  await watch.poll();
  expect(watch.status()).toMatchObject({
    active: { digest: platform },
    others: { security: { active: { digest: team } } },
  });

  isTrapped = true;
  trap.resolve({ error: hangs, fatalRequest: { path: "/mutate", body: review } });
  await expect
    .poll(() => watch.status().others["security"]?.quarantined, { timeout: 120_000 })
    .toMatchObject([{ digest: team, code: "BUNDLE_LOOPS" }]);
  await expect.poll(() => watch.status().active?.digest, { timeout: 60_000 }).toBe(platform);
  expect(watch.status()).toMatchObject({ quarantined: [], others: { security: { active: null } } });
  const decider = await watch.decider();
  expect((await decider?.ask("/mutate", review))?.log).toMatchObject({ allowed: true });
});
