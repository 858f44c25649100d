/** Collects prices by machine type. A type with two prices has none: no one knows which one is true. */
export class PriceTable {
  private readonly prices = new Map<string, number>();
  private readonly unclear = new Set<string>();

  add(type: string, price: number): void {
    const known = this.prices.get(type);
    if (known !== undefined && known !== price) this.unclear.add(type);
    this.prices.set(type, price);
  }

  /** Machine type -> USD per hour. */
  clear(): Map<string, number> {
    return new Map([...this.prices].filter(([type]) => !this.unclear.has(type)));
  }
}
