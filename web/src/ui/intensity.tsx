import type { ReactElement } from "react";
import { intensityColour, intensityText, onIntensity, SCALE_STEPS } from "./scale.ts";
import { UNKNOWN } from "./format.ts";

/** A carbon intensity on its colour. */
export function Intensity({ value }: { value: number | null }): ReactElement {
  if (value === null) return <span className="quiet">{UNKNOWN}</span>;
  return (
    <span className="intensity" style={{ background: intensityColour(value), color: onIntensity(value) }}>
      {intensityText(value)}
    </span>
  );
}

/** The scale with its numbers. */
export const IntensityLegend = (): ReactElement => (
  <div
    className="legend"
    role="img"
    aria-label="Scale of carbon intensity, from 0 (light) to 800 and more (dark) grams CO2e per kWh"
  >
    <span aria-hidden="true">g CO₂e/kWh</span>
    {SCALE_STEPS.map((step) => (
      <span
        key={step}
        aria-hidden="true"
        className="legend-step"
        style={{ background: intensityColour(step), color: onIntensity(step) }}
      >
        {step}
        {step === SCALE_STEPS.at(-1) ? "+" : ""}
      </span>
    ))}
  </div>
);
