/** A bay template lists the bays of a depot for one kind of day. */
export interface Template {
  day: "weekday" | "saturday" | "bank-holiday";
  bays: string[];
}

export function bays(template: Template): string[] {
  return template.bays;
}
