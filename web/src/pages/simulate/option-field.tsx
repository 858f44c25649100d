import type { ReactElement } from "react";
import type { OptionName } from "./options.ts";

interface Words {
  label: string;
  /** Its meaning, or the text to write. */
  hint: string;
  /** The largest value of a number; a text without it. */
  most?: number;
  placeholder?: string;
}

const WORDS: Readonly<Record<OptionName, Words>> = {
  jobs: { label: "Jobs", hint: "how many are made up: 1 to 5000", most: 5000 },
  seed: { label: "Seed", hint: "another number makes other jobs", most: 2_147_483_647 },
  shift: { label: "Landfall may choose", hint: "the rest stays as the job arrives" },
  duration: { label: "Length of the jobs, h", hint: "shortest-longest" },
  slack: { label: "Time that jobs can wait, h", hint: "least-most, between arrival and latest start" },
  waitingCost: {
    ...{ label: "Cost of a day of waiting, %", most: 10_000, placeholder: "the bundle's" },
    hint: "of a job's carbon: what each day has to save",
  },
  frontier: {
    ...{ label: "Compare these costs of waiting, %", placeholder: "none" },
    hint: "the cost in force is compared as well",
  },
  maxPauses: { label: "Most pauses of a run", hint: "only if Landfall chooses the time alone", most: 20 },
  knownHours: {
    ...{ label: "Hours known exactly", most: 168 },
    hint: "replaces so much of each forecast by measured hours",
  },
};

const SHIFTS = [
  ["both", "place and time"],
  ["place", "place alone"],
  ["time", "time alone"],
] as const;

interface FieldProps {
  name: OptionName;
  value: string;
  isDisabled: boolean;
  onChange: (value: string) => void;
}

/** A field of the simulation's options with its meaning. */
export function OptionField({ name, value, isDisabled, onChange }: FieldProps): ReactElement {
  const { label, hint, most, placeholder = "" } = WORDS[name];
  const number = most === undefined ? {} : { type: "number", min: name === "jobs" ? 1 : 0, max: most };
  const described = `${name}-hint`;
  return (
    <div className="option">
      <label>
        {label}
        {name === "shift" ? (
          <select value={value} aria-describedby={described} onChange={({ target }) => onChange(target.value)}>
            {SHIFTS.map(([key, text]) => (
              <option key={key} value={key}>
                {text}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...{ ...number, value, placeholder, disabled: isDisabled, "aria-describedby": described }}
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </label>
      <span id={described} className="option-hint quiet">
        {hint}
      </span>
    </div>
  );
}
