// Formats the differences between two versions of a package as text.
import type { Files } from './declarations.ts';
import { type Area, markOf, type WatchedPackage } from './packages.ts';
import { compareSurfaces, type Differences } from './surface.ts';

/** Maximum length of a declaration in a line. */
const MAX_TEXT = 160;

export interface Version {
  version: string;
  files: Files;
}

export interface ReportOptions {
  /** Maximum number of lines per area. */
  limit: number;
}

/** Returns the lines that compare two versions of a package. An area that cannot be read has a line with the error. */
export function formatComparison(
  { name, areas }: WatchedPackage,
  installed: Version,
  newest: Version,
  { limit }: ReportOptions,
): string[] {
  const title = `${name}: ${installed.version} is installed, ${newest.version} is the newest`;
  if (newest.version === installed.version) return [title, '  nothing to compare'];
  return [title, ...areas.flatMap((area) => formatArea(area, installed.files, newest.files, limit))];
}

function formatArea(area: Area, before: Files, after: Files, limit: number): string[] {
  try {
    const differences = compareSurfaces(area.read(before), area.read(after));
    const { added, removed, changed } = differences;
    const title = `  ${area.title}: ${removed.length} removed, ${changed.length} changed, ${added.length} added`;
    const lines = formatDifferences(area, differences);
    const more = lines.length > limit ? [`    … and ${lines.length - limit} more; --all prints them`] : [];
    return [title, ...lines.slice(0, limit), ...more];
  } catch (error) {
    return [`  ${area.title}: cannot be compared: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** Returns one line per name. Removed and changed names come first, because they can break the gateway. */
function formatDifferences({ marks }: Area, { removed, changed, added }: Differences): string[] {
  const labelOf = (name: string) => {
    const mark = markOf(marks, name);
    return mark ? `${name} [${mark}]` : name;
  };
  return [
    ...removed.map(([name, text]) => `    - ${labelOf(name)}: ${shorten(name, text)}`),
    ...changed.map(
      ({ name, before, after }) => `    ~ ${labelOf(name)}: ${shorten(name, before)} → ${shorten(name, after)}`,
    ),
    ...added.map(([name, text]) => `    + ${labelOf(name)}: ${shorten(name, text)}`),
  ];
}

/** Returns the declaration without the name at its start, with at most MAX_TEXT characters. */
function shorten(name: string, declaration: string): string {
  const member = `${name.split('.').at(-1)}: `;
  const text = declaration.startsWith(member) ? declaration.slice(member.length) : declaration;
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
}
