import { type ColumnDef, tableFeatures, useTable } from "@tanstack/react-table";
import type { ReactElement, ReactNode } from "react";
import { Icon } from "./icon.tsx";

const FEATURES = tableFeatures({});

/** A column: its header has the unit of its figures. `sort`: the name by which the server sorts it. */
export interface Column<T, Sort extends string = never> {
  id: string;
  header: string;
  cell: (row: T) => ReactNode;
  figures?: boolean;
  sort?: Sort;
}

export interface Order<Sort extends string> {
  sort: Sort;
  order: "ascending" | "descending";
  onChange: (sort: Sort, order: "ascending" | "descending") => void;
}

interface TableProps<T, Sort extends string> {
  /** Read out before the table. */
  caption: string;
  columns: readonly Column<T, Sort>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  order?: Order<Sort>;
  /** The row that a panel shows. */
  chosen?: string | null;
}

/** A unit of two words stays in one line, where the header takes two. */
const unbroken = (header: string): string => header.replace(" CO₂e", "\u00a0CO₂e");

const opposite = { ascending: "descending", descending: "ascending" } as const;

function SortHeader<Sort extends string>({
  header,
  sort,
  order,
}: {
  header: string;
  sort: Sort;
  order: Order<Sort>;
}): ReactElement {
  const isSorted = order.sort === sort;
  const next = isSorted ? opposite[order.order] : "ascending";
  return (
    <button
      type="button"
      className="sort"
      onClick={() => {
        order.onChange(sort, next);
      }}
    >
      {header}
      {isSorted ? <Icon name={order.order === "ascending" ? "up" : "down"} /> : null}
    </button>
  );
}

/** A table of rows that the server has sorted and divided into pages. */
export function DataTable<T extends object, Sort extends string = never>(props: TableProps<T, Sort>): ReactElement {
  const { caption, columns, rows, keyOf, order, chosen = null } = props;
  const byId = new Map(columns.map((column) => [column.id, column]));
  const table = useTable({
    features: FEATURES,
    columns: columns.map(({ id, header }): ColumnDef<typeof FEATURES, T> => ({ id, header })),
    data: rows,
    getRowId: keyOf,
  });
  const classOf = (id: string): string | undefined => (byId.get(id)?.figures === true ? "figures" : undefined);
  return (
    <div className="table-box" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption className="hidden">{caption}</caption>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map(({ id }) => {
                const { header: named = "", sort } = byId.get(id) ?? {};
                const header = unbroken(named);
                const sorted = sort !== undefined && order?.sort === sort ? order.order : undefined;
                return (
                  <th
                    key={id}
                    scope="col"
                    className={classOf(id)}
                    {...(sorted === undefined ? {} : { "aria-sort": sorted })}
                  >
                    {sort === undefined || order === undefined ? header : <SortHeader {...{ header, sort, order }} />}
                  </th>
                );
              })}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id} aria-current={row.id === chosen ? "true" : undefined}>
              {/* Not by FlexRender: a new function would be another component, and the cell would lose the focus at each change. */}
              {row.getAllCells().map(({ id, column }) => (
                <td key={id} className={classOf(column.id)}>
                  {byId.get(column.id)?.cell(row.original)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
