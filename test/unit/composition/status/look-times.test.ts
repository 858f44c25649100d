import { describe, expect, it } from "vitest";
import { isLookAwaited, lookTimes } from "../../../../src/composition/status/look-times.ts";
import type { Found } from "../../../../src/composition/status/retry-times.ts";
import { summariseReadiness } from "../../../../src/composition/status/summarise-readiness.ts";

const NOW = Date.parse("2026-06-01T12:00:00Z") / 1000;
const LOOK = "2026-06-01T11:00:00Z";

function instance(generation: number, lastTransitionTime: string, apiVersion = "ec2.services.k8s.aws/v1alpha1"): Found {
  const condition = { status: "True", lastTransitionTime };
  const conditions = [
    { type: "ACK.ResourceSynced", ...condition },
    { type: "Ready", ...condition },
  ];
  const [kind, name] = ["Instance", "web"];
  return {
    apiVersion,
    kind,
    name,
    live: { apiVersion, kind, metadata: { uid: "u", generation }, status: { conditions } },
  };
}

/** What Ready says after each look of the controller: the resource as it is then, and the seconds since the first look. */
function said(...looks: [Found, number][]): string[] {
  let times: ReadonlyMap<string, number> = new Map();
  return looks.map(([found, after]) => {
    times = lookTimes([found], times, NOW + after);
    const { reason, message } = summariseReadiness([found], NOW + after, times);
    return `${reason}: ${message}`;
  });
}

const READY = "Available: 1 resource is ready";
const OPEN = "Creating: waiting for Instance web: Pending: its operator has not handled the last change yet";

describe("a change of a resource of ACK, whose conditions have no generation", () => {
  it("is open until ACK gives its conditions another time, and its operator silent after 15 minutes", () => {
    const changed = instance(2, LOOK);
    expect(said([instance(1, LOOK), 0], [changed, 1], [changed, 20], [changed, 21], [changed, 900])).toEqual([
      ...[READY, READY, READY, OPEN, OPEN],
    ]);
    const [, , silent, seen] = said(
      [instance(1, LOOK), 0],
      [changed, 1],
      [changed, 901],
      [instance(2, "2026-06-01T12:15:02Z"), 902],
    );
    expect(silent).toMatch(/^ProviderRetrying: .*\[REL_PROVIDER_SILENT\]$/);
    expect(seen).toBe(READY);
  });

  it("counts from the first of several changes", () => {
    expect(
      said([instance(1, LOOK), 0], [instance(2, LOOK), 1], [instance(3, LOOK), 15], [instance(3, LOOK), 21])[3],
    ).toBe(OPEN);
  });

  it.each<[string, Found, Found]>([
    ["that was looked at before the controller saw it", instance(1, LOOK), instance(2, "2026-06-01T12:00:01Z")],
    [
      "shortly after a look, whose time has whole seconds",
      instance(1, "2026-06-01T11:59:58Z"),
      instance(2, "2026-06-01T11:59:58Z"),
    ],
    ["of another operator", instance(1, LOOK, "a.example/v1"), instance(2, LOOK, "a.example/v1")],
  ])("says nothing %s", (_what, before, after) => {
    expect(said([before, 0], [after, 1], [after, 2000])[2]).toBe(READY);
  });

  it("says nothing of what was changed while no controller ran", () => {
    expect(said([instance(2, LOOK), 0], [instance(2, LOOK), 2000])).toEqual([READY, READY]);
  });

  it("is looked for again soon as long as it is open", () => {
    const first = lookTimes([instance(1, LOOK)], new Map(), NOW);
    expect(isLookAwaited(first)).toBe(false);
    const open = lookTimes([instance(2, LOOK)], first, NOW + 1);
    expect(isLookAwaited(open)).toBe(true);
    expect(isLookAwaited(lookTimes([instance(2, "2026-06-01T12:00:02Z")], open, NOW + 3))).toBe(false);
  });
});
