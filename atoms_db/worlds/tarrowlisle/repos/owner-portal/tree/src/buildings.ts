/** The order in which somebody has dragged the buildings. */
export function ordered<T extends { id: string }>(all: T[], order: string[]): T[] {
  const at = (one: T) => (order.indexOf(one.id) + 1 || 999);
  return [...all].sort((a, b) => at(a) - at(b));
}
