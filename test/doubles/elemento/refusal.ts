/** An answer before it is sent. */
export interface Told {
  status: number;
  /** Sent as JSON; a text is sent unchanged. */
  body: unknown;
  headers?: Record<string, string>;
}

/** Thrown by a handler to answer with an error in the format of Elemento's services. */
export class Refusal extends Error {
  readonly told: Told;
  constructor(status: number, error: string, rest: Record<string, unknown> = {}) {
    super(error);
    this.told = { status, body: { origin: "MESON", error, ...rest } };
  }
}

/** A missing or invalid field. */
export const badField = (field: string, error = "MISSING"): Refusal =>
  new Refusal(400, "BadRequest", { field_errors: [{ field, where: "BODY", error }] });

export const told = (status: number, body: unknown = {}): Told => ({ status, body });
