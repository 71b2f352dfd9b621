// Parses JSON whose value is again a JSON text, as some programs store it. Databases and files of other programs are
// not trusted: the number of values, their depth and the number of nested texts are limited.
import { JsonShape, type ShapeLimits } from '../../../src/lib/json-shape.ts';

export interface NestedJsonOptions {
  /** What the text is, for errors: "creds of session 4f1c". It must contain no secret. */
  what: string;
  /** How often the text may be parsed: 1 for plain JSON, 2 for a JSON text inside JSON. */
  levels: number;
}

/** Maximum size of one text, bytes. */
const MAX_BYTES = 16 * 2 ** 20;
const LIMITS: ShapeLimits = { values: 2_000_000, depth: 64, escapes: Number.POSITIVE_INFINITY };
/** How a text starts that is an object, an array or again a text in JSON. Other texts, such as a LID, are values. */
const JSON_START = /^\s*["[{]/;

/**
 * Returns the value inside `text`, which is JSON or JSON in JSON. A value that is a text of digits or words, such as a
 * LID, is returned as it is. Throws an Error that names `what` for a text that is too large or too deep, that is no
 * JSON, or that must be parsed more than `levels` times.
 */
export function parseNestedJson(text: string, { what, levels }: NestedJsonOptions): unknown {
  let value = parse(text, what);
  for (let level = 1; typeof value === 'string' && JSON_START.test(value); level += 1) {
    if (level >= levels) throw new Error(`${what} is JSON inside JSON${toLimitText(levels - 1)}.`);
    value = parse(value, what);
  }
  return value;
}

/** How often a text inside the JSON is parsed. */
function toLimitText(times: number): string {
  if (times === 0) return '';
  return times === 1 ? ' more than once' : ` more than ${times} times`;
}

function parse(text: string, what: string): unknown {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_BYTES) throw new Error(`${what} is larger than ${MAX_BYTES / 2 ** 20} MiB.`);
  const exceeded = new JsonShape(LIMITS).add(bytes);
  if (exceeded === 'depth') throw new Error(`${what} is nested deeper than ${LIMITS.depth} levels.`);
  if (exceeded !== undefined) throw new Error(`${what} has more than ${LIMITS[exceeded]} ${exceeded}.`);
  try {
    return JSON.parse(text);
  } catch {
    // The message of the parser contains a part of the text, which may be secret.
    throw new Error(`${what} is no valid JSON: it is damaged or incomplete.`);
  }
}
