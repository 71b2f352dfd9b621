// Checks of the names of log lines. They have the form `area.object.verb_past` or `area.object.failed`, because
// operators search logs for them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from 'acorn';
import { describe, expect, it } from 'vitest';
import { argumentsOf, field, filesBelow, nodesOf, parseSource, root, textsOf } from '../support/syntax-tree.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
/** Excluded, because its log lines have the texts of the library. */
const BAILEYS_LOG = 'src/whatsapp/baileys/logger.ts';
/** A name has two or three parts. It has two where the area is the object, as in `message.sent`. */
const NAME = /^[a-z][a-z_\d]*(?:\.[a-z][a-z_\d]*){1,2}$/;
const IRREGULAR_VERBS = ['found', 'lost', 'overridden', 'sent', 'shed'];
/** States of the process. These log lines report no finished action. */
const STATES = ['gateway.starting', 'gateway.ready', 'gateway.stopping'];
const NEGATION = /(?:^|[._])(?:not|no|never|missing|un(?!linked|do)\w+)(?:[._]|$)/;

/** True for the call of a method of a logger: `log.warn(…)`, `request.log.info(…)`, `log[level](…)`. */
function isLogCall(node: Node): boolean {
  const callee = field(node, 'callee');
  const object = field(callee, 'object');
  const owner = field(object, 'name') ?? field(field(object, 'property'), 'name');
  if (node.type !== 'CallExpression' || typeof owner !== 'string' || !/log$/i.test(owner)) return false;
  return field(callee, 'computed') === true || LEVELS.includes(String(field(field(callee, 'property'), 'name')));
}

/**
 * The names in the log calls of a file. If a call has a variable as its name, all literals of the file with the form of
 * a name count.
 */
function namesOf(path: string): { place: string; name: string }[] {
  const { program, lineAt } = parseSource(path, readFileSync(join(root, path), 'utf8'));
  const calls = [...nodesOf(program)].filter(isLogCall);
  return calls.flatMap((call) => {
    const message = argumentsOf(call).at(-1);
    const literals = message ? textsOf(message) : [];
    const isVariable = message?.type === 'Identifier' && literals.length === 0;
    const texts = isVariable ? [...nodesOf(program)].flatMap(textsOf).filter((text) => NAME.test(text)) : literals;
    return texts.map((name) => ({ place: `${path}:${lineAt(call.start)}`, name }));
  });
}

/** True when the last word is a verb in the past, or when the name is the state of a process. */
function endsWithVerb(name: string): boolean {
  const verb = name.split('.').at(-1) ?? '';
  return verb.endsWith('ed') || IRREGULAR_VERBS.includes(verb) || STATES.includes(name);
}

const names = filesBelow('src')
  .filter((path) => path !== BAILEYS_LOG)
  .flatMap(namesOf);

describe('names of log lines', () => {
  it('the search finds more than 100 names of log lines', () => {
    expect(new Set(names.map(({ name }) => name)).size).toBeGreaterThan(100);
  });

  it('the name of every log line has two or three parts in lower case', () => {
    expect(names.filter(({ name }) => !NAME.test(name))).toEqual([]);
  });

  it('the name of every log line ends with a verb in the past tense, or is the state of a process', () => {
    expect(names.filter(({ name }) => !endsWithVerb(name))).toEqual([]);
  });

  it('the name of no log line contains a negation', () => {
    expect(names.filter(({ name }) => NEGATION.test(name))).toEqual([]);
  });
});
