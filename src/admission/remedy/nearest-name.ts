import type { Fields } from "./change-search.ts";

/** A name of the catalog that an object may mean. */
export interface NearestName {
  /** Fields of spec with it. */
  fields: Fields;
  /** `schedulingLocation italynorth` */
  text: string;
}

/** The only name, or none. */
export const single = (field: string, value: string | null): NearestName[] =>
  value === null ? [] : [{ fields: { [field]: value }, text: `${field} ${value}` }];
