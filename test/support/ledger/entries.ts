import { LandfallError } from "../../../src/errors.ts";
import type { LedgerEntry } from "../../../src/external-data/ledger/ledger-entry.ts";
import type { ExistingWorkload } from "../../../src/model/cluster-data.ts";
import { NOW } from "../admission.ts";

/** A machine of one vCPU that was decided and is not stored yet. */
export const machine = (name: string, fields: Partial<ExistingWorkload> = {}): ExistingWorkload => ({
  ...{ kind: "VmTemplate", namespace: "demo", name, vmName: name, vcpus: 1, memoryGiB: 2, pricePerHour: 0.1 },
  ...{ place: "gcp/europe-west9", start: NOW, end: null, decisionId: `nonce of ${name}` },
  ...fields,
});

export const entry = (name: string, fields: Partial<LedgerEntry> = {}): LedgerEntry => ({
  ...{ id: name, key: `VmTemplate/demo/${name}`, at: NOW, creates: true, workload: machine(name) },
  ...fields,
});

export const codeOf = (thrown: unknown): string => (thrown instanceof LandfallError ? thrown.code : String(thrown));
