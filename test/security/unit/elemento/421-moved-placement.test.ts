import { describe, expect, it } from "vitest";
import { nextKaasStep } from "../../../../src/elemento/step/next-kaas-step.ts";
import { nextVmStep } from "../../../../src/elemento/step/next-vm-step.ts";
import type { VmWorld } from "../../../../src/elemento/step/vm-step-input.ts";
import { kaasObject, kaasWorld, PARTS, vm, vmObject, vmWorld } from "../../../unit/elemento/samples.ts";

const ASKED = { provider: "ovh", region: "gra7" };
const AWAY = { provider: "aws", region: "us-east-1" };

/** What the operator does for a machine of OVH in gra7 whose status says this. */
const stepOf = (placement: { provider: string; region?: string }, world: Partial<VmWorld>, spec: object = ASKED) =>
  nextVmStep(vmObject({ spec, status: { placement, cloudInit: { id: "v2" } } }), vmWorld(world)).step;

describe("421: who may write only a machine's status", () => {
  it.each([
    ["another provider", AWAY],
    ["another region", { ...ASKED, region: "us-east-1" }],
    ["no region", { provider: "ovh" }],
  ])("moves no part of it and no machine: %s", (_, placement) => {
    const asked = { do: "quote-machine", ...ASKED };
    expect(stepOf(placement, {})).toMatchObject(asked);
    expect(stepOf(placement, PARTS)).toMatchObject(asked);
  });

  it("still gets a machine where its spec says, also in Elemento's own notation", () => {
    const spec = { provider: "ionos", region: "de-fra" };
    const placement = { provider: "ionos", region: "de/fra" };
    const place = { request: { place: placement } };
    expect(stepOf(placement, {}, spec)).toMatchObject({ do: "create", things: [place, place, place] });
    expect(stepOf(placement, PARTS, spec)).toMatchObject({ do: "create", things: [{ what: "machine", ...place }] });
  });

  it("leaves a machine that runs as it is, and says what does not fit", () => {
    const world = { ...PARTS, vms: [vm("m1")] };
    const drift = ["its status places it at aws us-east-1, not ovh gra7"];
    expect(stepOf(AWAY, world)).toMatchObject({ do: "rest", drift });
    expect(stepOf(ASKED, world)).toMatchObject({ do: "rest", drift: [] });
  });

  it("moves no cluster", () => {
    const object = kaasObject({ spec: ASKED, status: { placement: AWAY } });
    const thing = { what: "cluster", request: { place: { provider: "ovh" } } };
    expect(nextKaasStep(object, kaasWorld()).step).toMatchObject({ do: "create", things: [thing] });
  });
});
