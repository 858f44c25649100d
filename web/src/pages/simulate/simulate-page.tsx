import { useSearch } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { SimulateBody, SimulationResult } from "../../../../src/console/contract/simulation.ts";
import { useChangeSearch } from "../../address/use-change-search.ts";
import { Page } from "../../ui/page.tsx";
import { ProblemView } from "../../ui/problem-view.tsx";
import { Running } from "../../ui/running.tsx";
import { useCommand } from "../../ui/use-command.ts";
import { SimulateResult } from "./simulate-result.tsx";
import type { SimulateSearch } from "./search.ts";

const DEFAULTS = {
  ...{ jobs: "500", seed: "1", shift: "both", duration: "1-24", slack: "2-168" },
  ...{ waitingCost: "", frontier: "0,10,20", maxPauses: "0", knownHours: "0" },
} as const;
type Name = keyof typeof DEFAULTS;
type Values = Record<Name, string>;

const NUMBERS = { jobs: 5000, seed: 2_147_483_647, waitingCost: 10_000, maxPauses: 20, knownHours: 168 } as const;

const LABELS: Readonly<Record<Name, string>> = {
  jobs: "Jobs",
  seed: "Seed",
  shift: "Policies may shift",
  duration: "Durations, h",
  slack: "Slack, h",
  waitingCost: "Cost of a day of waiting, %",
  frontier: "Frontier: costs of waiting, %",
  maxPauses: "Most pauses (time alone)",
  knownHours: "Hours that forecasts know",
};

const SHIFTS = [
  ["both", "place and time"],
  ["place", "place alone"],
  ["time", "time alone"],
] as const;

const valuesOf = (search: SimulateSearch): Values => ({
  ...DEFAULTS,
  ...Object.fromEntries(
    Object.entries(search).flatMap(([key, value]) => (key in DEFAULTS ? [[key, String(value)]] : [])),
  ),
});

const bodyOf = ({
  jobs,
  seed,
  shift,
  duration,
  slack,
  waitingCost,
  frontier,
  maxPauses,
  knownHours,
}: Values): SimulateBody => ({
  ...{ jobs: Number(jobs), seed: Number(seed), maxPauses: Number(maxPauses), knownHours: Number(knownHours) },
  ...{ duration, slack, frontier: frontier.replaceAll(" ", ""), shift: shift as SimulateBody["shift"] },
  waitingCost: waitingCost === "" ? null : Number(waitingCost),
});

interface FieldProps {
  name: Name;
  value: string;
  onChange: (value: string) => void;
}

function Field({ name, value, onChange }: FieldProps): ReactElement {
  if (name === "shift")
    return (
      <label>
        {LABELS.shift}
        <select value={value} onChange={({ target }) => onChange(target.value)}>
          {SHIFTS.map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      </label>
    );
  const most = name in NUMBERS ? NUMBERS[name as keyof typeof NUMBERS] : null;
  const number = most === null ? {} : { type: "number", min: name === "jobs" ? 1 : 0, max: most };
  const placeholder = name === "waitingCost" ? "the bundle's" : name === "frontier" ? "none" : "";
  return (
    <label>
      {LABELS[name]}
      <input {...number} {...{ value, placeholder }} onChange={({ target }) => onChange(target.value)} />
    </label>
  );
}

/** `landfall simulate` on this machine: the options, the figures, the frontier and the plots. */
export function SimulatePage(): ReactElement {
  const search = useSearch({ from: "/simulate" });
  const change = useChangeSearch();
  const [values, setValues] = useState(() => valuesOf(search));
  const { run, cancel, isRunning, since, result, problem } = useCommand<SimulateBody, SimulationResult>(
    "/api/simulation",
  );
  const start = (): void => {
    const names = Object.keys(DEFAULTS) as Name[];
    change(
      Object.fromEntries(names.map((name) => [name, values[name] === DEFAULTS[name] ? undefined : values[name]])),
      { replace: true },
    );
    run(bodyOf(values));
  };
  return (
    <Page
      title="Simulate"
      about="Replays generated jobs over the measured carbon intensity of 2022 under several policies, and with perfect knowledge."
    >
      <form
        className="options"
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        {(Object.keys(DEFAULTS) as Name[]).map((name) => (
          <Field
            key={name}
            name={name}
            value={values[name]}
            onChange={(value) => setValues({ ...values, [name]: value })}
          />
        ))}
        <Button type="submit" className="plain" isDisabled={isRunning}>
          Run the simulation
        </Button>
      </form>
      <p className="quiet">
        It needs no cluster and runs for a minute or more, ten at most. The command line has more options, also jobs and
        hours of your own.
      </p>
      {since === null ? null : <Running what="The simulation" since={since} onCancel={cancel} />}
      {problem === null ? null : <ProblemView problem={problem} />}
      {result === undefined || isRunning ? null : <SimulateResult result={result} />}
    </Page>
  );
}
