// The values in an address. Addresses come from anywhere: a value that a page does not know is dropped, never shown.

type Given = Record<string, unknown>;

/** A text; undefined for anything else and for an empty one. */
export const textIn = (given: Given, name: string): string | undefined => {
  const value = given[name];
  return typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;
};

/** One of these texts; undefined for any other. */
export const oneIn = <T extends string>(given: Given, name: string, values: readonly T[]): T | undefined =>
  values.find((value) => value === given[name]);

/** A whole number from 0; undefined for anything else. */
export const countIn = (given: Given, name: string): number | undefined => {
  const value = Number(given[name] ?? Number.NaN);
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
};

/** A time (RFC 3339); undefined for anything else. */
export const timeIn = (given: Given, name: string): string | undefined => {
  const value = given[name];
  return typeof value === "string" && !Number.isNaN(Date.parse(value)) ? value : undefined;
};

/** Omits what is not given, so that an address names only what differs. */
export const given = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
