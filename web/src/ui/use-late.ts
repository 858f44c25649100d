import { useEffect, useState } from "react";

/** Whether something has waited for longer than `ms`. */
export function useLate(waits: boolean, ms: number): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!waits) return undefined;
    const timer = setTimeout(() => {
      setLate(true);
    }, ms);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [waits, ms]);
  return waits && isLate;
}
