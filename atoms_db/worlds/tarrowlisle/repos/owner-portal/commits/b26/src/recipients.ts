export type Recipient = { name: string; client: string; town: string; email: string };

/** Whom a report can be sent to: everybody whose client's name begins with what was typed. */
export function suggest(all: Recipient[], typed: string): Recipient[] {
  return all.filter((one) => one.client.toLowerCase().startsWith(typed.toLowerCase()));
}

export const label = (one: Recipient) => `${one.name}, ${one.client} (${one.town})`;
