import { setImmediate as breathe } from "node:timers/promises";
import type { WorkloadObject } from "../model/workload.ts";
import type { AuditContext } from "./audit-object.ts";
import { auditSafely } from "./audit-safely.ts";
import type { Finding } from "./finding.ts";

/** Audits the objects in sequence and yields to other work between them. */
export async function scan(objects: readonly WorkloadObject[], context: AuditContext): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const object of objects) {
    const finding = auditSafely(object, context);
    if (finding !== null) findings.push(finding);
    await breathe();
  }
  return findings;
}
