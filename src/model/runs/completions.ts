/** The value of `landfall.dev/completed` that reports a completion. */
export const COMPLETIONS = ["succeeded", "failed"] as const;
