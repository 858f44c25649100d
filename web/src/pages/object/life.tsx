import type { ReactElement } from "react";
import type { Moment } from "../../../../src/console/contract/object.ts";
import { useNow } from "../../ui/clock.ts";
import { Time } from "../../ui/figures.tsx";

/** The past and planned moments in order of time, with now between them. */
export function Life({ life }: { life: readonly Moment[] }): ReactElement {
  const now = useNow();
  const ahead = life.findIndex(({ planned }) => planned);
  const items = life.map((moment, at) => (
    <li key={`${moment.at} ${moment.what} ${String(at)}`} className={moment.planned ? "moment planned" : "moment"}>
      <Time at={moment.at} />
      <span className="moment-what">{moment.what}</span>
      <span className="quiet">{moment.detail}</span>
    </li>
  ));
  const line = (
    <li key="now" className="moment now">
      <Time at={now.toISOString()} />
      <span className="moment-what">Now</span>
      <span className="quiet">{ahead < 0 ? "nothing more is planned" : "what follows is planned"}</span>
    </li>
  );
  return (
    <section>
      <h2>Life</h2>
      <ol className="life">{items.toSpliced(ahead < 0 ? items.length : ahead, 0, line)}</ol>
    </section>
  );
}
