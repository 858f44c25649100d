import { expect, it } from "vitest";
import { clearStale, staleFields } from "../../../src/composition/release/clear-stale.ts";
import type { CompositionContext } from "../../../src/composition/context.ts";
import type { Release } from "../../../src/composition/release/release.ts";
import type { Resource } from "../../../src/composition/types.ts";

const pool = (spec: Record<string, unknown>, kind = "Nodegroup"): Resource => ({
  apiVersion: "eks.services.k8s.aws/v1alpha1",
  kind,
  metadata: { name: "web-first" },
  spec,
});

it.each<[string, Resource, Resource, string[]]>([
  [
    "a release of the version before",
    pool({ version: "1.35" }),
    pool({ releaseVersion: "1.34.2-20261101" }),
    ["releaseVersion"],
  ],
  ["a release of the version", pool({ version: "1.35" }), pool({ releaseVersion: "1.35.1-20261120" }), []],
  ["1.3 is not 1.35", pool({ version: "1.3" }), pool({ releaseVersion: "1.35.1-20261120" }), ["releaseVersion"]],
  ["a pool without a version", pool({}), pool({ releaseVersion: "1.34.2-20261101" }), []],
  ["a pool that has none yet", pool({ version: "1.35" }), pool({}), []],
  [
    "one that the manifest sets itself",
    pool({ version: "1.35", releaseVersion: "x" }),
    pool({ releaseVersion: "1.34.2-20261101" }),
    [],
  ],
  ["another kind", pool({ version: "1.35" }, "Cluster"), pool({ releaseVersion: "1.34.2-1" }, "Cluster"), []],
])("%s", (_, manifest, live, fields) => {
  expect(staleFields(manifest, live)).toEqual(fields);
});

it("is cleared by one patch of the namespace's identity, and nothing else is written", async () => {
  const patches: unknown[] = [];
  const live = new Map([
    ["old", pool({ version: "1.34", releaseVersion: "1.34.2-20261101" })],
    ["new", pool({ version: "1.35", releaseVersion: "1.35.1-20261120" })],
  ]);
  const objects = [...live.keys()].map((name) => ({
    ...{ name, kind: "Nodegroup", manifest: pool({ version: "1.35" }), entry: { path: `/pools/${name}` } },
  }));
  const context = {
    managed: { get: ({ name }: { name: string }) => live.get(name) },
    tenant: (namespace: string) => ({
      patch: (...args: unknown[]) => {
        patches.push([namespace, ...args]);
        return Promise.resolve();
      },
    }),
    log: { info: () => undefined },
  } as unknown as CompositionContext;
  await clearStale(context, { namespace: "demo", objects } as unknown as Release);
  expect(patches).toEqual([["demo", "/pools/old", "merge", { spec: { releaseVersion: null } }]]);
});
