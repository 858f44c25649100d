/** The message of a denial or warning; that of a team's rule names its bundle first, where no limit of length cuts it off. */
export const withSource = ({ message, source }: { message: string; source?: string }): string =>
  source === undefined ? message : `bundle ${source}: ${message}`;
