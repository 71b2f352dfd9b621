// Bodies of sends: the content in an object named after its kind, or everything at the top. Pure.
import { detectMessage } from './detect.ts';
import { type Body, type Dialect, type Move, type Rewritten, rewrite } from './rewrite.ts';

/** `fallback` decides when the body does not tell. */
export type Rewrite = (body: Body, fallback: Dialect) => Rewritten;

/** Flat spellings of `options`. */
const options: readonly Move[] = [
  ['delay', 'options.delay'],
  ['presence', 'options.presence'],
  ['linkPreview', 'options.linkPreview'],
  ['quoted', 'options.quoted'],
  ['mentions', 'options.mentions'],
  ['mentionsEveryOne', 'options.mentions.everyOne'],
  ['everyOne', 'options.mentions.everyOne'],
  ['mentioned', 'options.mentions.mentioned'],
  ['mentionsAll', 'options.mentions.all'],
];
const nestedOptions: readonly Move[] = [
  ['options.mentionsEveryOne', 'options.mentions.everyOne'],
  ['options.everyOne', 'options.mentions.everyOne'],
  ['options.mentioned', 'options.mentions.mentioned'],
  ['options.mentionsAll', 'options.mentions.all'],
];

/** A message operation: its content object, the flat spellings of what is in it, and other spellings inside it. */
export function message(wrapper: string, content: readonly Move[], nested: readonly Move[] = []): Rewrite {
  const flat = [...content, ...options];
  const moves = [...flat, ...nested, ...nestedOptions];
  return (body, fallback) => {
    const detected = detectMessage(body, wrapper, flat);
    const dialect = detected ?? fallback;
    const rewritten = rewrite(body, dialect, moves);
    const isWrapped = detected === undefined ? Object.keys(body).length === 0 : detected === 'v1';
    if (isWrapped && dialect === 'v1') return rewritten;
    // A body without a wrapper and without its content: the error names the field of the flat form, not the wrapper.
    if (!content.some(([, to]) => to === wrapper)) rewritten.body[wrapper] ??= {};
    for (const [from, to] of content) rewritten.names.set(to, from);
    return rewritten;
  };
}
