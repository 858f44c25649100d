import { describe, expect, it } from "vitest";
import { apiPath } from "../../../../../src/cluster/api-path.ts";
import { ApiError } from "../../../../../src/cluster/client/api-error.ts";
import { assertDecided } from "../../../../../src/composition/decision/assert-decided.ts";
import type { CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import type { Resource } from "../../../../../src/composition/types.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { NOW, vm } from "../../../../support/admission.ts";
import { keys, openStore } from "../../../../support/admission-store.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();
const MINUTE = 60;
const SPEC = { cpu: 2, memory: 4, provider: "azure", schedulingLocation: "italynorth" };

interface Given {
  /** Seconds since its decision. */
  after: number;
  spec?: object;
  /** Whether a run is recorded for it. */
  hasRun?: boolean;
  /** Whether the webhook denies it by then. */
  isDenied?: boolean;
  /** Whether the webhook's clock stands. */
  isSlow?: boolean;
}

/** What is done about an object that nothing is installed for, by patches and their dry runs, and the object after it. */
async function reconcile({ after, spec = {}, hasRun = false, isDenied = false, isSlow = false }: Given) {
  const store = openStore(policy);
  let { object } = store.create(vm({ ...SPEC, duration: "1h", ...spec }));
  if (!isSlow) store.clock.nowSeconds = NOW + after;
  const patches: string[] = [];
  const patch = (_path: string, _how: string, body: Pick<WorkloadObject, "metadata">, query?: object) => {
    patches.push(query === undefined ? "patch" : "dry run");
    if (isDenied) return Promise.reject(new ApiError(403, { action: "PATCH", detail: "the budget is full" }));
    const annotations = { ...object.metadata.annotations, ...body.metadata.annotations };
    const asked = { ...object, metadata: { ...object.metadata, annotations } };
    const answered = store.update(object, asked, query === undefined ? {} : { dryRun: true }).object;
    if (query === undefined) object = answered;
    return Promise.resolve(answered);
  };
  const context = {
    ...{ keys: () => keys, nowSeconds: () => NOW + after, serverSeconds: () => NOW + after },
    bindings: {
      ownerOf: () => Promise.resolve(object.metadata.uid),
      ...{ latestOf: () => Promise.resolve(0), legacyUntil: () => Promise.resolve(0) },
      bind: ({ uid }: { uid: string }) => Promise.resolve(uid),
    },
    records: { read: () => Promise.resolve(null) },
    runs: { read: () => Promise.resolve(hasRun ? { uid: object.metadata.uid } : null) },
    ...{ record: () => undefined, client: { patch } },
  } as unknown as CompositionContext;
  const assert = () => assertDecided(context, { key: "a", path: apiPath`/a`, object: object as Resource });
  const result = await assert().then(
    (found) => (found === null ? "asked" : "installed"),
    (thrown: unknown) => thrown,
  );
  return { result, patches, assert };
}

describe("213: a run that a label of its owner held back", () => {
  it("is decided again before it is installed hours after its decided start", async () => {
    const { result, patches, assert } = await reconcile({ after: 120 * MINUTE });
    expect([result, patches]).toEqual(["asked", ["dry run", "patch"]]);
    expect(await assert()).not.toBeNull();
    expect(patches).toHaveLength(2);
  });

  it("is not installed if it is denied by then", async () => {
    const { result, patches } = await reconcile({ after: 120 * MINUTE, isDenied: true });
    expect(result).toMatchObject({
      code: "REL_UNCONFIRMED",
      message: expect.stringContaining("budget is full") as string,
    });
    expect(patches).toEqual(["dry run"]);
  });

  it("is not asked about in a loop if the webhook's clock is behind", async () => {
    const { result, patches } = await reconcile({ after: 120 * MINUTE, isSlow: true });
    expect([result, patches]).toMatchObject([{ code: "REL_UNCONFIRMED" }, ["dry run"]]);
  });

  it.each<[string, Given]>([
    ["in time", { after: 10 * MINUTE }],
    ["recorded as started", { after: 120 * MINUTE, hasRun: true }],
    ["without an end", { after: 120 * MINUTE, spec: { duration: undefined } }],
  ])("is installed without a question: %s", async (_name, given) => {
    expect(await reconcile(given)).toMatchObject({ result: "installed", patches: [] });
  });
});
