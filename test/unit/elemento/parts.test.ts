import { describe, expect, it } from "vitest";
import { LandfallError } from "../../../src/errors.ts";
import type { Offer } from "../../../src/elemento/api/types.ts";
import { countMetrics } from "../../../src/elemento/operator/metrics.ts";
import { explainFailure } from "../../../src/elemento/operator/explain-failure.ts";
import { ownName } from "../../../src/elemento/own-name.ts";
import { chooseOffer } from "../../../src/elemento/operator/quote.ts";
import { freeCidr } from "../../../src/elemento/step/plan-vm.ts";
import { UID } from "./samples.ts";

const offer = (provider: string, region: string | null, perMonth: number): Offer => ({
  ...{ provider, region, price: { currency: "EUR", perHour: perMonth / 730, perMonth } },
});
const OFFERS = [
  offer("ionos", "de/fra", 24),
  offer("ovh", "gra7", 20),
  offer("ovh", "sbg5", 19),
  offer("gigas", null, 5),
];

describe("the offer that is taken", () => {
  it.each([
    [{}, "gigas null"],
    [{ provider: "ovh" }, "ovh sbg5"],
    [{ provider: "ovh", region: "gra7" }, "ovh gra7"],
    [{ provider: "ionos", region: "de-fra" }, "ionos de/fra"],
    [{ provider: "gigas", region: "lisbon" }, "none"],
    [{ provider: "acme" }, "none"],
  ])("%j: %s", (wanted, expected) => {
    const chosen = chooseOffer(OFFERS, wanted);
    expect(chosen === null ? "none" : `${chosen.provider} ${String(chosen.region)}`).toBe(expected);
  });
});

describe("an unused network", () => {
  it("is deterministic, and another one if it overlaps a used network", () => {
    const first = freeCidr(UID, []);
    expect(first).toMatch(/^10\.\d+\.\d+\.0\/24$/);
    expect(freeCidr(UID, ["10.0.0.0/16"])).toBe(first);
    const taken = [first ?? "", "192.168.0.0/16"];
    expect(freeCidr(UID, taken)).not.toBe(first);
    const [, second = "0"] = (first ?? "").split(".");
    expect(freeCidr(UID, [`10.${second}.0.0/16`])).not.toContain(`10.${second}.`);
    expect(freeCidr(UID, ["10.128.0.0/9"])).toBeNull();
  });
});

describe("names at Elemento", () => {
  it("end in a unique suffix, within 63 characters", () => {
    expect(ownName("web", UID)).toMatch(/^web-[0-9a-f]{10}$/);
    expect(ownName("web", UID)).not.toBe(ownName("web", `${UID}x`));
    expect(ownName("x".repeat(63), UID)).toHaveLength(63);
    expect(ownName("x".repeat(80), UID, Infinity)).toHaveLength(91);
  });
});

describe("failures", () => {
  const error = (code: ConstructorParameters<typeof LandfallError>[0], reason?: string): LandfallError =>
    new LandfallError(code, { operation: "registerVm", detail: "d", ...(reason === undefined ? {} : { reason }) });
  it.each([
    [error("ELEMENTO_CAPACITY", "NotAllocable"), "Warning", "NotAllocable", 30_000],
    [error("ELEMENTO_REFUSED"), "Error", "Refused", 120_000],
    [error("ELEMENTO_REFUSED", "not a word"), "Error", "Refused", 120_000],
    [error("ELEMENTO_LOGIN"), "Error", "Login", null],
    [error("ELEMENTO_AWAY"), "Warning", "Away", null],
    [error("ELEMENTO_UNCERTAIN"), "Warning", "Uncertain", null],
    [error("ELEMENTO_IN_USE"), "Warning", "InUse", null],
    [error("ELEMENTO_NOT_FOUND"), "Warning", "NotFound", null],
    [error("ELEMENTO_ACCOUNT"), "Error", "Account", 30_000],
    [error("ELEMENTO_SECRET"), "Error", "Secret", 30_000],
    [error("REL_PATH"), "Error", "InvalidName", 30_000],
    [new TypeError("x"), "Warning", "Unexpected", null],
  ])("%s", (thrown, severity, reason, againMs) => {
    expect(explainFailure(thrown)).toMatchObject({ say: { severity, reason }, againMs });
  });
});

describe("metrics", () => {
  it("are in Prometheus' text format", async () => {
    const metrics = countMetrics();
    metrics.called({ service: "compute", operation: "registerVm", outcome: "ok", seconds: 0.5 });
    metrics.called({ service: "compute", operation: "registerVm", outcome: "ok", seconds: 0.25 });
    metrics.isAt("a", "ElementoVm", "Info");
    metrics.isAt("a", "ElementoVm", "Ready");
    metrics.isAt("b", "ElementoVm", "Ready");
    metrics.isAt("b", "ElementoVm", null);
    const lines = (await metrics.registry.metrics()).split("\n");
    expect(lines).toContain('landfall_elemento_calls_total{service="compute",operation="registerVm",outcome="ok"} 2');
    expect(lines).toContain('landfall_elemento_call_seconds_total{operation="registerVm"} 0.75');
    expect(lines).toContain('landfall_elemento_objects{kind="ElementoVm",state="Ready"} 1');
  });

  it("keep counters across scrapes and forget deleted objects", async () => {
    const metrics = countMetrics();
    metrics.stepped("ElementoVm", "create");
    metrics.isAt("a", "ElementoVm", "Ready");
    await metrics.registry.metrics();
    metrics.stepped("ElementoVm", "create");
    metrics.isAt("a", "ElementoVm", null);
    const text = await metrics.registry.metrics();
    expect(text).toContain('landfall_elemento_steps_total{kind="ElementoVm",step="create"} 2\n');
    expect(text).not.toContain("landfall_elemento_objects{");
  });

  it("escape quotes, backslashes and newlines in label values", async () => {
    const metrics = countMetrics();
    metrics.isAt("a", "ElementoVm", 'a "b" \\ c\nd');
    expect(await metrics.registry.metrics()).toContain(
      String.raw`landfall_elemento_objects{kind="ElementoVm",state="a \"b\" \\ c\nd"} 1` + "\n",
    );
  });
});
