import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { SYSTEM_NAMESPACE } from "./write-pki.ts";

/** Requests of the accounts in Landfall's namespace, without bodies; of no other account. */
const POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [{ level: "Metadata", userGroups: [`system:serviceaccounts:${SYSTEM_NAMESPACE}`] }, { level: "None" }],
};

/** Flags of an API server that writes one JSON event a line for each request of Landfall's processes to `log`. */
export async function auditFlags(folder: string, log: string): Promise<Record<string, string>> {
  const file = join(folder, "audit-policy.yaml");
  await writeFile(file, stringify(POLICY));
  return { "audit-policy-file": file, "audit-log-path": log, "audit-log-mode": "blocking" };
}
