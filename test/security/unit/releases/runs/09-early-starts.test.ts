import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import { holdUntilStart } from "../../../../../src/composition/decision/hold-until-start.ts";
import type { Composition, CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { verifyDecision } from "../../../../../src/model/decision-annotation/signature.ts";
import { ANNOTATION } from "../../../../../src/model/names.ts";
import { formatTime } from "../../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { context, create, NO_OWNERS, NOW, patched, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const admission = context(await loadPolicy(), NOW, NO_OWNERS);

function planned(annotations: Record<string, string> = {}): WorkloadObject {
  const object = vm({ cpu: 2, memory: 4, schedulingTime: formatTime(NOW + 3600) });
  const { metadata, ...rest } = patched(object, admit(create(object), admission));
  const { [ANNOTATION.paused]: _, ...others } = metadata.annotations ?? {};
  return { ...rest, metadata: { ...metadata, resourceVersion: "7", annotations: { ...others, ...annotations } } };
}

/** A controller at this time; nothing is installed. */
function controller(object: WorkloadObject, nowSeconds: number) {
  const calls: { patches: unknown[]; events: unknown[] } = { patches: [], events: [] };
  const parts = {
    nowSeconds: () => nowSeconds,
    records: { read: () => Promise.resolve(null) },
    record: (_object: unknown, event: unknown) => calls.events.push(event),
    client: { patch: (_path: string, _how: string, patch: unknown) => Promise.resolve(calls.patches.push(patch)) },
  };
  const verified = verifyDecision(admission.keys, object);
  if (verified === null) throw new TypeError("the object has no decision");
  const composition = { key: "a", object, path: "/a" } as unknown as Composition;
  const held = holdUntilStart(parts as unknown as CompositionContext, composition, verified);
  return { held, calls };
}

describe("9: an object whose pause was removed while no webhook was registered", () => {
  it("is paused again until its start, and not installed", async () => {
    const { held, calls } = controller(planned(), NOW);
    await expect(held).resolves.toBe(true);
    expect(calls.patches).toEqual([
      { metadata: { resourceVersion: "7", annotations: { [ANNOTATION.paused]: "true" } } },
    ]);
    expect(calls.events).toMatchObject([{ type: "Warning", reason: "PausedUntilStart" }]);
  });

  it("is reported if somebody asks to start it now, because nothing decided that", async () => {
    const { held, calls } = controller(planned({ [ANNOTATION.startNow]: "at once" }), NOW);
    await expect(held).rejects.toMatchObject({ code: "REL_UNDECIDED" });
    expect(calls.patches).toEqual([]);
  });

  it("is installed from its start on, and a minute earlier because clocks differ", async () => {
    for (const at of [3540, 3600, 90_000]) {
      const { held, calls } = controller(planned(), NOW + at);
      await expect(held).resolves.toBe(false);
      expect(calls.patches).toEqual([]);
    }
  });
});
