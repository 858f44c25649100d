import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import type { Bar, Timeline, ZoneHour } from "../../../../src/console/contract/timeline.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Time } from "../../ui/figures.tsx";
import { intensityText } from "../../ui/scale.ts";
import { Intensity } from "../../ui/intensity.tsx";
import { Pauses } from "../../ui/pauses.tsx";
import { COLUMNS } from "../../ui/object-columns.tsx";
import { keyOf } from "./object-bar.tsx";
import { isoOf } from "./time-scale.ts";
import { HOUR_MS } from "../../../../src/model/time.ts";

const objectColumns = (onChoose: (key: string) => void): Column<Bar>[] => [
  ...[COLUMNS.name, COLUMNS.state, COLUMNS.place].map(({ id, header, cell }): Column<Bar> => ({
    id,
    header,
    cell: ({ row }) => cell(row),
  })),
  { id: "zone", header: "Electricity zone", cell: ({ zone }) => zone ?? "–" },
  { id: "start", header: "Start", cell: ({ row }) => <Time at={row.startsAt} /> },
  { id: "end", header: "End", cell: ({ row }) => <Time at={row.endsAt} /> },
  {
    id: "pauses",
    header: "Pauses",
    cell: ({ row }) => <Pauses row={row} />,
  },
  { id: "latest", header: "Latest start", cell: ({ row }) => <Time at={row.latestStart} /> },
  { id: "deadline", header: "Deadline", cell: ({ row }) => <Time at={row.deadline} /> },
  {
    id: "starts",
    header: "Other starts",
    cell: ({ row }) => (
      <Button className="link" onPress={() => onChoose(keyOf(row))}>
        Show<span className="hidden"> other starts of {row.name}</span>
      </Button>
    ),
  },
];

interface HourRow {
  at: string;
  hours: (ZoneHour | undefined)[];
}

const MARKS = { measured: "", forecast: "forecast", expected: "expected" } as const;

function HourCell({ hour }: { hour: ZoneHour | undefined }): ReactElement {
  if (hour === undefined) return <Intensity value={null} />;
  const { value, known, low, high } = hour;
  const band = low === null || high === null ? "" : ` ${intensityText(low)}–${intensityText(high)}`;
  return (
    <>
      <Intensity value={value} />
      <span className="quiet per-hour">
        {MARKS[known]}
        {band}
      </span>
    </>
  );
}

/** The same figures as tables: the objects, and each hour of each zone. */
export function TimelineTables({
  data,
  chosen,
  onChoose,
}: {
  data: Timeline;
  chosen: string | null;
  onChoose: (key: string) => void;
}): ReactElement {
  const from = Date.parse(data.from);
  const rows = Array.from({ length: data.hours }, (_, at): HourRow => ({
    at: isoOf(from + at * HOUR_MS),
    hours: data.zones.map(({ hours }) => hours[at]),
  }));
  const columns: Column<HourRow>[] = [
    { id: "hour", header: "Hour", cell: ({ at }) => <Time at={at} /> },
    ...data.zones.map(({ zone }, index): Column<HourRow> => ({
      id: zone,
      header: `${zone}, g CO₂e/kWh`,
      figures: true,
      cell: ({ hours }) => <HourCell hour={hours[index]} />,
    })),
  ];
  return (
    <>
      <section>
        <h2>Objects</h2>
        <DataTable
          caption="Objects over time"
          columns={objectColumns(onChoose)}
          rows={data.bars}
          keyOf={({ row }) => keyOf(row)}
          chosen={chosen}
        />
      </section>
      <section>
        <h2>Carbon intensity</h2>
        <DataTable caption="Carbon intensity by hour" columns={columns} rows={rows} keyOf={({ at }) => at} />
      </section>
    </>
  );
}
