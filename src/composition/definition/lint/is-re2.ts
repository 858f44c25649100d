/** The most repetitions that RE2 counts. */
const MOST = 1000;

/**
 * Whether the API server can read this pattern of a schema, as far as JavaScript can and RE2 cannot: no looking around, no references back,
 * no escapes of other letters, no doubled or possessive repetition, no empty set, and at most 1000 repetitions.
 * https://github.com/google/re2/wiki/Syntax
 */
export function isRe2(pattern: string): boolean {
  const single = pattern.replaceAll("\\\\", "");
  if (/\\[1-9ceg-moquyF-ORT-VX-Z]/.test(single)) return false;
  const plain = single.replaceAll(/\\./g, "x");
  if (/\[\^?\]/.test(plain)) return false;
  const outside = plain.replaceAll(/\[[^[\]]{1,500}\]/g, "x");
  if (/\(\?<?[=!]|[+*?}][+*]/.test(outside)) return false;
  return [...outside.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g)].every(([, least, most]) =>
    [least, most].every((count) => Number(count ?? 0) <= MOST),
  );
}
