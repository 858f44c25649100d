import { apiPath } from "../cluster/api-path.ts";
import { WEBHOOK } from "../model/names.ts";

/** The webhook configurations of Landfall at the API server. */
export const WEBHOOK_CONFIGURATIONS = [
  apiPath`/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${WEBHOOK.placement}`,
  apiPath`/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${WEBHOOK.guard}`,
];
