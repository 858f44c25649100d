import { expect, it, vi } from "vitest";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { type BundleReport, readBundleReport } from "../../../src/model/bundle-format/bundle-report.ts";
import type { BundleStatus } from "../../../webhook/bundle-watch/bundle-status.ts";
import { reportBundles, reportOf } from "../../../webhook/bundle-watch/report-bundles.ts";

type ConfigMap = { metadata: { name: string }; data: Record<string, string> };

/** An API server that keeps one ConfigMap, and fails the first `failures` reads. */
function store(failures = 0) {
  let left = failures;
  const kept: { object: ConfigMap | null; writes: number } = { object: null, writes: 0 };
  const client = {
    get() {
      left -= 1;
      return left >= 0
        ? Promise.reject(new ApiError(503, { action: "read", detail: "busy" }))
        : Promise.resolve(kept.object);
    },
    create(_path: string, object: ConfigMap) {
      kept.object = object;
      kept.writes += 1;
      return Promise.resolve(object);
    },
    patch(_path: string, _type: string, { data }: Pick<ConfigMap, "data">) {
      kept.object = { metadata: { name: "landfall-bundles" }, data };
      kept.writes += 1;
      return Promise.resolve(kept.object);
    },
  };
  const failed: unknown[] = [];
  const reporter = reportBundles({
    ...{ client: client as unknown as KubeClient, namespace: "landfall-system", againMs: 5 },
    onFailure: (thrown) => failed.push(thrown),
  });
  const report = (): BundleReport | null => readBundleReport(kept.object?.data["report"]);
  return { reporter, kept, failed, report };
}

const reported = (digest: string, at: string): BundleReport => ({
  follows: "registry.example.org/policies:1",
  active: [{ bundle: "", digest, content: `${digest}-content`, revision: "1", signers: ["team"], at }],
  quarantined: [{ digest: "sha256:c", code: "BUNDLE_CANARY", reason: "denies 4", at }],
});

it("keeps what decides and what is refused, and since when over restarts", async () => {
  const { reporter, kept, report } = store();
  reporter.write(() => reported("sha256:a", "2026-11-20T10:00:00Z"));
  await vi.waitFor(() => expect(report()).toEqual(reported("sha256:a", "2026-11-20T10:00:00Z")));
  expect(kept.object?.metadata.name).toBe("landfall-bundles");
  reporter.write(() => ({ ...reported("sha256:a", "2026-11-20T12:00:00Z"), quarantined: [] }));
  await vi.waitFor(() => expect(report()?.quarantined).toEqual([]));
  expect(report()?.active).toEqual(reported("sha256:a", "2026-11-20T10:00:00Z").active);
  reporter.write(() => reported("sha256:b", "2026-11-20T13:00:00Z"));
  await vi.waitFor(() => expect(report()).toEqual(reported("sha256:b", "2026-11-20T13:00:00Z")));
  expect(kept.writes).toBe(3);
});

it("writes the newest report again until the API server takes it", async () => {
  const { reporter, report, failed } = store(1);
  reporter.write(() => reported("sha256:a", "2026-11-20T10:00:00Z"));
  reporter.write(() => reported("sha256:b", "2026-11-20T11:00:00Z"));
  await vi.waitFor(() => expect(report()?.active[0]?.digest).toBe("sha256:b"));
  expect(failed).toHaveLength(1);
});

it("is read as far as it is one", () => {
  expect(readBundleReport(undefined)).toBe(null);
  expect(readBundleReport("[]")).toBe(null);
  const strange = {
    follows: 1,
    active: [3, { digest: "sha256:a", signers: [1, "me"], at: "soon" }],
    quarantined: "no",
  };
  expect(readBundleReport(JSON.stringify(strange))).toEqual({
    follows: "",
    active: [{ bundle: "", digest: "sha256:a", content: "", revision: "", signers: ["me"], at: "" }],
    quarantined: [],
  });
});

it("has the platform's bundle, those beside it, and all that are refused", () => {
  const refused = (digest: string) => ({ digest, code: "BUNDLE_SMOKE", reason: "fails", at: "2026-11-20T10:00:00Z" });
  const used = (digest: string, revision: string) => ({
    ...{ digest, at: "2026-11-20T10:00:00Z", from: "registry", signers: [] },
    bundle: { digest: `${digest}-content`, revision },
  });
  const status = {
    active: used("sha256:a", "1"),
    quarantined: [refused("sha256:x")],
    others: {
      prices: { active: used("sha256:p", "7"), quarantined: [refused("sha256:y")] },
      gone: { active: null, quarantined: [] },
    },
  } as unknown as BundleStatus;
  const report = reportOf("registry.example.org/policies:1", status);
  expect(report.active.map(({ bundle, content }) => [bundle, content])).toEqual([
    ["", "sha256:a-content"],
    ["prices", "sha256:p-content"],
  ]);
  expect(report.quarantined).toEqual([refused("sha256:x"), refused("sha256:y")]);
});
