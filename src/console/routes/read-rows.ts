import type { Row } from "../contract/rows.ts";
import type { First, Store } from "../objects/open-store.ts";
import type { Stores } from "../objects/open-stores.ts";
import { judgedRow } from "../objects/row-of.ts";
import { verdictKey, type Verdicts } from "../objects/read-verdicts.ts";

export interface ObjectsSource {
  stores: Stores;
  verdicts: (namespace: string | null) => Promise<Verdicts | null>;
}

/** Rows with the verdicts of the last audit. `audited`: whether there is one that the user can read. */
export interface ReadRows {
  rows: Row[];
  current: boolean;
  audited: boolean;
}

const judged = (rows: readonly Row[], verdicts: Verdicts | null): Row[] =>
  rows.map((row) => judgedRow(row, verdicts?.get(verdictKey(row)) ?? null));

/** The store, and the verdicts. While the API server is unavailable, the last known rows are shown without verdicts. */
const open = ({ stores, verdicts }: ObjectsSource, namespace: string | null): Promise<[Store, Verdicts | null]> =>
  Promise.all([stores.of(namespace), verdicts(namespace).catch(() => null)]);

/** The objects of a namespace, or of all. Throws as Stores.of and Store.rows do. */
export async function readRows(source: ObjectsSource, namespace: string | null): Promise<ReadRows> {
  const [store, found] = await open(source, namespace);
  const rows = judged(await store.rows(), found);
  return { rows, current: store.isCurrent(), audited: found !== null };
}

/** The first objects of a list that is being read; null if it is whole. Throws as Stores.of does. */
export async function readFirst(source: ObjectsSource, namespace: string | null): Promise<First | null> {
  const [store, found] = await open(source, namespace);
  const first = store.first();
  return first === null ? null : { ...first, rows: judged(first.rows, found) };
}
