import type { ClusterWatch } from "../src/external-data/watch-cluster.ts";
import type { Authenticator } from "./authentication/create-authenticator.ts";
import type { BundleWatch } from "./bundle-watch/watch-bundle.ts";
import type { KeptCertificate } from "./certificates/keep-certificate.ts";
import type { Forecasts } from "./open-forecasts.ts";
import type { WebhookDeps } from "./serving/build-app.ts";

/** The certificate, as far as /status and readiness need it. */
export type ComparedCertificate = Pick<KeptCertificate, "problem"> & { status: () => object | null };

/** One that is compared with nothing. */
const UNCOMPARED = { problem: () => null, status: () => null };

/** The content of /status. Ready is a webhook that has its bundles and the cluster's data, and that the API server trusts. */
export function describeStatus(
  policy: BundleWatch,
  watch: ClusterWatch,
  { mode, counts }: Authenticator,
  { forecasts, certificate = UNCOMPARED }: { forecasts: Forecasts | null; certificate?: ComparedCertificate },
): WebhookDeps["status"] {
  const began = Date.now();
  return () => {
    const bundle = policy.status();
    const problem = certificate.problem();
    const answers = bundle.active !== null && bundle.missing.length === 0;
    return {
      ready: answers && watch.hasSynced() && problem === null,
      notReady: answers ? problem : null,
      certificate: certificate.status(),
      policy: bundle.active?.bundle ?? null,
      policyError: bundle.lastError,
      bundle,
      forecasts: forecasts?.status() ?? null,
      clusterSynced: watch.hasSynced(),
      door: { setting: mode, reviews: counts() },
      uptimeSeconds: Math.round((Date.now() - began) / 1000),
    };
  };
}
