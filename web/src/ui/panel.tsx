import { type ReactElement, type ReactNode, useLayoutEffect, useRef } from "react";
import { Button } from "react-aria-components";
import { Icon } from "./icon.tsx";

interface PanelProps {
  /** Its name for those who do not see it. */
  label: string;
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** Details next to a page. What was chosen gets the focus; Escape closes it, and the focus returns to where it was chosen. */
export function Panel({ label, title, onClose, children }: PanelProps): ReactElement {
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const panel = ref.current;
    const opener = document.activeElement;
    // An address with a panel opens like any other page: at its beginning.
    if (panel === null || !(opener instanceof HTMLElement || opener instanceof SVGElement) || opener === document.body)
      return undefined;
    panel.focus({ preventScroll: true });
    return () => {
      if (panel.contains(document.activeElement)) opener.focus({ preventScroll: true });
    };
  }, [title]);
  return (
    <aside
      ref={ref}
      className="panel"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={({ key }) => {
        if (key === "Escape") onClose();
      }}
    >
      <div className="section-head">
        <h2>{title}</h2>
        <Button className="plain" onPress={onClose} aria-label="Close">
          <Icon name="close" />
        </Button>
      </div>
      {children}
    </aside>
  );
}
