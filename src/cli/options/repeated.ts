/** For repeatable options: all values in order. */
export const repeated = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];
