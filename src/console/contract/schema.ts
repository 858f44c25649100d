// JSON Schemas of the console's API that carry their TypeScript type: the server checks and writes by them, and the pages
// import the types alone. Keywords are those of fastify's validator and serialiser, both of which know `nullable`.

declare const type: unique symbol;

/** A JSON Schema of values of type `T`. */
export interface Schema<T> {
  readonly [type]?: T;
  readonly [keyword: string]: unknown;
}

/** The type that a schema describes. */
export type Of<S> = S extends Schema<infer T> ? T : never;

type Fields = Readonly<Record<string, Schema<unknown>>>;
type Values<F extends Fields> = { [K in keyof F]: Of<F[K]> };

export const text: Schema<string> = { type: "string" };
export const flag: Schema<boolean> = { type: "boolean" };
export const figure: Schema<number> = { type: "number" };
export const count: Schema<number> = { type: "integer", minimum: 0 };

/** A whole number from `minimum` to `maximum`. */
export const within = (minimum: number, maximum: number): Schema<number> => ({ type: "integer", minimum, maximum });

/** A text of at most so many characters, from a request. */
export const limited = (maxLength: number): Schema<string> => ({ type: "string", maxLength });

export const oneOf = <const T extends string>(values: readonly T[]): Schema<T> => ({ type: "string", enum: values });

export const orNull = <T>(schema: Schema<T>): Schema<T | null> => ({
  ...schema,
  nullable: true,
  ...(Array.isArray(schema["enum"]) ? { enum: [...(schema["enum"] as unknown[]), null] } : {}),
});

export const list = <T>(items: Schema<T>): Schema<T[]> => ({ type: "array", items });

export const mapOf = <T>(values: Schema<T>): Schema<Record<string, T>> => ({
  type: "object",
  additionalProperties: values,
});

/** An object with exactly these fields. */
export const record = <F extends Fields>(properties: F): Schema<Values<F>> => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Parameters of an address: each may be missing. */
export const parameters = <F extends Fields>(properties: F): Schema<Partial<Values<F>>> => ({
  type: "object",
  properties,
  additionalProperties: false,
});
