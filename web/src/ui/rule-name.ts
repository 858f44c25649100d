/** Rules whose name in a decision is not a word. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["flavour", "machine type"],
  ["latencyDefault", "default latency"],
  ["wrongSetting", "wrong setting"],
  ["maxPrice", "maximum price"],
]);

/** The name of a rule for people. */
export const ruleName = (rule: string): string => NAMES.get(rule) ?? rule;
