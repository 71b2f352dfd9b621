// Functions that declare settings. A declared setting is a schema for its value with the texts of its documentation.
import type { JsonSchema } from '../../lib/json-schema.ts';

/** The unit of a number. With `count`, the text `help` says what is counted. */
export type SettingUnit =
  | 'ms'
  | 'seconds'
  | 'minutes'
  | 'hours'
  | 'days'
  | 'bytes'
  | 'MiB'
  | 'per minute'
  | 'count'
  | 'port number'
  | 'fraction';

export interface SettingTexts {
  /** What the setting does, and what special values such as 0 mean. Markdown; .env.example shows it as plain text. */
  help: string;
  /** Says in which case to change the value. */
  whenToChange: string;
}

/** The documentation of a setting, beside the keywords of its schema. */
export interface Documented extends SettingTexts {
  /** The unit of the value; undefined for a value without a unit. */
  unit?: SettingUnit;
}

/** A declared setting: the schema of its value, with the documentation. */
export type Declared<Value extends string | number | boolean = string | number | boolean> = JsonSchema &
  Documented & { readonly default: Value };

/** The settings of one topic, by the name of their environment variable. */
export type DeclaredSettings = Readonly<Record<string, Declared>>;

/** Returns the schema without the documentation, which the validator would refuse as unknown keywords. */
export function toSchema(setting: Declared): JsonSchema {
  const { help: _help, whenToChange: _whenToChange, unit: _unit, ...schema } = setting;
  return schema;
}

/** Declares a text. An empty value means: not set. */
export function text(
  fallback: string,
  texts: SettingTexts & { unit?: SettingUnit; pattern?: string },
): Declared<string> {
  return { type: 'string', default: fallback, ...texts };
}

/** Declares a setting that is true or false. */
export function flag(fallback: boolean, texts: SettingTexts): Declared<boolean> {
  return { type: 'boolean', default: fallback, ...texts };
}

export interface NumberTexts extends SettingTexts {
  unit: SettingUnit;
  minimum?: number;
  maximum?: number;
}

/** The maximum of settings that declare no `maximum`: the largest delay in ms that timers accept. */
export const MAX_INTEGER = 2 ** 31 - 1;

/** Declares an integer from 0 to MAX_INTEGER, or within `minimum` and `maximum`. */
export function integer(fallback: number, texts: NumberTexts): Declared<number> {
  return { type: 'integer', default: fallback, minimum: 0, maximum: MAX_INTEGER, ...texts };
}

/** Declares a number with decimals within `minimum` and `maximum`. */
export function decimal(fallback: number, texts: Required<NumberTexts>): Declared<number> {
  return { type: 'number', default: fallback, ...texts };
}

/** Declares a setting with one of the values `allowed`. */
export function choice<const Value extends string>(
  fallback: Value,
  allowed: readonly Value[],
  texts: SettingTexts,
): Declared<Value> {
  return { type: 'string', default: fallback, enum: allowed, ...texts };
}
