// Generates docs/reference/settings.md and .env.example: all settings by topic.
import { aliasesOf, IGNORED, UNSUPPORTED } from '../../src/config/aliases.ts';
import { type Declared, MAX_INTEGER } from '../../src/config/settings/declare.ts';
import { SETTING_GROUPS } from '../../src/config/settings.ts';
import { code, contents, generatedFrom, page, paragraph, table } from './markdown.ts';

const INTRODUCTION = `All settings of the gateway, by topic. A setting is an environment variable, or a line of a file \`.env\` in
  the folder where the gateway starts; [.env.example](../../.env.example) has all of them to copy. An empty value means: not
  set. The gateway reads settings at the start and reports all invalid ones at once.`;

const ALIASES_NOTE = `A name after "Also" is the name of the same setting in other gateways. If both are set, the name in the first
  column counts.`;

const OTHER_GATEWAYS = `The gateway reads the names of other gateways where the feature exists; they are above, after "Also". These
  settings have no effect here. The start logs those that are set, with the reason. [Migrate from Evolution API](../guides/migrate-from-evolution.md) explains the move.`;

const FEATURES = 'The start logs a warning when one of these is enabled, because the feature does not exist here.';

const MIB = 2 ** 20;

/** The limits of a number in words; undefined when it has none beyond 0 and the maximum of all numbers. */
function limitsOf(setting: Declared): string | undefined {
  const [minimum, maximum]: unknown[] = [setting.minimum, setting.maximum];
  const lowest = typeof minimum === 'number' && minimum > 0 ? minimum : undefined;
  const highest = typeof maximum === 'number' && maximum < MAX_INTEGER ? maximum : undefined;
  if (highest !== undefined) return `${lowest ?? 0} to ${highest}`;
  return lowest === undefined ? undefined : `at least ${lowest}`;
}

/** Unit and limits of a setting, such as `seconds, 2 to 3600`; '' when it has neither. */
function unitOf(setting: Declared): string {
  return [setting.unit, limitsOf(setting)].filter((part) => part !== undefined).join(', ');
}

function defaultOf({ default: value, unit }: Declared): string {
  if (value === '') return 'empty';
  const isRound = unit === 'bytes' && Number(value) % MIB === 0;
  return isRound ? `${code(String(value))} (${Number(value) / MIB} MiB)` : code(String(value));
}

/** The other names of a setting as a sentence, with `format` applied to each name; '' when it has none. */
function otherNames(name: string, format: (name: string) => string): string {
  const others = aliasesOf(name).join(', ');
  return others && `Also: ${others.replaceAll(/[A-Z]+_[A-Z_]+(?:<NAME>)?/g, format)}.`;
}

/** The allowed values, if `help` does not name them all. */
function valuesOf({ enum: values, help }: Declared): string {
  if (!Array.isArray(values)) return '';
  const names = values.map((value) => code(String(value)));
  return names.every((name) => help.includes(name)) ? '' : `One of ${names.join(', ')}.`;
}

function toCells([name, setting]: [string, Declared]): string[] {
  const text = [setting.help, valuesOf(setting), otherNames(name, code)].filter(Boolean).join(' ');
  return [code(name), defaultOf(setting), unitOf(setting), text, setting.whenToChange];
}

/** The text of settings.md. */
export function toSettingsPage(): string {
  const sections = SETTING_GROUPS.flatMap(({ title, about, settings }) => {
    const head = ['setting', 'default', 'unit, limits', 'what it does', 'when to change it'];
    return [`## ${title}`, paragraph(about), table(head, Object.entries(settings).map(toCells))];
  });
  const ignored = Object.entries(IGNORED).map(([name, reason]) => [code(name), reason]);
  const features = UNSUPPORTED.map(({ name, enabledBy, reason }) => [code(`${name}=${enabledBy}`), reason]);
  const others = 'Settings of other gateways';
  return page([
    generatedFrom('src/config'),
    '# Settings',
    paragraph(INTRODUCTION),
    paragraph(ALIASES_NOTE),
    contents([...SETTING_GROUPS.map(({ title }) => title), others]),
    ...sections,
    `## ${others}`,
    paragraph(OTHER_GATEWAYS),
    table(['setting', 'reason'], ignored),
    paragraph(FEATURES),
    table(['setting', 'reason'], features),
  ]);
}

/** Markdown as plain text: links become paths in the repository, and backticks are removed. */
const toPlain = (markdown: string) =>
  markdown.replaceAll(/\[[^\]]+\]\(\.\.\/([^)#]+)[^)]*\)/g, 'docs/$1').replaceAll('`', '');

/** A text as comment lines of .env.example. */
const toComment = (text: string) => `# ${paragraph(toPlain(text), '# ')}\n`;

function toEnvLines([name, setting]: [string, Declared]): string {
  const unit = unitOf(setting);
  const what = [setting.help, valuesOf(setting)].filter(Boolean).join(' ');
  const facts = [unit && `Unit: ${unit}.`, otherNames(name, (other) => other)].filter(Boolean).join(' ');
  return `${toComment(what)}${toComment(setting.whenToChange)}${facts && toComment(facts)}${name}=${setting.default}\n`;
}

/** The text of .env.example. */
export function toEnvExample(): string {
  const toLines = (rows: [string, string][]) => rows.map(([name, reason]) => `#   ${name}: ${reason}\n`).join('');
  const groups = SETTING_GROUPS.map(
    ({ title, settings }) => `\n# ---- ${title} ----\n\n${Object.entries(settings).map(toEnvLines).join('\n')}`,
  );
  return [
    '# All settings with their defaults. Copy this file to .env, and change the copy. An empty value means: not set.\n',
    '# docs/reference/settings.md has the same as a page. Both are generated from src/config by npm run generate.\n',
    ...groups,
    '\n# ---- Settings of other gateways ----\n\n# They have no effect here:\n',
    toLines(Object.entries(IGNORED)),
    '# Features that do not exist here. Each start logs a warning when one is enabled:\n',
    toLines(UNSUPPORTED.map(({ name, enabledBy, reason }) => [`${name}=${enabledBy}`, reason])),
  ].join('');
}
