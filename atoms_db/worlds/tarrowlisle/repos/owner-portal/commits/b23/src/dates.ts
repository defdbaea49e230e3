/** The day of an alarm where the building is. */
export const day = (at: string, zone: string) =>
  new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(new Date(at));
