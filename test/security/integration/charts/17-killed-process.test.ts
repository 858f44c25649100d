import { readFile } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { OtherInProcess } from "../../../../webhook/decisions/messages.ts";
import { type DecisionProcess, startProcess } from "../../../../webhook/decisions/start-process.ts";
import { reviewOf, vm } from "../../../support/admission.ts";
import { policyFile } from "../../../support/load-policy.ts";
import { dataImage, teamBundle } from "../../../support/bundles/other-bundles.ts";

const OFF = { mode: "off", keys: [], identities: [], root: null } as const;

const open: DecisionProcess[] = [];
afterEach(() => Promise.all(open.splice(0).map((decider) => decider.stop())));

async function start(other: Pick<OtherInProcess, "bytes" | "expected">): Promise<DecisionProcess> {
  const decider = startProcess({
    ...{ bytes: await readFile(await policyFile()), ref: "platform", signed: false, trust: OFF },
    ...{ keys: [Buffer.alloc(32, 7)] as const, events: [], forecasts: null, timeoutMs: 60_000, logLabels: null },
    others: [{ ...other, ref: "other", signed: false, trust: OFF }],
    onReserved: () => undefined,
    // V8 collects garbage again and again before it gives up.
    loadMs: 300_000,
  });
  open.push(decider);
  return decider;
}

const review = (tags: Record<string, string>): string =>
  reviewOf(vm({ cpu: 2, memory: 4, provider: "gcp", tags }, { labels: { owner: "a" } }));

describe("17: a bundle that takes all memory with one allocation", () => {
  it("ends the process that loads it, and no other one", async () => {
    const data = `{"acme":{"big":[${"{},".repeat(5_000_000)}{}]}}`;
    const bytes = dataImage({ name: "big" }, ["acme/big"], {}, { "data.json": data });
    const decider = await start({ bytes, expected: { name: "big", kind: "data" } });
    await expect(decider.ready).rejects.toMatchObject({ code: "ADM_INTERNAL" });
    await expect(decider.ready).rejects.toThrow(/by SIGABRT: Reached heap limit|took more than 512 MiB of memory/);
  });

  it("denies the request if it is a width of sprintf, and the process goes on", async () => {
    const rules = `package landfall.custom.security

f := "%0400000000d"

denials contains sprintf(f, [1]) if input.spec.tags.trap == "on"
`;
    const bytes = await teamBundle("security", { "security.rego": rules });
    const decider = await start({ bytes, expected: { name: "security", kind: "policy" } });
    await decider.ready;
    const { log } = await decider.ask("/mutate", review({ trap: "on" }));
    expect(log).toMatchObject({ allowed: false, codes: ["POL_TEAM"], failedTeam: "security" });
    expect((await decider.ask("/mutate", review({}))).log).toMatchObject({ allowed: true });
  });

  it("denies the request if it is an answer of many megabytes, and the process goes on", async () => {
    const rules = `package landfall.custom.security

_long := concat("", [x | some n in numbers.range(1, 20000); x := format_int(n + 1000000, 10)])

denials contains [n, _long] if {
	input.spec.tags.trap == "on"
	some n in numbers.range(1, 100)
}
`;
    const bytes = await teamBundle("security", { "security.rego": rules });
    const decider = await start({ bytes, expected: { name: "security", kind: "policy" } });
    await decider.ready;
    const { log } = await decider.ask("/mutate", review({ trap: "on" }));
    expect(log).toMatchObject({ allowed: false, codes: ["POL_TEAM"] });
    expect((await decider.ask("/mutate", review({}))).log).toMatchObject({ allowed: true });
  });
});
