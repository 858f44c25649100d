import { table } from "../table.ts";

/** Series of types by the first letters of their names, as in m7i, Standard_D4s_v5 and n2, with the families of catalog/families.json. */
const SERIES: Readonly<Record<string, RegExp>> = table({
  general: /^(?:m[5-9][a-z]*|(?:standard_)?d[a-z]?s?(?:_?v\d)?|n[124]d?|e2|t2[ad])$/,
  compute: /^(?:c[5-9][a-z]*|(?:standard_)?fs?(?:_?v\d)?|c2d?|h3)$/,
  memory: /^(?:r[5-9][a-z]*|(?:standard_)?e[a-z]?s?(?:_?v\d)?)$/,
  "large-memory": /^(?:x[12][a-z]*|u-\w{1,10}|(?:standard_)?ms?(?:_?v\d)?|m[1-4])$/,
  burstable: /^(?:t[234][a-z]?|(?:standard_)?bs?(?:_?v\d)?)$/,
});

const ACCELERATED = /^(?:gpus?|accelerat\w{0,5}|[pg]\d[a-z]{0,3}|(?:standard_)?n[cdv][a-z]{0,3}(?:_?v\d)?|a[23]|g2)$/;

/** The family that a provider's series of types belongs to, such as general of m5; null for other names. */
export const familyOfSeries = (name: string): string | null =>
  Object.entries(SERIES).find(([, series]) => series.test(name.trim().toLowerCase()))?.[0] ?? null;

/** Whether a name is that of types with GPUs or of a series of them. */
export const isAccelerated = (name: string): boolean => ACCELERATED.test(name.trim().toLowerCase());
