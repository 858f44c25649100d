import { performance } from "node:perf_hooks";
import type { WorkloadObject } from "../model/workload.ts";
import type { KubernetesObject } from "../model/kubernetes.ts";
import type { Kind } from "../model/names.ts";
import type { LoadedBundle } from "../policy/loaded-bundle.ts";
import { askCase } from "./ask-case.ts";
import { compareCase } from "./compare-case.ts";
import type { CaseResult, PolicyCase } from "./policy-case.ts";

/** Dependencies of a case. */
export interface CaseTools {
  policy: LoadedBundle;
  /** Called only if a case has expectations of the chart. Throws REL_RENDER. */
  render: (kind: Kind, object: WorkloadObject) => Promise<KubernetesObject[]>;
}

/** Decides, renders if required, and compares. Throws CLI_CASE, REL_RENDER. */
export async function runCase(policyCase: PolicyCase, { policy, render }: CaseTools): Promise<CaseResult> {
  const began = performance.now();
  const { expect, object, name, description } = policyCase;
  const asked = askCase(policyCase, policy);
  const { outcome, stored } = asked;
  const ofChart = expect.kinds !== undefined || expect.manifests !== undefined;
  const manifests = ofChart && outcome.allowed ? await render(object.kind, stored) : [];
  return {
    case: { name, description },
    mismatches: compareCase(expect, asked, manifests),
    message: outcome.allowed ? null : outcome.message,
    milliseconds: performance.now() - began,
  };
}
