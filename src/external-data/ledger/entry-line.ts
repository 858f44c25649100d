import type { Kind } from "../../model/names.ts";
import type { LedgerEntry } from "./ledger-entry.ts";

/** `encodeURIComponent` writes neither of these two alone, nor the separator. */
const [NOTHING, SAME, SEPARATOR] = ["%", "=", "|"] as const;

type Value = string | number | null | undefined;

const write = (value: Value): string => (value == null ? NOTHING : encodeURIComponent(String(value).toWellFormed()));
const orSame = (value: Value, expected: string): string => (value === expected ? SAME : write(value));

const read = (field: string | undefined): string | null =>
  field === undefined || field === NOTHING ? null : decodeURIComponent(field);
const readNumber = (field: string | undefined): number | null => {
  const text = read(field);
  return text === null ? null : Number(text);
};

/** The key of most objects. */
const usualKey = ({ kind, namespace, name }: Pick<LedgerEntry["workload"], "kind" | "namespace" | "name">): string =>
  `${kind}/${namespace}/${name}`;

function lineFor({ id, key, at, creates, workload }: LedgerEntry): string {
  const { kind, namespace, name, vmName, vcpus, memoryGiB, pricePerHour, place, start, end, decisionId } = workload;
  return [
    ...[write(id), write(at), creates ? "new" : "change", orSame(key, usualKey(workload))],
    ...[kind, namespace, name, vmName, vcpus, memoryGiB, pricePerHour, place, start, end].map(write),
    orSame(decisionId, id),
  ].join(SEPARATOR);
}

const lines = new WeakMap<LedgerEntry, string>();

/**
 * An entry as it is stored: fields between bars, percent-encoded. All entries of a shard are one text: the API server checks, compares and
 * tracks each field of a list of objects at each write.
 */
export function lineOf(entry: LedgerEntry): string {
  const known = lines.get(entry);
  if (known !== undefined) return known;
  const line = lineFor(entry);
  lines.set(entry, line);
  return line;
}

/** The bytes of an entry in the text of all entries: percent-encoding leaves ASCII, and each line ends with a line feed. */
export const bytesOf = (entry: LedgerEntry): number => lineOf(entry).length + 1;

/** The entry of a line that a webhook signed. */
export function entryOf(line: string): LedgerEntry {
  const [id, at, creates, key, kind, namespace, name, vmName, vcpus, memoryGiB, price, place, start, end, decision] =
    line.split(SEPARATOR);
  const text = (field: string | undefined): string => read(field) ?? "";
  const workload: LedgerEntry["workload"] = {
    ...{ kind: text(kind) as Kind, namespace: text(namespace), name: text(name), vmName: read(vmName) },
    ...{ vcpus: readNumber(vcpus) ?? 0, memoryGiB: readNumber(memoryGiB) ?? 0, pricePerHour: readNumber(price) },
    ...{ place: read(place), start: readNumber(start), end: readNumber(end) },
  };
  const decisionId = decision === SAME ? text(id) : read(decision);
  const entry: LedgerEntry = {
    id: text(id),
    key: key === SAME ? usualKey(workload) : text(key),
    at: readNumber(at) ?? 0,
    creates: creates === "new",
    workload: decisionId === null ? workload : { ...workload, decisionId },
  };
  lines.set(entry, line);
  return entry;
}
