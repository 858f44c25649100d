import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { parse } from "yaml";
import type { Waiting } from "../../../../src/external-data/ledger/choose-claims.ts";
import { bytesOf } from "../../../../src/external-data/ledger/entry-line.ts";
import { entryFor, type LedgerEntry } from "../../../../src/external-data/ledger/ledger-entry.ts";
import { specOf } from "../../../../src/external-data/ledger/shard-content.ts";
import { MOST_BYTES } from "../../../../src/external-data/ledger/shard-rules.ts";
import { shareEntries } from "../../../../src/external-data/ledger/share-entries.ts";
import { LandfallError } from "../../../../src/errors.ts";
import { projectPath } from "../../../../src/local/processes/project-path.ts";
import { KEYS, NOW } from "../../../support/admission.ts";
import { machine } from "../../../support/ledger/entries.ts";

const entryOf = (namespace: string, name: string): LedgerEntry => {
  const workload = machine(name, { namespace });
  return { id: `${namespace}-${name}`, key: `VmTemplate/${namespace}/${name}`, creates: true, workload, at: NOW };
};

const waitingOf = ({ at: _, ...entry }: LedgerEntry, settle: Waiting["settle"]): Waiting => ({
  claim: { ...entry, counted: 0, slack: { quota: null, budget: null }, untilMs: 0 },
  ...{ origin: {}, settle, gone: false },
});

const full = (): LandfallError => new LandfallError("ADM_LEDGER", { detail: "full" });

/** The answer to one more claim of `namespace`, with so many entries of each in the shard. */
function answerTo(namespace: string, present: Record<string, number>): string {
  const entries = Object.entries(present).flatMap(([owner, many]) =>
    Array.from({ length: many }, (_, number) => entryOf(owner, `vm-${String(number).padStart(6, "0")}`)),
  );
  let answer = "taken";
  const settle: Waiting["settle"] = (result) => {
    answer = result instanceof LandfallError ? result.code : result;
  };
  shareEntries([waitingOf(entryOf(namespace, "another"), settle)], entries, NOW, full);
  return answer;
}

it("a full shard refuses a namespace with an equal share, and takes of those with less", () => {
  const quarter = Math.ceil(MOST_BYTES / 4 / bytesOf(entryOf("four", "vm-000000")));
  const equal = { ones: quarter, twos: quarter, tres: quarter, four: quarter };
  expect(answerTo("ones", equal)).toBe("ADM_BUSY");
  expect(answerTo("five", equal)).toBe("taken");
  expect(answerTo("four", { ...equal, four: quarter - 1, tres: quarter + 1 })).toBe("taken");
  // Each quarter was rounded up: four entries less, and the shard is not full.
  expect(answerTo("ones", { ...equal, four: quarter - 4 })).toBe("taken");
});

it("a shard of the longest names is one that the API server and etcd store", async () => {
  const crd = parse(
    await readFile(projectPath("charts/landfall/definitions/landfall.dev_placementledgers.yaml"), "utf8"),
  ) as { spec: { versions: { schema: { openAPIV3Schema: { properties: Record<string, unknown> } } }[] } };
  const properties = crd.spec.versions[0]?.schema.openAPIV3Schema.properties["spec"];
  const { maxLength } = (properties as { properties: { entries: { maxLength: number } } }).properties.entries;
  const claims = Array.from({ length: 10_000 }, (_, number) => {
    const namespace = String(number % 100).padStart(63, "n");
    return waitingOf(entryOf(namespace, String(number).padStart(63, "v")), () => undefined);
  });
  const taken = shareEntries(claims, [], NOW, full).map(({ claim }) => entryFor(claim, NOW));
  const { entries } = specOf(KEYS, "reservations-0", { serial: 1, notBefore: 0, entries: taken });
  expect(String(entries).length).toBeGreaterThan(MOST_BYTES);
  expect(String(entries).length).toBeLessThan(Math.min(maxLength, 1.4 * 1024 * 1024));
});
