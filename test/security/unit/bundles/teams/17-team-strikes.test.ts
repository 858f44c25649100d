import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LandfallError } from "../../../../../src/errors.ts";
import { openStrikeFile } from "../../../../../src/bundle/follow/strike-file.ts";
import { TeamStrikes } from "../../../../../src/bundle/follow/team-strikes.ts";
import { TeamTimes } from "../../../../../src/bundle/follow/team-times.ts";
import { openRefusedInputs } from "../../../../../webhook/decisions/limits/refused-inputs.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-strikes-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("17: rules of a team that end processes", () => {
  it("are given up at the third end, if they ended processes for two namespaces within ten minutes", () => {
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

describe("17: strikes of a team", () => {
  const open = (file: string, failures: unknown[] = []): TeamStrikes =>
    new TeamStrikes(openStrikeFile(join(folder, file), (thrown) => failures.push(thrown)));

  it("count across restarts of the webhook, each time in a new process", () => {
    const ends = [
      ["sha256:a", "x"],
      ["sha256:a", "y"],
      ["sha256:a", "x"],
    ].map(([digest = "", namespace = ""], index) => open("counted.json").add(digest, namespace, index));
    expect(ends).toEqual([false, false, true]);
  });

  it("keep a bundle that was given up from being used for a day, and no other one", () => {
    open("given-up.json").giveUp("sha256:a", 0);
    const later = open("given-up.json");
    expect(later.isGivenUp("sha256:a", DAY - 1)).toBe(true);
    expect(later.isGivenUp("sha256:b", 0)).toBe(false);
    expect(later.isGivenUp("sha256:a", DAY)).toBe(false);
  });

  it("start from nothing with a damaged file, and go on without a disk", async () => {
    await writeFile(join(folder, "damaged.json"), '{"strikes":{"sha256:a":[7,{"at":"x"}],"sha256:b":3},"givenUp":[');
    expect(open("damaged.json").add("sha256:a", "x", 0)).toBe(false);
    await writeFile(join(folder, "file"), "");
    const failures: unknown[] = [];
    expect(open("file/strikes.json", failures).add("sha256:a", "x", 0)).toBe(false);
    expect(failures).toHaveLength(1);
    expect((await readdir(folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

describe("17: rules of a team that are slow but not stuck", () => {
  it("are given up when they took three seconds of a minute, for objects of several namespaces", () => {
    const times = new TeamTimes();
    const asked = Array.from({ length: 12 }, (_, index) => `n${String(index)}`);
    const givenUp = asked.map((namespace, index) =>
      times.add("sha256:a", { owner: namespace, ms: 400, at: index * 500 }),
    );
    expect(givenUp.indexOf(true)).toBe(7);
  });

  it("are not given up for what one namespace asks, nor for slow ones now and then", () => {
    const times = new TeamTimes();
    const one = Array.from({ length: 200 }, (_, index) => times.add("a", { owner: "n", ms: 400, at: index }));
    const seldom = Array.from({ length: 50 }, (_, index) =>
      times.add("b", { owner: `n${String(index)}`, ms: 400, at: index * 10_000 }),
    );
    expect([...one, ...seldom]).not.toContain(true);
  });
});
