// Compares lists that contain few items, such as the addresses of a person.
/** Whether two lists have an item in common. Undefined is no item. */
export const overlaps = <Item>(one: readonly (Item | undefined)[], other: readonly (Item | undefined)[]): boolean =>
  one.some((item) => item !== undefined && other.includes(item));
