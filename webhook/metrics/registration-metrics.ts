import { Counter, type Registry } from "prom-client";
import type { Registration } from "../registration/keep-registered.ts";
import { addGauge } from "./collected-gauge.ts";

/** Adds whether the API server sends every object to this webhook, and how often its configurations were put back. */
export function addRegistrationMetrics(
  registry: Registry,
  { state, restored }: Pick<Registration, "state" | "restored">,
) {
  addGauge(registry, {
    name: "landfall_webhook_registered",
    help: "1 if the webhook configurations are as this process wrote them, otherwise 0.",
    collect: () => [{ labels: {}, value: Number(state() === "registered") }],
  });
  new Counter({
    name: "landfall_webhook_registration_restored_total",
    help: "How often someone changed or deleted a webhook configuration, and it was put back.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(restored());
    },
  });
}
