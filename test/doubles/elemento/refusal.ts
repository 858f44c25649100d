/** An answer before it is sent. */
export interface Told {
  status: number;
  /** Sent as JSON, a text as it is. */
  body: unknown;
  headers?: Record<string, string>;
}

/** What a handler throws to answer with an error in the shape of Elemento's services. */
export class Refusal extends Error {
  readonly told: Told;
  constructor(status: number, error: string, rest: Record<string, unknown> = {}) {
    super(error);
    this.told = { status, body: { origin: "MESON", error, ...rest } };
  }
}

/** A field that is missing or wrong. */
export const badField = (field: string, error = "MISSING"): Refusal =>
  new Refusal(400, "BadRequest", { field_errors: [{ field, where: "BODY", error }] });

export const told = (status: number, body: unknown = {}): Told => ({ status, body });
