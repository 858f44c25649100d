import type { Registry } from "prom-client";
import type { KeptCertificate } from "../certificates/keep-certificate.ts";
import { addGauge } from "./collected-gauge.ts";

/** Adds whether the API server trusts this replica, until when its certificate is valid, and whether its CA is being replaced. */
export function addCertificateMetrics(
  registry: Registry,
  { problem, status }: Pick<KeptCertificate, "problem" | "status">,
): void {
  addGauge(registry, {
    name: "landfall_webhook_certificate_trusted",
    help: "1 if this replica's certificate is valid and every webhook configuration names its CA, otherwise 0.",
    collect: () => [{ labels: {}, value: Number(problem() === null) }],
  });
  addGauge(registry, {
    name: "landfall_webhook_certificate_expires_seconds",
    help: "Until when this replica's certificate is valid, in seconds since 1970.",
    collect: () => [{ labels: {}, value: Date.parse(status().validUntil) / 1000 }],
  });
  addGauge(registry, {
    name: "landfall_webhook_ca_rotation_seconds",
    help: "Age of the present step of the replacement of the CA, in seconds; 0 while none is replaced.",
    collect: () => {
      const since = Date.parse(status().rotation?.since ?? "");
      return [{ labels: {}, value: Number.isNaN(since) ? 0 : Math.max(0, (Date.now() - since) / 1000) }];
    },
  });
}
