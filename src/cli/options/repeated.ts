/** For options that may be given again: all values in their order. */
export const repeated = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];
