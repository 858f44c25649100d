import { type ReactElement, type ReactNode, useEffect } from "react";

interface PageProps {
  title: string;
  /** The content of the page in one line. */
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A page with its title, which the tab of the browser has too. */
export function Page({ title, about, actions, children }: PageProps): ReactElement {
  useEffect(() => {
    document.title = `${title} · Landfall`;
  }, [title]);
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>{title}</h1>
          {about === undefined ? null : <p className="quiet">{about}</p>}
        </div>
        {actions === undefined ? null : <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
