import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { Row } from "../../../../src/console/contract/rows.ts";
import { timeText } from "../../ui/format.ts";
import { StateMark } from "../../ui/state-mark.tsx";
import { barParts } from "./bar-parts.ts";
import type { TimeScale } from "./time-scale.ts";

const [HEIGHT, TOP, THICK] = [28, 8, 12] as const;

export const keyOf = ({ kind, namespace, name }: Pick<Row, "kind" | "namespace" | "name">): string =>
  `${kind}/${namespace}/${name}`;

/** The bar in words. */
function wordsOf(row: Row, now: Date): string {
  const at = (time: string | null): string => (time === null ? "" : timeText(new Date(time), now));
  const ends = row.state === "overdue" ? "was to end" : "ends";
  const end = row.endsAt === null ? "without an end" : `${ends} ${at(row.endsAt)}`;
  const pauses = row.parts.length < 2 ? "" : ` with ${String(row.parts.length - 1)} pauses`;
  const deadline = row.deadline === null ? "" : `, deadline ${at(row.deadline)}`;
  const latest = row.latestStart === null ? "" : `, latest start ${at(row.latestStart)}`;
  return `${row.name}: starts ${at(row.startsAt)}, ${end}${pauses}, in ${row.place ?? ""}${deadline}${latest}. Show other starts`;
}

interface ObjectBarProps {
  row: Row;
  scale: TimeScale;
  now: Date;
  isChosen: boolean;
  onChoose: () => void;
}

/** An object from its start to its end, with its pauses, deadline and latest start. */
export function ObjectBar({ row, scale, now, isChosen, onChoose }: ObjectBarProps): ReactElement {
  const { pieces, line, deadline, latestStart, isOpen, isLater } = barParts(scale, row, now.getTime());
  const label = wordsOf(row, now);
  return (
    <li className="lane" data-chosen={isChosen}>
      <div className="lane-label">
        <Link
          to="/objects/$kind/$objectNamespace/$name"
          params={{ kind: row.kind, objectNamespace: row.namespace, name: row.name }}
          className="object-name clip"
          title={`${row.namespace}/${row.name}`}
        >
          {row.name}
        </Link>
        <StateMark state={row.state} />
      </div>
      <button
        type="button"
        className="lane-bar"
        aria-pressed={isChosen}
        aria-label={label}
        title={label}
        onClick={onChoose}
      >
        <svg width={scale.width} height={HEIGHT} aria-hidden="true">
          {line === null ? null : (
            <line className="pause" x1={line.x} x2={line.x + line.width} y1={TOP + THICK / 2} y2={TOP + THICK / 2} />
          )}
          {pieces.map(({ x, width, past }) => (
            <rect
              key={`${String(x)}${String(past)}`}
              className={past ? "ran" : "planned"}
              x={x}
              y={TOP}
              width={width}
              height={THICK}
            />
          ))}
          {isOpen ? <path className="open-end" d={`M${String(scale.width - 8)} ${String(TOP)}l6 6l-6 6`} /> : null}
          {isLater ? (
            <text className="later" x={scale.width - 8} y={TOP + THICK - 2} textAnchor="end">
              starts {timeText(new Date(row.startsAt ?? ""), now)}
            </text>
          ) : null}
          {latestStart === null ? null : (
            <line className="latest-start" x1={latestStart} x2={latestStart} y1={2} y2={HEIGHT - 2} />
          )}
          {deadline === null ? null : (
            <path
              className="deadline"
              d={`M${deadline.toFixed(1)} 2v${String(HEIGHT - 4)}m0 ${String(4 - HEIGHT)}h-6v6h6`}
            />
          )}
        </svg>
      </button>
    </li>
  );
}
