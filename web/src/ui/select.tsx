import type { ReactElement } from "react";
import { Button, Label, ListBox, ListBoxItem, Popover, Select as AriaSelect, SelectValue } from "react-aria-components";
import { Icon } from "./icon.tsx";

export interface Choice {
  /** Empty for no choice. */
  value: string;
  text: string;
}

interface SelectProps {
  label: string;
  choices: readonly Choice[];
  value: string;
  onChange: (value: string) => void;
  /** Whether the label is read out only. */
  quiet?: boolean;
}

// A list box needs a key for each entry, and an empty one is none.
const NONE = " ";

/** One of a few values. */
export const Select = ({ label, choices, value, onChange, quiet = false }: SelectProps): ReactElement => (
  <AriaSelect
    className="select"
    value={value === "" ? NONE : value}
    onChange={(key) => {
      onChange(key === NONE ? "" : String(key));
    }}
  >
    <Label className={quiet ? "hidden" : "select-label"}>{label}</Label>
    <Button className="select-button">
      <SelectValue />
      <Icon name="down" />
    </Button>
    <Popover className="popover" isNonModal>
      <ListBox className="list-box" items={choices.map((choice) => ({ ...choice, id: choice.value || NONE }))}>
        {({ id, text }) => (
          <ListBoxItem id={id} textValue={text} className="list-item">
            {text}
          </ListBoxItem>
        )}
      </ListBox>
    </Popover>
  </AriaSelect>
);
