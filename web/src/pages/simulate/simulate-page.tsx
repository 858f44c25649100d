import { useSearch } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { SimulateBody, SimulationResult } from "../../../../src/console/contract/simulation.ts";
import { useChangeSearch } from "../../address/use-change-search.ts";
import { Page } from "../../ui/page.tsx";
import { ProblemView } from "../../ui/problem-view.tsx";
import { Running } from "../../ui/running.tsx";
import { useCommand } from "../../ui/use-command.ts";
import { keepResult, type KeptResult, keptResult } from "./kept-result.ts";
import { OptionField } from "./option-field.tsx";
import { bodyOf, OPTION_NAMES, type OptionName, optionsOf, searchOf } from "./options.ts";
import { SimulateResult } from "./simulate-result.tsx";

const isSame = (one: SimulateBody, other: SimulateBody): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The last result, and whether the options above are others by now. */
const Kept = ({ kept: { body, result }, asked }: { kept: KeptResult; asked: SimulateBody }): ReactElement => (
  <>
    {isSame(body, asked) ? null : (
      <p className="quiet" role="status">
        These are the figures of the options before your change. Run the simulation again for the new ones.
      </p>
    )}
    <SimulateResult result={result} />
  </>
);

/** `landfall simulate` on this machine: the options, the figures, the frontier and the plots. */
export function SimulatePage(): ReactElement {
  const search = useSearch({ from: "/simulate" });
  const change = useChangeSearch();
  const [options, setOptions] = useState(() => optionsOf(search));
  const [kept, setKept] = useState(keptResult);
  const { run, cancel, isRunning, since, problem } = useCommand<SimulateBody, SimulationResult>(
    "/api/simulation",
    (result, body) => {
      keepResult({ body, result });
      setKept({ body, result });
    },
  );
  const write = (name: OptionName, value: string): void => {
    const changed = { ...options, [name]: value };
    setOptions(changed);
    change(searchOf(changed), { replace: true });
  };
  return (
    <Page
      title="Simulate"
      about="How much carbon would Landfall save? Jobs that are made up run through the measured hours of 2022, once for each way to choose their place and time."
    >
      <form
        className="options"
        onSubmit={(event) => {
          event.preventDefault();
          run(bodyOf(options));
        }}
      >
        {OPTION_NAMES.map((name) => (
          <OptionField
            key={name}
            name={name}
            value={options[name]}
            isDisabled={name === "maxPauses" && options.shift !== "time"}
            onChange={(value) => write(name, value)}
          />
        ))}
        <Button type="submit" className="plain" isDisabled={isRunning}>
          Run the simulation
        </Button>
      </form>
      <p className="quiet">
        It needs no cluster and runs for a minute or more, ten at most. The address has the options, so a link opens
        them. <code>landfall simulate</code> has more of them, also jobs and hours of your own.
      </p>
      {since === null ? null : <Running what="The simulation" since={since} onCancel={cancel} />}
      {problem === null ? null : <ProblemView problem={problem} />}
      {kept === null || isRunning ? null : <Kept kept={kept} asked={bodyOf(options)} />}
    </Page>
  );
}
