import type { ReactElement } from "react";
import type { Row } from "../../../src/console/contract/rows.ts";
import { type Pause, pausesOf } from "../../../src/model/runs/planned-pauses.ts";
import { Time } from "./figures.tsx";

const WAYS = { stop: "machine stopped", recreate: "machine deleted" } as const satisfies Record<
  NonNullable<Row["pauseWay"]>,
  string
>;

const One = ({ from, to }: Pause): ReactElement => (
  <li>
    <Time at={from} /> – <Time at={to} />
  </li>
);

/** The pauses of a run from and to, and in which way they are made. */
export function Pauses({ row: { parts, pauseWay } }: { row: Pick<Row, "parts" | "pauseWay"> }): ReactElement {
  const pauses = pausesOf(parts);
  if (pauses.length === 0) return <span className="quiet">none</span>;
  return (
    <>
      <ul className="pauses">
        {pauses.map((pause) => (
          <One key={pause.from} {...pause} />
        ))}
      </ul>
      {pauseWay === null ? null : <span className="quiet">{WAYS[pauseWay]}</span>}
    </>
  );
}
