export interface Seat {
  user: string;
  lastLogin: string | null;
}

/** Seats nobody has used since the given ISO day. */
export function unused(seats: Seat[], since: string): Seat[] {
  return seats.filter((seat) => seat.lastLogin === null || seat.lastLogin < since);
}

/** Most recent login first, never used last. */
export function byLastLogin(seats: Seat[]): Seat[] {
  return [...seats].sort((a, b) => (b.lastLogin ?? "").localeCompare(a.lastLogin ?? ""));
}
