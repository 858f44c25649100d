import { type ReactElement, useEffect, useState } from "react";
import { Button, Label, Slider, SliderOutput, SliderThumb, SliderTrack } from "react-aria-components";
import { HOUR_MS } from "../../../../src/model/time.ts";
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

/** Chooses one of the coming hours. */
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
          <SliderThumb className="thumb" aria-label="Hour" />
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
