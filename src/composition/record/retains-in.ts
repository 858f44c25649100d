/** Whether what a release with these values installs stays at the provider when it is removed. */
export const retainsIn = (values: Record<string, unknown>): boolean => values["deletionPolicy"] === "retain";
