import { type ReactElement, useCallback } from "react";
import { Button } from "react-aria-components";
import type { Timeline } from "../../../../src/console/contract/timeline.ts";
import { KIND_CHOICES, PROVIDER_CHOICES, STATE_CHOICES } from "../../ui/choices.ts";
import { SearchBox } from "../../ui/search-box.tsx";
import { Select } from "../../ui/select.tsx";
import { SPANS, type TimelineSearch } from "./search.ts";
import { HOUR_MS } from "../../../../src/model/time.ts";
import { isoOf } from "./time-scale.ts";

export type Change = (changed: Record<string, string | undefined>, options?: { replace: boolean }) => void;

const SPAN_CHOICES = SPANS.map((hours) => ({ value: String(hours), text: `${String(hours / 24)} days` }));

const ZONES = { value: "", text: "Zones of the objects" };

interface FiltersProps {
  search: TimelineSearch & { at?: string };
  /** Undefined before the first answer. */
  data: Timeline | undefined;
  change: Change;
}

function ObjectFilters({ search, data, change }: FiltersProps): ReactElement {
  const { kind = "", state = "", provider = "", zone = "", place } = search;
  const zones = data?.allZones ?? (zone === "" ? [] : [zone]);
  const filter = useCallback(
    (name: string) =>
      (value: string): void => {
        change({ [name]: value === "" ? undefined : value, offset: undefined });
      },
    [change],
  );
  const searchFor = useCallback(
    (typed: string) => {
      change({ search: typed === "" ? undefined : typed, offset: undefined }, { replace: true });
    },
    [change],
  );
  return (
    <div className="filters" role="search">
      <SearchBox value={search.search ?? ""} onSearch={searchFor} />
      <Select label="State" choices={STATE_CHOICES} value={state} onChange={filter("state")} quiet />
      <Select label="Kind" choices={KIND_CHOICES} value={kind} onChange={filter("kind")} quiet />
      <Select label="Provider" choices={PROVIDER_CHOICES} value={provider} onChange={filter("provider")} quiet />
      <Select
        label="Electricity zone"
        choices={[ZONES, ...zones.map((name) => ({ value: name, text: name }))]}
        value={zone}
        onChange={filter("zone")}
        quiet
      />
      {place === undefined ? null : (
        <Button className="chip" onPress={() => change({ place: undefined })}>
          {place} <span aria-hidden="true">×</span>
          <span className="hidden">: show all places</span>
        </Button>
      )}
    </div>
  );
}

/** `2026-11-21T14:00`, in the viewer's zone, as the field of a form has it. */
const fieldText = (time: number): string => {
  const date = new Date(time);
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

function HourForm({ hour, change }: { hour: number; change: Change }): ReactElement {
  return (
    <label className="hour-field">
      Hour{" "}
      <input
        type="datetime-local"
        step={3600}
        value={fieldText(hour)}
        onChange={({ target }) => {
          const time = new Date(target.value).getTime();
          if (!Number.isNaN(time)) change({ at: isoOf(Math.floor(time / HOUR_MS) * HOUR_MS) }, { replace: true });
        }}
      />
    </label>
  );
}

/** The filters of the objects, the shown days, and the chosen hour as a form. */
export function TimelineFilters(props: FiltersProps & { hour: number }): ReactElement {
  const { search, data, change, hour } = props;
  const { hours = 96 } = search;
  const shift = (by: number): void => {
    const from = Date.parse(data?.from ?? "");
    if (!Number.isNaN(from)) change({ from: isoOf(from + by * HOUR_MS), offset: undefined });
  };
  return (
    <>
      <ObjectFilters {...props} />
      <div className="filters">
        <Select
          label="Shown days"
          choices={SPAN_CHOICES}
          value={String(hours)}
          onChange={(value) => change({ hours: value })}
          quiet
        />
        <Button className="plain" onPress={() => shift(-hours / 2)}>
          Earlier
        </Button>
        <Button className="plain" onPress={() => shift(hours / 2)}>
          Later
        </Button>
        <Button className="plain" onPress={() => change({ from: undefined, at: undefined })}>
          Now
        </Button>
        <HourForm hour={hour} change={change} />
        <Button className="plain" onPress={() => change({ as: search.as === "table" ? undefined : "table" })}>
          {search.as === "table" ? "Show as a picture" : "Show as tables"}
        </Button>
      </div>
    </>
  );
}
