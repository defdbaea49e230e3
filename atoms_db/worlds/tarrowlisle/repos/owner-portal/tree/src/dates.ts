/** The day of an alarm, as it is shown. */
export const day = (at: string) => at.slice(0, 10);
