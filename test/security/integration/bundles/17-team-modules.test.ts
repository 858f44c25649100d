import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { ClusterEvent } from "../../../../src/external-data/cluster-data.ts";
import { reviewOf, vm } from "../../../support/admission.ts";
import { teamBundle } from "../../../support/bundles/other-bundles.ts";
import { type Bench, numbered, openBench, openDecider } from "../../../support/bundles/watched-bundle.ts";
import type { BundleWatch } from "../../../../webhook/bundle-watch/watch-bundle.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterEach(() => rm(join(bench.folder, "store"), { recursive: true, force: true }));
afterAll(() => bench.stop());

/** Rules of a team that loop, fail or take all memory when the condition holds, and require an owner. */
const rules = (what: "loop" | "throw" | "memory", condition: string): string => `package landfall.custom.security

_on if ${condition}

denials contains {"code": "SEC_OWNER", "message": "an owner is required", "field": "metadata.labels.owner"} if {
	not input.metadata.labels.owner
}

${
  what === "loop"
    ? `_numbers := numbers.range(1, 20000)

denials contains "never" if {
	_on
	some a in _numbers
	some b in _numbers
	some c in _numbers
	[a, b, c] == input.spec.never
}`
    : what === "memory"
      ? `denials contains "never" if {
	_on
	count([text | some n in numbers.range(1, 5000000); text := sprintf("%d", [n])]) == 0
}`
      : `_value := 1 if _on

_value := 2 if _on

denials contains "never" if _value == 3`
}
`;

const tagged = `input.spec.tags.trap == "on"`;
/** In namespaces with this label. */
const labelled = `input.namespace.labels.trap == "on"`;
const events: ClusterEvent[] = [];

/** The rules fail from now on, in all processes. */
function spring(watch: BundleWatch): void {
  for (const name of ["demo", "landfall-self-test"]) {
    const event: ClusterEvent = { type: "namespace", name, data: { name, labels: { trap: "on" }, annotations: {} } };
    events.push(event);
    watch.tell(event);
  }
}

const OFF = { mode: "off", keys: [], identities: [], root: null } as const;

const review = (tags: Record<string, string> = {}, namespace = "demo"): string =>
  reviewOf(vm({ cpu: 2, memory: 4, provider: "gcp", tags }, { namespace, labels: { owner: "a" } }));

async function ask(watch: BundleWatch, body = review()): Promise<string> {
  const decider = await watch.decider().catch(() => null);
  if (decider === null) return "no process";
  const reply = await decider.ask("/mutate", body).catch((thrown: unknown) => thrown as { code: string });
  if ("code" in reply) return reply.code;
  if (reply.log?.["failedTeam"] !== undefined) void watch.teamFailed();
  return reply.log?.["allowed"] === true ? "allowed" : String(reply.log?.["codes"]);
}

/** A watch with these rules of the team, and then a newer bundle of the platform's. */
async function follow(number: number, source: string, required = false) {
  await bench.push(await numbered(number));
  await bench.push(await teamBundle("security", { "security.rego": source }), true, "security");
  const others = [await bench.other("security", "policy", { required })];
  events.length = 0;
  const { watch } = await bench.watch({
    others,
    start: (tarball, ref, beside) => openDecider(tarball, ref, OFF, { ...beside, events, timeoutMs: 3000 }),
  });
  await watch.poll();
  const platform = await bench.push(await numbered(number + 1));
  await watch.poll();
  expect(watch.status().active?.digest).toBe(platform);
  return { watch, platform };
}

describe("17: the rules of a team", () => {
  it("have a memory of their own: what takes more is denied, and others are decided", async () => {
    const { watch, platform } = await follow(1, rules("memory", tagged));
    const decider = await watch.decider();
    expect(await ask(watch, review({ trap: "on" }))).toBe("POL_TEAM");
    expect(await ask(watch)).toBe("allowed");
    await watch.teamFailed();
    expect(watch.status()).toMatchObject({ active: { digest: platform }, quarantined: [] });
    expect(watch.status().others["security"]).toMatchObject({ quarantined: [] });
    expect(await watch.decider()).toBe(decider);
  });

  it("are blamed for a loop that starts late, although the platform's bundle changed last", async () => {
    const { watch, platform } = await follow(3, rules("loop", labelled));
    expect(await ask(watch)).toBe("allowed");
    spring(watch);
    expect(await ask(watch)).toBe("POL_TEAM");
    await vi.waitFor(async () => expect(await ask(watch)).toBe("allowed"), { timeout: 90_000, interval: 500 });
    expect(watch.status()).toMatchObject({ active: { digest: platform }, quarantined: [] });
    expect(watch.status().others["security"]).toMatchObject({ active: null, quarantined: [{ code: "BUNDLE_LOOPS" }] });
  });

  it("are given up if they fail for everything, and deny everything where they are required", async () => {
    const { watch, platform } = await follow(5, rules("throw", labelled), true);
    const team = watch.status().others["security"]?.active?.digest;
    expect(await ask(watch)).toBe("allowed");
    spring(watch);
    expect(await ask(watch)).toBe("POL_TEAM");
    await vi.waitFor(() => expect(watch.status().missing).toEqual(["security"]), { timeout: 60_000, interval: 500 });
    await expect(watch.decider()).rejects.toMatchObject({ code: "BUNDLE_REQUIRED" });
    expect(watch.status()).toMatchObject({ active: { digest: platform }, quarantined: [] });
    expect(watch.status().others["security"]?.quarantined).toMatchObject([{ digest: team, code: "BUNDLE_LOOPS" }]);
  });

  it("are given up if they end processes for objects of two namespaces, although they pass the self-test", async () => {
    const { watch, platform } = await follow(7, rules("loop", tagged));
    for (const namespace of ["demo", "other", "demo"]) {
      const ended = ask(watch, review({ trap: "on" }, namespace));
      await expect(ended).resolves.toBe("POL_TEAM");
      await vi.waitFor(async () => expect(await ask(watch)).toBe("allowed"), { timeout: 60_000, interval: 500 });
    }
    expect(watch.status()).toMatchObject({ active: { digest: platform }, quarantined: [] });
    expect(watch.status().others["security"]).toMatchObject({ active: null, quarantined: [{ code: "BUNDLE_LOOPS" }] });
    expect(await ask(watch, review({ trap: "on" }))).toBe("allowed");
  });
});
