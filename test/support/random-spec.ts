import fc from "fast-check";
import { formatTime } from "../../src/model/time.ts";

export interface RandomSpec extends Record<string, unknown> {
  cpu: number;
  memory: number;
  duration?: string;
  deadline?: string;
  maxLatency?: number;
  provider?: string;
  dataResidency?: string[];
}

const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq: 2 });

/** Specs as users write them: mostly sensible, sometimes impossible. Deadlines are 0–7 days after `now`. */
export function randomSpec(nowSeconds: number): fc.Arbitrary<RandomSpec> {
  return fc
    .record({
      cpu: fc.constantFrom(1, 2, 3, 4, 8, 16, 48, 64, 200),
      memory: fc.constantFrom(1, 2, 4, 7, 8, 16, 32, 100, 512, 4096, 20_000),
      hours: optional(fc.integer({ min: 1, max: 48 })),
      slack: optional(fc.integer({ min: 0, max: 120 })),
      maxLatency: optional(fc.integer({ min: 1, max: 250 })),
      provider: optional(fc.constantFrom("azure", "aws", "gcp", "elemento")),
      dataResidency: optional(fc.subarray(["EU", "EEA", "GDPR", "US", "BR", "JP"], { minLength: 1 })),
      origin: optional(fc.constantFrom("azure/italynorth", "gcp/us-central1", "aws/ap-northeast-1")),
      arch: optional(fc.constantFrom("amd64", "arm64")),
      burstable: optional(fc.boolean()),
      os: optional(fc.constantFrom("ubuntu-24.04", "ubuntu-22.04", "debian-12")),
      optimizeFor: optional(fc.constantFrom("carbon", "cost", "latency", "balanced")),
    })
    .map(({ hours, slack, ...rest }) => {
      const spec: Record<string, unknown> = Object.fromEntries(
        Object.entries(rest).filter(([, value]) => value !== undefined),
      );
      if (hours !== undefined) spec["duration"] = `${String(hours)}h`;
      if (hours !== undefined && slack !== undefined)
        spec["deadline"] = formatTime(nowSeconds + (hours + slack) * 3600);
      return spec as RandomSpec;
    });
}
