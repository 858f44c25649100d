import { describe, expect, it } from "vitest";
import { createClusterData } from "../../../src/external-data/cluster-data.ts";
import { createSharedReservations } from "../../../src/external-data/usage/shared-reservations.ts";
import { NOW } from "../../support/admission.ts";
import { entry, machine } from "../../support/ledger/entries.ts";

const KEY = "VmTemplate/demo/web";
const UNTIL = NOW + 20;
const reservation = { key: KEY, workload: machine("web"), creates: true, until: UNTIL };

describe("reservations of the ledger", () => {
  it("end when the object with their nonce is stored, under whatever name", () => {
    const shared = createSharedReservations();
    shared.set("a", { ...reservation, key: "VmTemplate/demo/#nonce of web" });
    expect(shared.see("VmTemplate/demo/other", machine("other"))).toEqual([]);
    expect(shared.see(KEY, machine("web", { vcpus: 1 }))).toEqual(["VmTemplate/demo/#nonce of web"]);
    expect(shared.all()).toEqual([]);
  });

  it("of an update end when the object has the size, not when an earlier state of it is seen", () => {
    const shared = createSharedReservations();
    const larger = machine("web", { vcpus: 4, decisionId: "uid" });
    shared.set("a", { ...reservation, creates: false, workload: larger });
    expect(shared.see(KEY, machine("web", { decisionId: "uid" }))).toEqual([]);
    expect(shared.see(KEY, larger)).toEqual([KEY]);
  });

  it("count until their time is over and the cluster was seen after it", () => {
    const shared = createSharedReservations();
    shared.set("a", reservation);
    expect(shared.expire(UNTIL + 100, UNTIL - 1)).toEqual([]);
    expect(shared.expire(UNTIL + 100, UNTIL)).toEqual([{ id: "a", ...reservation }]);
  });

  it("are late shortly before their end and after it, until another one is made for the object", () => {
    const shared = createSharedReservations();
    expect(shared.isLate([KEY], NOW, 5)).toBe(false);
    shared.set("a", reservation);
    expect([shared.isLate([KEY], UNTIL - 5, 5), shared.isLate([KEY], UNTIL - 4, 5)]).toEqual([false, true]);
    shared.expire(UNTIL, UNTIL);
    expect([shared.isLate([KEY], UNTIL, 5), shared.isLate(["VmTemplate/demo/other"], UNTIL, 5)]).toEqual([true, false]);
    shared.set("b", { ...reservation, until: UNTIL + 20 });
    expect(shared.isLate([KEY], UNTIL, 5)).toBe(false);
  });
});

describe("the cluster's data", () => {
  const usageOf = (data: ReturnType<typeof createClusterData>, key = "") =>
    data.around({ key, namespace: "demo", vmName: null }, NOW)?.usage.vcpus;
  const share = (id: string, number: number) => ({ type: "shared" as const, id, number, reservation });

  it("count an entry besides other objects, once, and not against its own object; a snapshot has it too", () => {
    const data = createClusterData();
    data.apply({ type: "seen", at: NOW });
    data.apply(share("a", 1));
    data.apply({ type: "reservation", ...entry("web"), until: NOW + 5, by: "user", id: "a" });
    expect([usageOf(data), usageOf(data, KEY), data.counted()]).toEqual([1, 0, 1]);
    const copy = createClusterData();
    for (const event of data.snapshot()) copy.apply(event);
    expect([usageOf(copy), copy.counted()]).toEqual([1, 1]);
    data.apply({ type: "workload", key: KEY, workload: machine("web") });
    expect(usageOf(data)).toBe(1);
    data.apply({ type: "workload", key: KEY, workload: null });
    expect(usageOf(data)).toBe(0);
  });

  it("tell a new process the number of the last change even if nothing is left of it", () => {
    const data = createClusterData();
    data.apply({ type: "shared", id: "a", number: 7, reservation: null });
    const copy = createClusterData();
    for (const event of data.snapshot()) copy.apply(event);
    expect(copy.counted()).toBe(7);
  });

  it("forget the reservation of a decision that was not answered", () => {
    const data = createClusterData();
    data.apply({ type: "seen", at: NOW });
    data.apply({ type: "reservation", ...entry("web"), until: NOW + 5, by: "user", id: "a" });
    data.apply({ type: "withdrawn", key: KEY, id: "another" });
    expect(usageOf(data)).toBe(1);
    data.apply({ type: "withdrawn", key: KEY, id: "a" });
    expect(usageOf(data)).toBe(0);
  });

  it("forget one without a claim by its decision, and none of another", () => {
    const data = createClusterData();
    data.apply({ type: "seen", at: NOW });
    const { decisionId = "", ...workload } = machine("web");
    const reserved = { key: KEY, workload: { ...workload, decisionId }, creates: true, until: NOW + 5, by: "user" };
    data.apply({ type: "reservation", ...reserved });
    data.apply({ type: "withdrawn", key: KEY, decisionId: "another" });
    expect(usageOf(data)).toBe(1);
    data.apply({ type: "withdrawn", key: KEY, decisionId });
    expect(usageOf(data)).toBe(0);
    data.apply({ type: "seen", at: NOW + 30 });
    expect(data.unstored.times("demo", NOW + 30)).toEqual([]);
  });
});
