// Rewrites request bodies of sends: the content is in an object named after its type (v1) or at the top (v2). Pure.
import { detectMessage } from './detect.ts';
import { type Body, type Dialect, type FieldAlias, type RewrittenBody, rewrite } from './rewrite.ts';

/** Converts a request body to the v1 form, which the schemas describe. `fallback` is the dialect of a body that fits both. */
export type Rewrite = (body: Body, fallback: Dialect) => RewrittenBody;

/** Aliases of the members of `options` in flat bodies. */
const OPTION_ALIASES: readonly FieldAlias[] = [
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
const nestedOptions: readonly FieldAlias[] = [
  ['options.mentionsEveryOne', 'options.mentions.everyOne'],
  ['options.everyOne', 'options.mentions.everyOne'],
  ['options.mentioned', 'options.mentions.mentioned'],
  ['options.mentionsAll', 'options.mentions.all'],
];

/** The rewrite of a send: `wrapper` is the content object, `content` has the flat aliases of its members, `nested` aliases inside it. */
export function rewriteMessage(
  wrapper: string,
  content: readonly FieldAlias[],
  nested: readonly FieldAlias[] = [],
): Rewrite {
  const flat = [...content, ...OPTION_ALIASES];
  const aliases = [...flat, ...nested, ...nestedOptions];
  return (body, fallback) => {
    const detected = detectMessage(body, wrapper, flat);
    const dialect = detected ?? fallback;
    const rewritten = rewrite(body, dialect, aliases);
    const isWrapped = detected === undefined ? Object.keys(body).length === 0 : detected === 'v1';
    if (isWrapped && dialect === 'v1') return rewritten;
    // Without any content, the validation error should name the field of the flat form and not the wrapper.
    if (!content.some(([, to]) => to === wrapper)) rewritten.body[wrapper] ??= {};
    for (const [from, to] of content) rewritten.callerPaths.set(to, from);
    return rewritten;
  };
}
