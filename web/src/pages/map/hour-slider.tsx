import { type ReactElement, useEffect, useState } from "react";
import { Button, Label, Slider, SliderOutput, SliderThumb, SliderTrack } from "react-aria-components";
import { useNow } from "../../ui/clock.ts";
import { relativeText, timeText } from "../../ui/format.ts";

interface HourSliderProps {
  /** The beginning of the first hour. */
  from: Date;
  hours: number;
  /** The chosen hour. */
  hour: number;
  /** Called while the thumb moves, and with `done` when it rests. */
  onChange: (hour: number, done: boolean) => void;
}

const HOUR_MS = 3_600_000;

/** Chooses an hour of the forecast. */
export function HourSlider({ from, hours, hour, onChange }: HourSliderProps): ReactElement {
  const now = useNow();
  const [at, setAt] = useState(hour);
  useEffect(() => {
    setAt(hour);
  }, [hour]);
  const time = new Date(from.getTime() + at * HOUR_MS);
  return (
    <div className="hour">
      <Slider
        className="slider"
        minValue={0}
        maxValue={hours - 1}
        value={at}
        onChange={(value) => {
          setAt(value);
          onChange(value, false);
        }}
        onChangeEnd={(value) => {
          onChange(value, true);
        }}
      >
        <Label>Hour</Label>
        <SliderTrack className="track">
          <SliderThumb className="thumb" aria-label="Hour of the forecast" />
        </SliderTrack>
        <SliderOutput className="hour-text">
          {at === 0 ? "this hour" : `${timeText(time, now)} (${relativeText(time, now)})`}
        </SliderOutput>
      </Slider>
      <Button className="plain" isDisabled={at === 0} onPress={() => onChange(0, true)}>
        Now
      </Button>
    </div>
  );
}
