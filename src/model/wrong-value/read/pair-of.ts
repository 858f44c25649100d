/** `{Key: team, Value: web}` of AWS, `{name: team, value: web}` of a container. */
export function pairOf(one: Record<string, unknown>): Record<string, unknown> {
  const by = (...names: string[]): unknown => names.map((name) => one[name]).find((value) => value !== undefined);
  const [key, value] = [by("key", "Key", "name", "Name"), by("value", "Value")];
  return typeof key === "string" && value !== undefined ? { [key]: value } : one;
}
