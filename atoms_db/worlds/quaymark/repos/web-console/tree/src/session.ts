/** How long a session lives, in minutes. Wall screens will get kiosk tokens with 2.8. */
export const SESSION_MINUTES = 12 * 60;

export function expired(startedAt: number, now: number): boolean {
  return now - startedAt > SESSION_MINUTES * 60_000;
}
