import { describe, expect, it } from "vitest";
import { listEmergencies } from "../../../../src/audit/list-emergencies.ts";
import type { Composition, CompositionContext } from "../../../../src/composition/context/composition-context.ts";
import { assertDecided } from "../../../../src/composition/decision/assert-decided.ts";
import { noteDecision } from "../../../../src/composition/decision/own-decision.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { formatTime } from "../../../../src/model/time.ts";
import type { Workload } from "../../../../src/model/workload.ts";
import { copyOf, keys, openStore } from "../../../support/admission-store.ts";
import { NOW, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";
import { CHOSEN } from "../../../support/restore-in-emergency.ts";

const policy = await loadPolicy();
const EMERGENCY = {
  ...{ namespaces: ["demo"], by: "admin", reason: "a bad night" },
  ...{ from: formatTime(NOW + 120), until: formatTime(NOW + 600) },
};

/** A paused object with a decision, a copy of it that is created without a webhook four minutes after its deletion, and a controller. */
function copied({ isEmergency }: { isEmergency: boolean }) {
  const first = openStore(policy).create(vm(CHOSEN, { annotations: { "krateo.io/paused": "true" } })).object;
  const copy = copyOf(first);
  const { [ANNOTATION.paused]: _, ...annotations } = copy.metadata.annotations ?? {};
  const about = { uid: "22222222-2222-4222-8222-222222222222", creationTimestamp: formatTime(NOW + 240) };
  const again = { ...copy, metadata: { ...copy.metadata, ...about, annotations } };
  const owners = new Map<string, string>();
  const events: unknown[] = [];
  const emergencies = isEmergency ? [EMERGENCY] : [];
  const context = {
    ...{ keys: () => keys, nowSeconds: () => NOW + 241, serverSeconds: () => NOW + 241 },
    emergencies: () => Promise.resolve(emergencies),
    bindings: {
      ownerOf: (id: string) => Promise.resolve(owners.get(id) ?? null),
      latestOf: () => Promise.resolve(0),
      legacyUntil: () => Promise.resolve(0),
      bind: ({ id, uid }: { id: string; uid: string }) => {
        if (!owners.has(id)) owners.set(id, uid);
        return Promise.resolve(owners.get(id));
      },
    },
    records: { read: () => Promise.resolve(null) },
    record: (_object: unknown, event: unknown) => events.push(event),
    // No webhook answers.
    client: { patch: () => Promise.resolve(again) },
  } as unknown as CompositionContext;
  const install = () => assertDecided(context, { key: "a", object: again, path: "/a" } as unknown as Composition);
  const audit = () =>
    listEmergencies([again as unknown as Workload], {
      ring: keys,
      owners: { ownerOf: (id) => owners.get(id) ?? null },
      emergencies,
    });
  return { context, first, install, audit, events, owners };
}

describe("263: a copy of an object that was deleted before it was installed", () => {
  it("has the decision of the first one, which was bound while that was paused", async () => {
    const { context, first, install, owners } = copied({ isEmergency: false });
    await noteDecision(context, first as Resource);
    expect([...owners.values()]).toEqual([first.metadata.uid]);
    await expect(install()).rejects.toMatchObject({ code: "REL_REPLAYED" });
  });

  it.each([
    ["seen by a controller", true],
    ["never seen", false],
  ])("counts as undecided in an emergency if the first one was %s", async (_how, isSeen) => {
    const { context, first, install, audit, events } = copied({ isEmergency: true });
    if (isSeen) await noteDecision(context, first as Resource);
    const found = await install();
    expect(found?.object.metadata.annotations).not.toHaveProperty([ANNOTATION.decision]);
    expect(events).toEqual([expect.objectContaining({ reason: "InstalledInEmergency" })]);
    expect(audit()).toEqual([expect.objectContaining({ name: first.metadata.name, decided: false })]);
  });

  it("is not the first one itself, also where that is seen again", async () => {
    const { context, first, owners } = copied({ isEmergency: false });
    await noteDecision(context, first as Resource);
    await noteDecision(context, first as Resource);
    expect(owners.size).toBe(1);
    const found = await assertDecided(context, { key: "a", object: first, path: "/a" } as unknown as Composition);
    expect(found?.object.metadata.uid).toBe(first.metadata.uid);
  });
});
