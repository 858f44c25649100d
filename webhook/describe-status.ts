import type { ClusterWatch } from "../src/external-data/watch-cluster.ts";
import type { Authenticator } from "./authentication/create-authenticator.ts";
import type { ReplicaState } from "../src/model/replica-report.ts";
import { VERSION } from "../src/model/names.ts";
import type { BundleStatus } from "./bundle-watch/bundle-status.ts";
import type { BundleWatch } from "./bundle-watch/watch-bundle.ts";
import type { KeptCertificate } from "./certificates/keep-certificate.ts";
import type { Forecasts } from "./open-forecasts.ts";

/** The certificate, as far as /status and readiness need it. */
export type ComparedCertificate = Pick<KeptCertificate, "problem"> & { status: () => object | null };

/** One that is compared with nothing. */
const UNCOMPARED = { problem: () => null, status: () => null };

interface WebhookStatus extends Record<string, unknown> {
  ready: boolean;
  notReady: string | null;
  bundle: BundleStatus;
  door: { certificateUntil: string | null } & Record<string, unknown>;
}

/** Why a webhook is not ready; null if it is. */
function whyNotReady({ active, missing }: BundleStatus, synced: boolean, problem: string | null): string | null {
  if (active === null) return "no policy bundle has answered yet";
  if (missing.length > 0) return `required bundles were never loaded: ${missing.join(", ")}`;
  return synced ? problem : "it has not read the cluster's namespaces and objects yet";
}

/** The content of /status. Ready is a webhook that has its bundles and the cluster's data, and that the API server trusts. */
export function describeStatus(
  policy: BundleWatch,
  watch: ClusterWatch,
  { mode, counts, certificateEnd }: Authenticator,
  { forecasts, certificate = UNCOMPARED }: { forecasts: Forecasts | null; certificate?: ComparedCertificate },
): () => WebhookStatus {
  const began = Date.now();
  return () => {
    const bundle = policy.status();
    const problem = certificate.problem();
    const end = certificateEnd();
    const notReady = whyNotReady(bundle, watch.hasSynced(), problem);
    return {
      ready: notReady === null,
      notReady,
      certificate: certificate.status(),
      policy: bundle.active?.bundle ?? null,
      policyError: bundle.lastError,
      bundle,
      forecasts: forecasts?.status() ?? null,
      clusterSynced: watch.hasSynced(),
      door: {
        ...{ setting: mode, reviews: counts() },
        certificateUntil: end === null ? null : new Date(end).toISOString(),
      },
      uptimeSeconds: Math.round((Date.now() - began) / 1000),
    };
  };
}

/** The state in the report of this replica. Unlike /readyz, only those with rights on Landfall's namespace read it, so it has the cause. */
export const replicaState = (status: () => WebhookStatus) => (): ReplicaState => {
  const { notReady, bundle, door } = status();
  const error = bundle.active === null && bundle.lastError !== null ? `: ${bundle.lastError}` : "";
  return {
    version: VERSION,
    bundle: bundle.active?.bundle.digest ?? "",
    problem: notReady === null ? "" : `${notReady}${error}`,
    ...(door.certificateUntil === null ? {} : { clientUntil: door.certificateUntil }),
  };
};
