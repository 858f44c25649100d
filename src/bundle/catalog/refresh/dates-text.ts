/** So many are named; of more, only their number is reported. */
const NAMED = 3;

/** A place or a zone, and the date of its figures. */
export interface Dated {
  name: string;
  date: string;
}

/** The most frequent date, and the names with another one: `2026-11-22 (newzealandnorth: 2026-06)`. */
export function datesText(all: readonly Dated[]): string {
  const byDate = [...Map.groupBy(all, ({ date }) => date)];
  const [most, ...others] = byDate.sort(([a, x], [b, y]) => y.length - x.length || (a < b ? 1 : -1));
  const rest = others.map(([date, some]) => {
    const names = some.map(({ name }) => name);
    return `${names.length > NAMED ? `${String(names.length)} others` : names.join(", ")}: ${date}`;
  });
  return `${most?.[0] ?? ""}${rest.length === 0 ? "" : ` (${rest.join("; ")})`}`;
}
