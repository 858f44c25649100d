import { expect, it } from "vitest";
import type { Waiting } from "../../../../src/external-data/ledger/choose-claims.ts";
import type { LedgerEntry } from "../../../../src/external-data/ledger/ledger-entry.ts";
import { MOST_ENTRIES } from "../../../../src/external-data/ledger/shard-rules.ts";
import { shareEntries } from "../../../../src/external-data/ledger/share-entries.ts";
import { LandfallError } from "../../../../src/errors.ts";
import { NOW } from "../../../support/admission.ts";
import { machine } from "../../../support/ledger/entries.ts";

const entryOf = (namespace: string, number: number): LedgerEntry => {
  const workload = machine(`vm-${String(number)}`, { namespace });
  const id = `${namespace}-${String(number)}`;
  return { id, key: `VmTemplate/${namespace}/${workload.name}`, creates: true, workload, at: NOW };
};

/** The answer to one more claim of `namespace`, with so many entries of each in the shard. */
function answerTo(namespace: string, present: Record<string, number>): string {
  const entries = Object.entries(present).flatMap(([owner, many]) =>
    Array.from({ length: many }, (_, number) => entryOf(owner, number)),
  );
  let answer = "taken";
  const settle: Waiting["settle"] = (result) => {
    answer = result instanceof LandfallError ? result.code : result;
  };
  const { id, key, creates, workload } = entryOf(namespace, entries.length);
  const claim = { id, key, creates, workload, counted: 0, slack: { quota: null, budget: null }, untilMs: 0 };
  shareEntries(
    [{ claim, origin: {}, settle, gone: false }],
    entries,
    () => new LandfallError("ADM_LEDGER", { detail: "full" }),
  );
  return answer;
}

it("a full shard refuses a namespace with an equal share, and takes of those with less", () => {
  const quarter = MOST_ENTRIES / 4;
  const equal = { one: quarter, two: quarter, three: quarter, four: quarter };
  expect(answerTo("one", equal)).toBe("ADM_BUSY");
  expect(answerTo("five", equal)).toBe("taken");
  expect(answerTo("four", { ...equal, four: quarter - 1, three: quarter + 1 })).toBe("taken");
  expect(answerTo("one", { ...equal, four: quarter - 1 })).toBe("taken");
});
