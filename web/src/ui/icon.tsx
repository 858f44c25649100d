import type { ReactElement } from "react";

/** Paths on a grid of 16, drawn with lines of the text's colour. */
const PATHS = {
  waiting: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Zm0 3v3l2 2",
  starting: "M8 2v3M8 11v3M2 8h3M11 8h3M4 4l2 2M10 10l2 2M12 4l-2 2M6 10l-2 2",
  running: "M5 3v10l8-5Z",
  overdue: "M4 2h8M4 14h8M5 2v2.500l3 3.500 3-3.500V2M5 14v-2.500l3-3.500 3 3.500V14",
  ending: "M4 4h8v8H4Z",
  ended: "M3 8.5 6.5 12 13 4.5",
  failing: "M8 2 1.5 13.5h13ZM8 6.5v3.5M8 11.8v.2",
  denied: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM4 4l8 8",
  overview: "M2 2h5v5H2ZM9 2h5v5H9ZM2 9h5v5H2ZM9 9h5v5H9Z",
  try: "M3 13l2-5 6-6 3 3-6 6Z",
  map: "M8 14s5-4.5 5-8A5 5 0 0 0 3 6c0 3.500 5 8 5 8ZM8 7.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3Z",
  timeline: "M2 4h7M5 8h8M3 12h6",
  objects: "M2 3.500h12M2 8h12M2 12.500h12",
  policies: "M8 2 3 4v4c0 3 2 5 5 6 3-1 5-3 5-6V4Z",
  simulate: "M2 13l4-5 3 3 5-7",
  close: "M4 4l8 8M12 4l-8 8",
  menu: "M2 4h12M2 8h12M2 12h12",
  down: "M4 6l4 4 4-4",
  up: "M4 10l4-4 4 4",
  signed: "M8 2 3 4v4c0 3 2 5 5 6 3-1 5-3 5-6V4ZM6 8l1.500 1.500L10.500 6.500",
  theme: "M8 2a6 6 0 1 0 0 12ZM8 2a6 6 0 0 1 0 12",
} as const;

export type IconName = keyof typeof PATHS;

/** A picture next to its word: it says nothing to a screen reader. */
export const Icon = ({ name }: { name: IconName }): ReactElement => (
  <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
    <path
      d={PATHS[name]}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinejoin="round"
      strokeLinecap="round"
    />
  </svg>
);
