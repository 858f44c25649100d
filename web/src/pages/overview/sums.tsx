import type { ReactElement } from "react";
import type { Compared, Figures, Sum } from "../../../../src/console/contract/overview.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { gramsText, usdText } from "../../ui/format.ts";

interface Unit {
  text: (value: number) => string;
  /** The smallest difference that the text shows. */
  least: number;
}

const GRAMS: Unit = { text: gramsText, least: 0.005 };
const USD: Unit = { text: usdText, least: 0.00005 };

/** Objects that a figure does not cover. */
const Missing = ({ unknown }: { unknown: number }): ReactElement | null =>
  unknown === 0 ? null : <span className="quiet"> ({unknown}&nbsp;not&nbsp;known)</span>;

/** Less, or more: the word says which. */
function difference({ decided, instead }: Compared, { text, least }: Unit): string {
  const saved = instead - decided;
  if (Math.abs(saved) < least) return "the same";
  const percent = instead === 0 ? 0 : Math.round((Math.abs(saved) / instead) * 100);
  const share = percent === 0 ? "" : ` (${String(percent)}\u00a0%)`;
  return `${text(Math.abs(saved))} ${saved < 0 ? "more" : "less"}${share}`;
}

/** The difference to another decision, as far as any object has both figures. */
const Against = ({ objects, compared, unit }: { objects: number; compared: Compared; unit: Unit }): ReactElement => (
  <>
    {compared.unknown === objects ? "not known" : difference(compared, unit)}
    {compared.unknown === objects ? null : <Missing unknown={compared.unknown} />}
  </>
);

interface Line {
  name: string;
  cell: (sum: Sum, unit: Unit, objects: number) => ReactElement;
}

const LINES: readonly Line[] = [
  {
    name: "Decided",
    cell: ({ decided, unknown }, { text }) => (
      <>
        {text(decided)}
        <Missing unknown={unknown} />
      </>
    ),
  },
  {
    name: "Compared with a start now at the origin",
    cell: ({ origin }, unit, objects) => <Against {...{ objects, unit }} compared={origin} />,
  },
  {
    name: "Compared with a start now in the best place",
    cell: ({ now }, unit, objects) => <Against {...{ objects, unit }} compared={now} />,
  },
];

const columnsOf = ({ objects, grams, usd }: Figures): readonly Column<Line>[] => [
  { id: "name", header: "Sum", cell: ({ name }) => name },
  { id: "grams", header: "Carbon", cell: ({ cell }) => cell(grams, GRAMS, objects) },
  { id: "usd", header: "Price, list", cell: ({ cell }) => cell(usd, USD, objects) },
];

/** Carbon and price that were decided, and what an immediate start would take. `about`: which objects, and for what time. */
export function Sums({ title, about, figures }: { title: string; about: string; figures: Figures }): ReactElement {
  const { objects } = figures;
  return (
    <section className="sums">
      <h2>{title}</h2>
      <p className="quiet">
        {objects} {objects === 1 ? "object" : "objects"}, {about}.
      </p>
      {objects === 0 ? null : (
        <DataTable caption={title} columns={columnsOf(figures)} rows={LINES} keyOf={({ name }) => name} />
      )}
    </section>
  );
}
