/** The text of a template, or why there is none; null where the bundle has no template of that name. */
export type Rendered = { text: string } | { broken: string } | null;

/** The platform team's own words for denials: Handlebars templates of the bundle. */
export interface MessageTemplates {
  /** Templates that cannot be parsed: name, and what is wrong. Known when the bundle is loaded. */
  readonly broken: ReadonlyMap<string, string>;
  /** Fills the template `name` (`denial`, or `denials.CODE.message`) with `values`. Never throws. */
  render(name: string, values: Readonly<Record<string, unknown>>): Rendered;
}
