// Splits the text form of a list, as settings have it.

/** The items of a comma-separated list, without surrounding spaces and without empty items. */
export function splitList(list: string): string[] {
  const items = list.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}
