import type { PatchOperation } from "../../model/decision.ts";

/** What is wrong with a field that the schema accepts. */
export interface FieldProblem {
  field: string;
  detail: string;
  /** What to write instead. */
  correction: string;
  /** Only if nothing else can be meant. */
  patch?: PatchOperation[];
}
