import { type ReactElement, useEffect, useState } from "react";
import { Button } from "react-aria-components";

/** A command that runs, for how long, and the way to end it. */
export function Running({
  what,
  since,
  onCancel,
}: {
  what: string;
  since: number;
  onCancel: () => void;
}): ReactElement {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="running" role="status">
      <span>
        {what} runs on this machine since {Math.max(0, Math.round((now - since) / 1000))} s. It ends when you leave the
        page.
      </span>
      <Button className="plain" onPress={onCancel}>
        Cancel
      </Button>
    </p>
  );
}
