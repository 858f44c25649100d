import { timeIn } from "../server/time-in.ts";
import type { First } from "./open-store.ts";
import { type Row, type Rows, type RowsQuery, type Sort, STATES } from "../contract/rows.ts";
import { runsAt } from "./runs-at.ts";

/** Rows of a page if it asks for no number. */
const PAGE_ROWS = 100;

type Test = (row: Row) => boolean;

type Filters = Pick<RowsQuery, "namespace" | "kind" | "state" | "provider" | "place" | "search">;

/** The filters that a query names, each as a test. */
function testsOf({ namespace, kind, state, provider, place, search }: Filters): Test[] {
  const wanted = search?.toLowerCase() ?? "";
  return [
    ...(namespace === undefined ? [] : [(row: Row) => row.namespace === namespace]),
    ...(kind === undefined ? [] : [(row: Row) => row.kind === kind]),
    ...(state === undefined ? [] : [state === "denied" ? isDenied : (row: Row) => row.state === state]),
    ...(provider === undefined ? [] : [(row: Row) => row.place?.startsWith(`${provider}/`) === true]),
    ...(place === undefined ? [] : [(row: Row) => row.place === place]),
    ...(wanted === "" ? [] : [(row: Row) => row.name.toLowerCase().includes(wanted)]),
  ];
}

/** Whether a row passes all filters of a query. */
export const passes = (row: Row, filters: Filters): boolean => testsOf(filters).every((test) => test(row));

/** Whether the policies in force would deny it. */
export const isDenied = ({ verdict }: Row): boolean => verdict === "deny";

const VALUES: Readonly<Record<Sort, (row: Row) => string | number | null>> = {
  name: () => null,
  state: ({ state }) => STATES.indexOf(state),
  created: ({ created }) => created,
  place: ({ place }) => place,
  start: ({ startsAt }) => startsAt,
  end: ({ endsAt }) => endsAt,
  grams: ({ grams }) => grams,
  usdPerHour: ({ usdPerHour }) => usdPerHour,
  vcpus: ({ vcpus }) => vcpus,
};

const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);

const nameOf = ({ namespace, name, kind }: Row): string => `${namespace}/${name}/${kind}`;

/** Sorts by one value, then by name, so that equal rows never change places. Unknown values come last in both orders. */
function comparison(sort: Sort, sign: 1 | -1): (a: Row, b: Row) => number {
  const valueOf = VALUES[sort];
  return (one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    const named = compare(nameOf(one), nameOf(other));
    if (a === null && b === null) return sort === "name" ? sign * named : named;
    if (a === null) return 1;
    if (b === null) return -1;
    return sign * compare(a, b) || named;
  };
}

/** The page of rows that a query asks for. `nowSeconds`: for those that run now. Pure. Throws CONSOLE_REQUEST. */
export function chooseRows(
  all: readonly Row[],
  { runsAt: then, ...query }: RowsQuery,
  nowSeconds: number,
): Omit<Rows, "current"> {
  const at = then === undefined ? null : timeIn("runsAt", then === "now" ? undefined : then, nowSeconds);
  const tests = [...testsOf(query), ...(at === null ? [] : [(row: Row) => runsAt(row, at)])];
  const found = all.filter((row) => tests.every((test) => test(row)));
  const { sort = "name", order = "ascending", offset = 0, limit = PAGE_ROWS } = query;
  const sorted = found.sort(comparison(sort, order === "ascending" ? 1 : -1));
  const rows = sorted.slice(offset, offset + limit);
  return { rows, total: found.length, all: all.length, whole: true, about: null };
}

/**
 * The page of rows that a query asks for, while the list is being read; null if only the whole list gives it: in another order than by name, and
 * where the first rows do not fill the page. Pure.
 */
export function chooseFirst(
  { rows, loaded, about }: First,
  query: RowsQuery,
  nowSeconds: number,
): Omit<Rows, "current"> | null {
  const { sort = "name", order = "ascending", limit = PAGE_ROWS } = query;
  if (sort !== "name" || order !== "ascending") return null;
  const page = chooseRows(rows, query, nowSeconds);
  if (page.rows.length < limit) return null;
  const total = page.total === rows.length ? loaded : page.total;
  return { ...page, total, all: loaded, whole: false, about };
}
