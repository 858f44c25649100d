// What /status, /readyz and the report of a replica say of its state.
import { describe, expect, it } from "vitest";
import { VERSION } from "../../../src/model/names.ts";
import type { ClusterWatch } from "../../../src/external-data/watch-cluster.ts";
import type { Authenticator } from "../../../webhook/authentication/create-authenticator.ts";
import type { BundleWatch } from "../../../webhook/bundle-watch/watch-bundle.ts";
import { describeStatus, replicaState } from "../../../webhook/describe-status.ts";

interface State {
  active?: boolean;
  missing?: string[];
  lastError?: string | null;
  synced?: boolean;
  problem?: string | null;
  certificateEnd?: number | null;
}

function statusOf(state: State) {
  const { active = true, missing = [], lastError = null, synced = true, problem = null, certificateEnd = null } = state;
  const bundle = { active: active ? { bundle: { digest: "sha256:a" } } : null, missing, lastError };
  return describeStatus(
    { status: () => bundle } as unknown as BundleWatch,
    { hasSynced: () => synced } as ClusterWatch,
    { mode: "none", counts: () => ({}), certificateEnd: () => certificateEnd } as unknown as Authenticator,
    { forecasts: null, certificate: { problem: () => problem, status: () => null } },
  );
}

const EXPIRED = "bundle r.example/b:1 expired on 2026-11-28T16:42:24Z; publish a newer version [BUNDLE_EXPIRED]";

describe("a webhook", () => {
  it("is ready with its bundles, the cluster's data and a trusted certificate", () => {
    const status = statusOf({ lastError: "another one is not used" });
    expect(status()).toMatchObject({ ready: true, notReady: null });
    expect(replicaState(status)()).toEqual({ version: VERSION, bundle: "sha256:a", problem: "" });
  });

  it.each<[State, string]>([
    [{ active: false }, "no policy bundle has answered yet"],
    [{ missing: ["prices", "latency"] }, "required bundles were never loaded: prices, latency"],
    [{ synced: false, problem: "no CA" }, "it has not read the cluster's namespaces and objects yet"],
    [{ problem: "no CA" }, "no CA"],
  ])("says why it is not ready: %j", (state, why) => {
    expect(statusOf(state)()).toMatchObject({ ready: false, notReady: why });
    expect(replicaState(statusOf(state))().problem).toBe(why);
  });

  it("reports until when the API server's certificate is valid", () => {
    const status = statusOf({ certificateEnd: Date.parse("2027-11-28T00:00:00Z") });
    expect(status().door.certificateUntil).toBe("2027-11-28T00:00:00.000Z");
    expect(replicaState(status)()).toMatchObject({ clientUntil: "2027-11-28T00:00:00.000Z" });
  });

  it("reports why it has no bundle, which /readyz tells nobody", () => {
    const status = statusOf({ active: false, lastError: EXPIRED });
    expect(status().notReady).toBe("no policy bundle has answered yet");
    expect(replicaState(status)()).toEqual({
      version: VERSION,
      bundle: "",
      problem: `no policy bundle has answered yet: ${EXPIRED}`,
    });
  });
});
