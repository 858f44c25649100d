// Global setup of the project `unit`: builds the project's policy bundle where no test may start opa. Nothing to do while the
// policies and the catalog are the same.
import { policyFile } from "../support/load-policy.ts";

export default async function setup(): Promise<void> {
  await policyFile();
}
