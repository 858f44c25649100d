import type { Row } from "../contract/rows.ts";
import type { Store } from "../objects/open-store.ts";
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

const withVerdicts = (store: Store, verdicts: Verdicts | null): Row[] =>
  [...store.rows()].map((row) => judgedRow(row, verdicts?.get(verdictKey(row)) ?? null));

/** The objects of a namespace, or of all. Throws as Stores.of does. */
export async function readRows({ stores, verdicts }: ObjectsSource, namespace: string | null): Promise<ReadRows> {
  const store = await stores.of(namespace);
  // While the API server is unavailable, the last known rows are shown without verdicts.
  const found = await verdicts(namespace).catch(() => null);
  return { rows: withVerdicts(store, found), current: store.isCurrent(), audited: found !== null };
}
