import { describe, expect, it } from "vitest";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { activeBundle } from "../../../src/cli/commands/impact/active-bundle.ts";
import { flagsFor } from "../../../src/cli/options/registry-options.ts";

const DEPLOYMENT = "/apis/apps/v1/namespaces/landfall-system/deployments/landfall-webhook";
const REPORT = "/api/v1/namespaces/landfall-system/configmaps/landfall-bundles";
const report = { follows: "127.0.0.1:5000/policies/landfall:local", active: [], quarantined: [] };

const clientOf = (objects: Readonly<Record<string, unknown>>): KubeClient =>
  ({
    get: (path: string) => Promise.resolve(objects[path] ?? null),
  }) as unknown as KubeClient;

const deployment = (...args: string[]) => ({ spec: { template: { spec: { containers: [{ args }] } } } });

describe("the bundle that decides now", () => {
  it("is what the webhook's Deployment names", async () => {
    const client = clientOf({ [DEPLOYMENT]: deployment("--bundle=registry.example.org/policies:1") });
    expect(await activeBundle(client, "landfall-system")).toMatchObject({ ref: "registry.example.org/policies:1" });
  });

  it("is what the webhook reports to follow, where it has no Deployment", async () => {
    const client = clientOf({ [REPORT]: { data: { report: JSON.stringify(report) } } });
    expect(await activeBundle(client, "landfall-system")).toMatchObject({ ref: report.follows });
  });

  it("is not asked of a cluster whose API server fails", async () => {
    const client = clientOf({});
    client.get = () => Promise.reject(new ApiError(500, { action: "GET", detail: "no" }));
    await expect(activeBundle(client, "landfall-system")).rejects.toBeInstanceOf(ApiError);
  });
});

describe("a registry without TLS", () => {
  it("is the one that is named, and no other", () => {
    const flags = { plainHttpHost: ["127.0.0.1:5000"] };
    expect(flagsFor(flags, "127.0.0.1:5000/policies/landfall:local")).toMatchObject({ plainHttp: true });
    for (const ref of ["127.0.0.1:50001/policies:1", "registry.example.org/127.0.0.1:5000/x", "policies/bundle"])
      expect([ref, flagsFor(flags, ref)]).toEqual([ref, flags]);
  });
});
