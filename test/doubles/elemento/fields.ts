import { isObject } from "../../../src/model/json.ts";
import { badField } from "./refusal.ts";

type Fields = Record<string, unknown>;

/** A required text. Throws the refusal that names the field. */
export function textOf(body: Fields, key: string): string {
  const value = body[key];
  if (typeof value !== "string" || value === "") throw badField(key, value === undefined ? "MISSING" : "WRONG_VALUE");
  return value;
}

/** An optional field. */
export const textOrEmpty = (body: Fields, key: string): string => {
  const value = body[key];
  return typeof value === "string" ? value : "";
};

/** A required number of at least `least`. */
export function numberOf(body: Fields, key: string, least: number): number {
  const value = body[key];
  if (typeof value !== "number" || !(value >= least))
    throw badField(key, value === undefined ? "MISSING" : "WRONG_VALUE");
  return value;
}

export function objectOf(body: Fields, key: string): Fields {
  const value = body[key];
  if (!isObject(value)) throw badField(key, value === undefined ? "MISSING" : "WRONG_VALUE");
  return value;
}

/** A list of objects; empty if the field is missing. */
export function listOf(body: Fields, key: string): Fields[] {
  const value = body[key] ?? [];
  if (!Array.isArray(value) || !value.every(isObject)) throw badField(key, "WRONG_VALUE");
  return value;
}
