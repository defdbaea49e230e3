/** A bay template lists the bays of a depot for one kind of day. */
export interface Template {
  day: "weekday" | "saturday" | "bank-holiday";
  bays: string[];
}

/** The bays of a template, each once, in the order given. */
export function bays(template: Template): string[] {
  return [...new Set(template.bays)];
}
