import { describe, expect, it } from "vitest";
import { verifyDecision } from "../../../../src/model/decision-annotation/signature.ts";
import { ANNOTATION, DELETION_POLICY } from "../../../../src/model/names.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { vm } from "../../../support/admission.ts";
import { keys, openStore, type Stored } from "../../../support/admission-store.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const bundle = await loadPolicy();
const GCP = { provider: "gcp", schedulingLocation: "europe-west1", memory: 8 };

function openCluster(quota = "10") {
  const store = openStore(bundle, { "landfall.dev/quota-vcpus": quota });
  const asked = (cpu: number, name: string) => vm({ ...GCP, cpu, duration: "1h", whenDone: "delete" }, { name });
  const update = (before: WorkloadObject, after: WorkloadObject): Stored => {
    const stored = store.update(before, after);
    if (stored.allowed) store.see(stored.object);
    return stored;
  };
  const resize = (before: WorkloadObject, cpu: number): WorkloadObject => {
    const { allowed, message, object } = update(before, { ...before, spec: { ...before.spec, cpu } });
    expect([allowed, message]).toEqual([true, ""]);
    return object;
  };
  return { ...store, asked, update, resize };
}

/** What the tenant reads of an earlier version of its object, put back. */
function withDecisionOf(
  object: WorkloadObject,
  earlier: WorkloadObject,
  more: Record<string, string> = {},
): WorkloadObject {
  const { annotations = {} } = earlier.metadata;
  const written = [ANNOTATION.decision, ANNOTATION.seal].map((name) => [name, annotations[name] ?? ""] as const);
  const all = { ...object.metadata.annotations, ...Object.fromEntries(written), ...more };
  return { ...object, spec: earlier.spec ?? {}, metadata: { ...object.metadata, annotations: all } };
}

const timeOf = (object: WorkloadObject): number => {
  const signature = verifyDecision(keys, object)?.signature;
  return signature === undefined || signature.use === "legacy" ? 0 : signature.at;
};

describe("141: a decision that was replaced within the same second", () => {
  it("does not come back once others have what it gave up", () => {
    const { asked, create, update, resize } = openCluster();
    const small = create(asked(2, "x")).object;
    const large = resize(small, 8);
    const again = resize(large, 2);
    expect(create(asked(8, "y")).allowed).toBe(true);
    const back = update(again, withDecisionOf(again, large));
    expect(back).toMatchObject({ allowed: false });
    expect(back.message).toContain("POL_QUOTA");
  });

  it("is told from the later one by every replica: each signature is later than the one that it replaces", () => {
    const { asked, create, resize, clock } = openCluster();
    const first = create(asked(2, "x")).object;
    const second = resize(first, 8);
    const third = resize(second, 2);
    expect(timeOf(second)).toBeGreaterThan(timeOf(first));
    expect(timeOf(third)).toBeGreaterThan(timeOf(second));
    // The clock of another replica is behind.
    clock.nowSeconds -= 5;
    expect(timeOf(resize(third, 4))).toBeGreaterThan(timeOf(third));
  });

  it("is refused by the guard if another webhook puts it back", () => {
    const { asked, create, resize, ask } = openCluster();
    const large = resize(create(asked(2, "x")).object, 8);
    const again = resize(large, 2);
    const put = ask("/validate", withDecisionOf(again, large), { operation: "UPDATE", oldObject: again });
    expect(put.status?.message).toContain("ADM_DECISION_REPLAYED");
  });

  it("brings no annotation past the rules", () => {
    const { asked, create, update, resize } = openCluster("100");
    const large = resize(create(asked(2, "x")).object, 4);
    const again = resize(large, 2);
    const orphan = { [DELETION_POLICY]: "orphan" };
    const direct = {
      ...again,
      metadata: { ...again.metadata, annotations: { ...again.metadata.annotations, ...orphan } },
    };
    const denied = update(again, direct);
    expect(denied.allowed).toBe(false);
    expect(update(again, withDecisionOf(again, large, orphan)).allowed).toBe(false);
  });
});

describe("141: the second call for one request", () => {
  const calledAgain = (more: Partial<WorkloadObject["metadata"]>) => {
    const { asked, create, mutate, ask } = openCluster();
    const stored = create(asked(2, "x")).object;
    const both = { operation: "UPDATE", oldObject: stored };
    const first = mutate({ ...stored, spec: { ...stored.spec, cpu: 4 } }, both).next;
    const annotations = { ...first.metadata.annotations, ...more.annotations };
    const changed = { ...first, metadata: { ...first.metadata, ...more, annotations } };
    const { response, patch, next } = mutate(changed, both);
    return { response, patch, checked: ask("/validate", next, both) };
  };

  it("keeps the decision of the first one", () => {
    const { response, patch, checked } = calledAgain({ labels: { "other.example/webhook": "was-here" } });
    expect([response.allowed, patch, checked.allowed]).toEqual([true, [], true]);
  });

  it("denies what another webhook wrote in between and the rules refuse", () => {
    const { response } = calledAgain({ annotations: { [DELETION_POLICY]: "orphan" } });
    expect(response.allowed).toBe(false);
  });
});
