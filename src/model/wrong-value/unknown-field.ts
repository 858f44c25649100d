/** A field that its map does not have. */
export interface UnknownField {
  /** Of the map that holds it. */
  parent: string;
  name: string;
  value: unknown;
  /** The map itself. */
  siblings: Readonly<Record<string, unknown>>;
  /** The list that holds the map as an item; omitted for others. */
  list?: readonly unknown[];
}
