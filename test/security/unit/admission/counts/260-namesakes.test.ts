import { describe, expect, it } from "vitest";
import type { LoadedBundle } from "../../../../../src/policy/loaded-bundle.ts";
import { openStore } from "../../../../support/admission-store.ts";
import { refuseUnstorable } from "../../../../../webhook/decisions/process/refuse-unstorable.ts";
import { vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";
import { withBudgets } from "../../../../support/with-budgets.ts";

const policy = await loadPolicy();
const SMALL = { cpu: 1, memory: 1, provider: "gcp", schedulingLocation: "europe-west1" };
const BIG = { ...SMALL, cpu: 16, memory: 4 };
const NAMES = ["a", "b", "c", "d"];
const QUOTA = { "landfall.dev/quota-vcpus": "32" };

/** Creations of 16 vCPU under the names of small objects that exist. */
function namesakes(bundle: LoadedBundle, annotations: Record<string, string>) {
  const store = openStore(bundle, annotations);
  const small = NAMES.map((name) => store.create(vm(SMALL, { name })).object);
  const ask = (fields: object = {}) => NAMES.map((name) => store.mutate(vm(BIG, { name }), fields).response);
  return { ...store, small, ask };
}

describe("260: creations under names that exist when they are decided, and are deleted before they are stored", () => {
  it.each([
    ["a quota", policy, QUOTA],
    ["the budget of a place", withBudgets(policy, { places: { "gcp/europe-west1": 32 } }), {}],
  ])("do not pass %s", (_limit, bundle, annotations) => {
    const { small, ask, remove } = namesakes(bundle, annotations);
    const refused = ask();
    for (const { status } of refused)
      expect(status).toMatchObject({
        ...{ code: 429, reason: "TooManyRequests", details: { retryAfterSeconds: 1 } },
        message: expect.stringMatching(
          /^there is, or was a moment ago, a VmTemplate [a-d] in namespace demo; .* \[ADM_NAME_EXISTS\]$/,
        ) as string,
      });
    for (const object of small) remove(object);
    expect(ask().filter(({ allowed }) => allowed)).toHaveLength(2);
  });

  it("are refused also while the first one is being deleted, and pass once that is gone", () => {
    const { create, mutate, see, remove } = openStore(policy, QUOTA);
    const { object } = create(vm(SMALL, { name: "a" }));
    see({ ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-11-20T22:00:00Z" } });
    expect(mutate(vm(BIG, { name: "a" })).response.status?.message).toContain("ADM_NAME_EXISTS");
    remove(object);
    expect(mutate(vm(BIG, { name: "a" })).response.allowed).toBe(true);
  });

  it("are told apart from updates, generated names and dry runs, which reserve nothing", () => {
    const { create, update, mutate, ask } = namesakes(policy, QUOTA);
    const { object } = create(vm(SMALL, { name: "e" }));
    const labelled = { ...object, metadata: { ...object.metadata, labels: { team: "a" } } };
    expect(update(object, labelled).allowed).toBe(true);
    const generated = vm(BIG, { generateName: "a" });
    delete generated.metadata.name;
    expect(mutate(generated).response.allowed).toBe(true);
    expect(
      ask({ dryRun: true })
        .map(({ status }) => status?.message ?? "")
        .join("\n"),
    ).not.toContain("ADM_NAME_EXISTS");
  });
});

it("260: a name that exists is refused as the API server refuses it, once its deletion would have been seen", () => {
  let ms = 0;
  const refuse = refuseUnstorable({ isStored: (key) => key !== "free" }, () => ms);
  const request = { operation: "CREATE", kind: "VmTemplate", object: vm(SMALL, { name: "a" }), oldObject: null };
  const codeOf = (key: string) => refuse(key, request as never)?.code ?? null;
  expect([codeOf("a"), codeOf("a"), codeOf("free")]).toEqual(["ADM_NAME_EXISTS", "ADM_NAME_EXISTS", null]);
  ms += 1000;
  expect([codeOf("a"), codeOf("b")]).toEqual(["ADM_EXISTS", "ADM_NAME_EXISTS"]);
  ms += 60_000;
  expect(codeOf("a")).toBe("ADM_NAME_EXISTS");
});
