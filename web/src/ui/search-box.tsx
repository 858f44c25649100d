import { type ReactElement, useDeferredValue, useEffect, useState } from "react";
import { Input, Label, SearchField } from "react-aria-components";

/** A part of a name, told a moment after the last key. */
export function SearchBox({ value, onSearch }: { value: string; onSearch: (search: string) => void }): ReactElement {
  const [typed, setTyped] = useState(value);
  const settled = useDeferredValue(typed);
  useEffect(() => {
    setTyped(value);
  }, [value]);
  useEffect(() => {
    if (settled === value) return;
    const timer = setTimeout(() => {
      onSearch(settled);
    }, 200);
    return () => {
      clearTimeout(timer);
    };
  }, [settled, value, onSearch]);
  return (
    <SearchField className="search" value={typed} onChange={setTyped}>
      <Label className="hidden">Part of the name</Label>
      <Input placeholder="Name" />
    </SearchField>
  );
}
