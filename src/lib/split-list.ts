// Splits comma-separated lists, the form of lists in settings.

/** The items of a comma-separated list, without surrounding spaces and without empty items. */
export function splitList(list: string): string[] {
  const items = list.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}
