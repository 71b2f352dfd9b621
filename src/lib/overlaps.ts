// Compares lists that contain few items, such as the addresses of a person.
/** Whether two lists have an item in common. Undefined does not count as an item. */
export const overlaps = <Item>(first: readonly (Item | undefined)[], second: readonly (Item | undefined)[]): boolean =>
  first.some((item) => item !== undefined && second.includes(item));
