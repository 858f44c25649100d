import { describe, expect, it } from "vitest";
import { LandfallError } from "../../../../src/errors.ts";
import { TeamStrikes } from "../../../../webhook/bundle-watch/team-strikes.ts";
import { openRefusedInputs } from "../../../../webhook/decisions/refused-inputs.ts";

const MINUTE = 60_000;

describe("17: rules of a team that end threads", () => {
  it("are given up at the third end, if they ended threads for two namespaces within ten minutes", () => {
    const strikes = new TeamStrikes();
    expect(strikes.add("security", "a", 0)).toBe(false);
    expect(strikes.add("security", "b", MINUTE)).toBe(false);
    expect(strikes.add("other", "a", MINUTE)).toBe(false);
    expect(strikes.add("security", "a", 9 * MINUTE)).toBe(true);
    expect(strikes.add("security", "b", 9 * MINUTE)).toBe(false);
  });

  it("are not given up for what one namespace asks: its tenant could want to be rid of them", () => {
    const strikes = new TeamStrikes();
    const alone = Array.from({ length: 9 }, (_, index) => strikes.add("security", "a", index));
    expect(alone).toEqual(alone.map(() => false));
    expect(strikes.add("security", "b", 10)).toBe(true);
  });

  it("are not given up for ends that are longer ago", () => {
    const strikes = new TeamStrikes();
    const ends = ["a", "b", "c", "d"].map((namespace, index) => strikes.add("security", namespace, index * 6 * MINUTE));
    expect(ends).toEqual([false, false, false, false]);
  });

  it("leave no input refused and no namespace held after they are given up", () => {
    const refused = openRefusedInputs(() => 0);
    const body = (cpu: number): string => JSON.stringify({ request: { namespace: "a", object: { spec: { cpu } } } });
    const why = new LandfallError("POL_TEAM", { bundle: "security", detail: "it loops" });
    for (const cpu of [1, 2, 3]) refused.add({ path: "/mutate", body: body(cpu) }, "a", why);
    refused.add({ path: "/mutate", body: body(4) }, "b", new LandfallError("ADM_TIMEOUT", { limit: 1 }));
    expect(refused.check(body(1), "a")?.code).toBe("ADM_NAMESPACE_HELD");
    refused.forgive("security");
    expect(refused.check(body(1), "a")).toBeNull();
    expect(refused.check(body(4), "b")?.code).toBe("ADM_INPUT_REFUSED");
  });
});
