import type { ResourceTableColumn } from "@kinvolk/headlamp-plugin/lib";
import type { Row } from "../../src/console/contract/rows.ts";
import { rowOf } from "../../src/console/objects/row-of.ts";
import { isObject } from "../../src/model/json.ts";
import type { Resource } from "../../src/model/kubernetes.ts";
import { Figure, Time } from "../src/ui/figures.tsx";
import { STATE_WORDS, StateMark } from "../src/ui/state-mark.tsx";

/** The row of an item of a table: Headlamp keeps the object in its field `jsonData`. */
function rowIn(item: unknown): Row {
  const object = isObject(item) && isObject(item["jsonData"]) ? item["jsonData"] : {};
  return rowOf({ metadata: {}, ...object } as Resource);
}

/** Columns with the decision, next to those of Headlamp. Headers have the units. */
export const COLUMNS: readonly ResourceTableColumn<unknown>[] = [
  {
    ...{ id: "landfall-state", label: "State" },
    getValue: (item) => STATE_WORDS[rowIn(item).state].word,
    render: (item) => <StateMark state={rowIn(item).state} />,
  },
  { id: "landfall-place", label: "Place", getValue: (item) => rowIn(item).place },
  {
    ...{ id: "landfall-start", label: "Start" },
    getValue: (item) => rowIn(item).startsAt,
    render: (item) => <Time at={rowIn(item).startsAt} />,
  },
  {
    ...{ id: "landfall-carbon", label: "Carbon, g CO₂e" },
    getValue: (item) => rowIn(item).grams,
    render: (item) => <Figure value={rowIn(item).grams} />,
  },
  { id: "landfall-price", label: "Price, USD/h", getValue: (item) => rowIn(item).usdPerHour },
];
