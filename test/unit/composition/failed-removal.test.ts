import { expect, it } from "vitest";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import { apiPath } from "../../../src/cluster/api-path.ts";
import type { CompositionContext } from "../../../src/composition/context/composition-context.ts";
import { FINALIZER } from "../../../src/composition/keys.ts";
import { reconcileComposition } from "../../../src/composition/reconcile/reconcile-composition.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { LandfallError } from "../../../src/errors.ts";

const object: Resource = {
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate" },
  metadata: {
    ...{ uid: "u", namespace: "demo", name: "web", finalizers: [FINALIZER], deletionTimestamp: "2026-11-22T00:00:00Z" },
  },
  status: { conditions: [{ type: "Ready", status: "True", reason: "Available", message: "" }] },
};

/** What is told of an object that is being deleted, if its release cannot be removed because of `thrown`. */
async function told(thrown: Error) {
  const statuses: unknown[] = [];
  const events: unknown[] = [];
  const context = {
    client: { patch: (_path: string, _type: string, body: unknown) => Promise.resolve(void statuses.push(body)) },
    clientIn: () => Promise.reject(thrown),
    ...{ nowSeconds: () => 1_800_000_000, releases: new Map() },
    record: (_object: Resource, event: unknown) => events.push(event),
  } as unknown as CompositionContext;
  const path = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/demo/vmtemplates/web`;
  const failure: unknown = await reconcileComposition(context, { key: "vmtemplates/demo/web", object, path }).then(
    () => null,
    (one: unknown) => one,
  );
  return { statuses, events, failure };
}

it("tells by a condition and an Event why an object that is being deleted stays, and tries again", async () => {
  const thrown = new LandfallError("TOOL_FAILED", { tool: "/usr/bin/helm", detail: "spawn ENOENT" });
  const { statuses, events, failure } = await told(thrown);
  expect(failure).toBe(thrown);
  const message = expect.stringContaining("/usr/bin/helm failed: spawn ENOENT") as string;
  expect(events).toEqual([{ type: "Warning", reason: "DeletionFailed", message }]);
  expect(statuses).toMatchObject([
    {
      status: {
        conditions: [
          { type: "Ready", status: "False", reason: "Deleting", message },
          { type: "Synced", status: "False", reason: "ReconcileError", message },
        ],
      },
    },
  ]);
});

it("tells nothing if the API server gives no answer: the next attempt tells", async () => {
  const { statuses, events } = await told(new ApiError(0, { action: "PUT /x", detail: "no answer" }));
  expect([statuses, events]).toEqual([[], []]);
});

it("tells that the controller's disk is full, with what to do", async () => {
  const thrown = Object.assign(new Error("ENOSPC: no space left on device, write"), {
    code: "ENOSPC",
    syscall: "write",
  });
  const { statuses, events } = await told(thrown);
  const message = expect.stringMatching(/disk is full: ENOSPC.*frees space.*\[REL_DISK_FULL\]/s) as string;
  expect([statuses, events]).toMatchObject([
    [{ status: { conditions: [{ message }, { message }] } }],
    [{ type: "Warning", reason: "DeletionFailed", message }],
  ]);
});
