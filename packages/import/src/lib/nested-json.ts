// Parses JSON from databases and files of other programs. Some programs store JSON as a text inside JSON. The input is
// not trusted: the size of a text, the number and depth of its values, and the levels of JSON inside JSON are limited.
import { JsonShape, type ShapeLimits } from '../../../../src/lib/json-shape.ts';
import { MAX_VALUE_SIZE } from '../../../../src/session-bundle/baileys-values.ts';

export interface NestedJsonOptions {
  /** The name of the text in errors: "creds of session 4f1c". It must contain no secret. */
  label: string;
  /** How often the text may be parsed: 1 (default) for plain JSON, 2 for a JSON text inside JSON. */
  levels?: number;
}

/** `levels` for a JSON text inside JSON. */
export const JSON_IN_JSON = 2;

/** The number of backslash escapes needs no limit of its own, because the size of the text is limited. */
const LIMITS: ShapeLimits = { values: 2_000_000, depth: 64, escapes: Number.POSITIVE_INFINITY };
/** Matches a text that is JSON itself: an object, an array or a text in quotes. All other texts are plain values. */
const JSON_START = /^\s*["[{]/;

/**
 * Returns the value in `text`, which is JSON. If this value is a text that looks like JSON, it is parsed too. A text of
 * digits, such as a LID (the hidden id of an account), stays a text. Throws an Error that names `label` when `text` is
 * too large, nested too deep or no JSON, or when it must be parsed more than `levels` times.
 */
export function parseNestedJson(text: string, { label, levels = 1 }: NestedJsonOptions): unknown {
  let value = parse(text, label);
  for (let level = 1; typeof value === 'string' && JSON_START.test(value); level += 1) {
    if (level >= levels) throw new Error(`${label} is JSON inside JSON${describeLimit(levels - 1)}.`);
    value = parse(value, label);
  }
  return value;
}

/** Returns the end of the sentence "<label> is JSON inside JSON". `times`: how often JSON inside JSON is allowed. */
function describeLimit(times: number): string {
  if (times === 0) return '';
  return times === 1 ? ' more than once' : ` more than ${times} times`;
}

function parse(text: string, label: string): unknown {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_VALUE_SIZE) throw new Error(`${label} is larger than ${MAX_VALUE_SIZE / 2 ** 20} MiB.`);
  const exceeded = new JsonShape(LIMITS).add(bytes);
  if (exceeded === 'depth') throw new Error(`${label} is nested deeper than ${LIMITS.depth} levels.`);
  if (exceeded !== undefined) throw new Error(`${label} has more than ${LIMITS[exceeded]} ${exceeded}.`);
  try {
    return JSON.parse(text);
  } catch {
    // The message of JSON.parse() is left out, because it contains a part of the text, which may be secret.
    throw new Error(`${label} is no valid JSON: it is damaged or incomplete.`);
  }
}
