export interface Seat {
  user: string;
  lastLogin: string | null;
}

/** Seats nobody has used since the given ISO day. */
export function unused(seats: Seat[], since: string): Seat[] {
  return seats.filter((seat) => seat.lastLogin === null || seat.lastLogin < since);
}
