import { describe, expect, it } from "vitest";
import { LandfallError } from "../../../src/errors.ts";
import { type IntakeOptions, openIntake } from "../../../webhook/decisions/limits/intake.ts";
import { takeSourceTurns } from "../../../webhook/decisions/process/take-source-turns.ts";

const AMPLE = { requests: 1000, characters: 1_000_000 };

/** The scope of the refusal; empty if it gets in. */
function refused(enter: () => unknown): string {
  try {
    enter();
    return "";
  } catch (thrown) {
    if (thrown instanceof LandfallError && thrown.code === "ADM_BUSY") return String(thrown.params["scope"]);
    throw thrown;
  }
}

const intakeOf = (limits: Partial<NonNullable<IntakeOptions["limits"]>>, options: IntakeOptions = {}) =>
  openIntake({ ...options, limits: { all: AMPLE, namespace: AMPLE, ...limits } });

describe("requests that wait", () => {
  it("of four namespaces that fill all keep no fifth one out, and those get no more", () => {
    const intake = intakeOf({ all: { requests: 40, characters: 1e6 }, namespace: { requests: 10, characters: 1e6 } });
    for (const name of ["a", "b", "c", "d"]) for (let at = 0; at < 10; at += 1) intake.enter(name, 1);
    expect(refused(() => intake.enter("e", 1))).toBe("");
    expect(refused(() => intake.enter("a", 1))).toBe("of this cluster");
  });

  it("get in beyond the limit up to a quarter of it, however many namespaces there are", () => {
    const intake = intakeOf({ all: { requests: 40, characters: 1e6 } });
    for (let at = 0; at < 40; at += 1) intake.enter("hog", 1);
    const entered = Array.from({ length: 40 }, (_, at) => refused(() => intake.enter(`n${String(at)}`, 1)));
    expect(entered.filter((scope) => scope === "")).toHaveLength(10);
  });

  it("of one user leave room for another one of the same namespace", () => {
    const intake = intakeOf({ user: { requests: 2, characters: 100 } });
    const leave = intake.enter("team", 1, "robot");
    intake.enter("team", 1, "robot");
    expect(refused(() => intake.enter("team", 1, "robot"))).toBe("of this user in namespace team");
    expect(refused(() => intake.enter("team", 1, "anna"))).toBe("");
    expect(refused(() => intake.enter("other", 1, "robot"))).toBe("");
    leave();
    expect(refused(() => intake.enter("team", 1, "robot"))).toBe("");
  });

  it("are refused at once while the first ones of their namespace wait for half of the time limit", () => {
    let now = 0;
    const intake = intakeOf({}, { timeoutMs: 8000, nowMs: () => now });
    const leave = Array.from({ length: 16 }, () => intake.enter("slow", 1));
    now = 4000;
    expect(refused(() => leave.push(intake.enter("slow", 1)))).toBe("");
    now = 4001;
    expect(refused(() => intake.enter("slow", 1))).toBe("of namespace slow");
    expect(refused(() => intake.enter("quick", 1))).toBe("");
    // The first ones were answered.
    for (const one of leave.splice(0, 16)) one();
    expect(refused(() => intake.enter("slow", 1))).toBe("");
  });

  it("may be few and wait for long: one of them says nothing about the next", () => {
    let now = 0;
    const intake = intakeOf({}, { timeoutMs: 8000, nowMs: () => now });
    for (let at = 0; at < 15; at += 1) intake.enter("few", 1);
    now = 7999;
    expect(refused(() => intake.enter("few", 1))).toBe("");
  });
});

describe("turns in the process that decides", () => {
  it("of one user's thousand requests hold up another user of the same namespace for one of them", () => {
    const turns = takeSourceTurns<string>();
    const demo = { source: "", namespace: "demo" };
    for (let at = 0; at < 1000; at += 1) turns.push({ ...demo, user: "robot", item: "robot" });
    const take = (): string => {
      const turn = turns.next();
      if (turn !== null) turns.charge(turn, 5);
      return turn?.item ?? "none";
    };
    expect([take(), take()]).toEqual(["robot", "robot"]);
    turns.push({ ...demo, user: "anna", item: "anna" });
    expect([take(), take()]).toContain("anna");
    expect(take()).toBe("robot");
  });

  it("are the namespace's, however many users it has, and all come at last, those of one user in their order", () => {
    const turns = takeSourceTurns<string>();
    for (let at = 0; at < 20; at += 1)
      turns.push({ source: "", namespace: "crowd", user: `u${String(at)}`, item: "crowd" });
    for (const item of ["1", "2", "3"]) turns.push({ source: "", namespace: "demo", user: "anna", item });
    const order: string[] = [];
    for (let turn = turns.next(); turn !== null; turn = turns.next()) {
      order.push(turn.item);
      turns.charge(turn, 1);
    }
    expect(order.slice(0, 6).toSorted()).toEqual(["1", "2", "3", "crowd", "crowd", "crowd"]);
    expect(order.filter((item) => item !== "crowd")).toEqual(["1", "2", "3"]);
    expect(order).toHaveLength(23);
  });
});
