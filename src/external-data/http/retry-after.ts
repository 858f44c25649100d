/** The seconds that a Retry-After header asks to wait: a number of them, or the time to wait for. 0 if it says neither. */
export function retryAfter(header: unknown, nowMs = Date.now()): number {
  const text = typeof header === "string" ? header.trim() : "";
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const until = Date.parse(text);
  return Number.isNaN(until) ? 0 : Math.max(0, Math.ceil((until - nowMs) / 1000));
}
