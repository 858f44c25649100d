/** What a report of a completion writes into `landfall.dev/completed`. */
export const COMPLETIONS = ["succeeded", "failed"] as const;
