// Words that texts of this repository avoid: the rules, which parts of a file they apply to, and the search.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Rule {
  /** Words or phrases, separated by `|`. A space also matches a line break inside a comment or a paragraph. */
  avoid: string;
  /** What to write. */
  instead: string;
}

export interface Finding {
  path: string;
  line: number;
  found: string;
  instead: string;
}

const RULES: readonly Rule[] = [
  { avoid: 'whoever|whomever', instead: 'the role: the caller, the process, the contact' },
  {
    avoid: 'nobody|no one|somebody|someone|anybody|anyone|everybody',
    instead: 'the role: no caller, a member, all users',
  },
  { avoid: '(?<!for )everyone', instead: 'all members, all users; only "for everyone" is a term of WhatsApp' },
  { avoid: 'whatever|wherever', instead: 'regardless of, all that, where' },
  { avoid: 'told|telling(?! apart)', instead: 'report, say, send, show' },
  // "Tells the client" is plain; "tells what became of it" is not.
  { avoid: 'tells?(?! (?:apart|the|a|an|its|all|each|other))', instead: 'report, say, send, show' },
  { avoid: 'heard|hears?|hearing', instead: 'receive' },
  { avoid: 'anew|afresh|begun', instead: 'again, a new one, started' },
  { avoid: 'in earnest|by hand of|in this moment|at this moment', instead: 'on the real platform, by, now' },
  { avoid: 'for good|for ever', instead: 'permanently, without a limit' },
  { avoid: 'handed|hand(?:s|ing)? (?:over|out|in|back)', instead: 'pass, send, return' },
  { avoid: 'shall|ought|thus|hence|whence|thereby|therein|thereof|herein|lest|alas', instead: 'must, so, therefore' },
  { avoid: 'slips?', instead: 'mistake, typing error' },
  { avoid: 'wish|wishes|wished', instead: 'request, setting' },
  { avoid: 'strangers?', instead: 'contacts without an earlier chat, other people' },
  { avoid: 'pretend(?:s|ed)?', instead: 'simulated' },
  { avoid: '(?:is|are|was|were) not there', instead: 'does not exist, is missing' },
  { avoid: '(?:what|nothing) (?:became|becomes|came|comes) of', instead: 'the result of, the status of' },
  { avoid: 'as (?:it|they) comes?', instead: 'by default, without settings' },
  { avoid: 'come again', instead: 'retry' },
  { avoid: 'by itself|by themselves', instead: 'automatically, alone' },
  { avoid: 'under ?way', instead: 'in progress, in flight' },
  { avoid: 'things?', instead: 'the noun itself' },
  { avoid: 'held up|hold(?:s|ing)? up', instead: 'delay, block' },
  { avoid: 'without a word', instead: 'without notice' },
  {
    avoid: 'couriers?|heirs?|twins?|accusers?|poisonous|heal(?:s|ed)?|obey(?:s|ed)?',
    instead: 'the term of the field',
  },
  {
    avoid: '(?:colour|behaviour|neighbour|honour|favour)(?:s|ed|ing)?|cancelled|cancelling|catalogues?|centre|licence',
    instead: 'American spelling',
  },
];

/** Places that keep an avoided word, each with the reason. */
export const ALLOWED: readonly { path: string; found: string; reason: string }[] = [
  { path: 'src/cluster/peer-broadcast.ts', found: 'wishes', reason: 'the path that nodes of the first release call' },
  { path: 'src/http/routes/peer.ts', found: 'wishes', reason: 'the path that nodes of the first release call' },
];

const SPACE = '(?:[ \\t]*\\n[ \\t]*(?://|\\*|#|>)?[ \\t]*|[ \\t]+)';
const matchers = RULES.map(({ avoid, instead }) => ({
  pattern: new RegExp(`(?<![\\w-])(?:${avoid.replaceAll(' ', SPACE)})(?![\\w-])`, 'gi'),
  instead,
}));

const blank = (text: string) => text.replace(/[^\n]/g, ' ');

/** Replaces names in backticks by spaces: they are names of fields and log lines, not words. */
const withoutCode = (text: string) => text.replace(/`[^`\n]*`/g, blank);

/** Keeps the comments of TypeScript, and the titles of tests; replaces all else by spaces. */
function commentsAndTitles(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      if (/^\s*(?:\/\/|\/?\*)/.test(line)) return line;
      const title = /(?:\b(?:it|describe)(?:\.\w+)*|^\s*\]\s*\)|\beach\(.*\))\(\s*(['"`])(.*?)\1/.exec(line);
      const comment = /\s\/\/ .*$/.exec(line)?.[0] ?? '';
      return `${title?.[2] ?? ''} ${withoutCode(comment)}`;
    })
    .join('\n');
}

/** The part of a file that the rules apply to, line by line as in the file. */
function wordsOf(path: string, text: string): string {
  if (/^test\/|\/test\//.test(path) && path.endsWith('.ts')) return commentsAndTitles(text);
  // In TypeScript a backtick also starts a template, which may be an error text.
  return /\.[cm]?[jt]s$/.test(path) ? text : withoutCode(text);
}

/** All avoided words of one file. `path` is relative to the repository. */
export function findAvoided(path: string, text: string): Finding[] {
  const words = wordsOf(path, text);
  const found = matchers.flatMap(({ pattern, instead }) =>
    [...words.matchAll(pattern)]
      .filter(([match]) => !/[a-z][A-Z]/.test(match))
      .map((match) => ({
        path,
        line: words.slice(0, match.index).split('\n').length,
        found: match[0].replace(/\s+(?:\/\/|\*|#|>)?\s*/g, ' ').toLowerCase(),
        instead,
      })),
  );
  return found.sort((a, b) => a.line - b.line);
}

const ROOT = new URL('../../', import.meta.url).pathname;
const FOLDERS = ['.github', 'deploy', 'docs', 'openapi', 'packages', 'src', 'test'];
const TEXTS = /\.(?:[cm]?[jt]s|md|ya?ml|json|css|html|conf)$|(?:^|\/)(?:Dockerfile|Caddyfile|\.env\.example)$/;
/** Generated from openapi.yaml, this list and its test, recorded input, and dependencies. */
const SKIPPED =
  /(?:^|\/)(?:node_modules|dist|corpus)\/|^src\/http\/schemas\/|^openapi\/types\.ts$|^test\/architecture\/wording|^package-lock|^(?:bench|cluster)-results\.json$/;

/** Paths of all texts that the rules apply to, relative to the repository. */
function texts(): string[] {
  const below = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  return [...readdirSync(ROOT), ...below].filter((path) => TEXTS.test(path) && !SKIPPED.test(path));
}

/** All avoided words of the repository, except the allowed ones. */
export function findAllAvoided(): Finding[] {
  const isAllowed = ({ path, found }: Finding) => ALLOWED.some((one) => one.path === path && one.found === found);
  return texts()
    .flatMap((path) => findAvoided(path, readFileSync(join(ROOT, path), 'utf8')))
    .filter((finding) => !isAllowed(finding));
}

/** Entries of ALLOWED without a place that needs them. */
export function unusedAllowances(): typeof ALLOWED {
  return ALLOWED.filter(
    ({ path, found }) =>
      !findAvoided(path, readFileSync(join(ROOT, path), 'utf8')).some((finding) => finding.found === found),
  );
}
