// `npm run fuzz -- <seed> <seconds>`: attacks a gateway with cases that depend only on the seed. Ends with code 1 after
// a finding, and prints the seed, the number of cases and the cases that are needed for it. Options: `--only
// message,stanza,request`, `--count <cases of each>`, `--from <first case>`, `--go-on` (continue after a finding),
// `--play <file>` (a JSON file with printed cases). FUZZ_LOG names a file for the detailed log of the gateway. With
// FUZZ_PROFILE=1, a finding names the code that blocked the event loop. The profiler then causes some blocks itself.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Case, Input } from './attacks.ts';
import { problemsOf } from './criteria.ts';
import { kindOf, Narrowing, play } from './narrowing.ts';
import { type Finding, Run } from './run.ts';
import { createStage } from './stage.ts';

const INPUTS: readonly Input[] = ['message', 'stanza', 'request'];
/** Maximum seconds for the narrowing of a finding. */
const NARROWING_LIMIT = 180;
const MAX_PROBLEM_LENGTH = 1_500;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: INPUTS.join() },
    count: { type: 'string' },
    from: { type: 'string', default: '0' },
    'go-on': { type: 'boolean', default: false },
    play: { type: 'string' },
  },
});
const [seed = Number.NaN, seconds = 60] = positionals.map(Number);

/** libsignal prints closed sessions and messages that it cannot decrypt. */
for (const name of ['info', 'warn', 'log', 'error'] as const) console[name] = () => undefined;

async function fuzz(): Promise<number> {
  if (!Number.isSafeInteger(seed) || !(seconds > 0)) {
    print(
      'npm run fuzz -- <seed> <seconds> [--only message,stanza,request] [--count n] [--from n] [--go-on] [--play file]',
    );
    return 2;
  }
  const stage = await createStage();
  await stage.renew();
  await stage.gateway.collect();
  let findings = 0;
  const run = new Run(stage, {
    seed,
    seconds,
    maxCases: values.count === undefined ? undefined : Number(values.count),
    from: Number(values.from),
    inputs: INPUTS.filter((input) => values.only.split(',').includes(input)),
    killEvery: 10,
    log: print,
    async onFinding(finding) {
      findings++;
      await report(finding);
      if (values['go-on']) await stage.renew();
      return values['go-on'];
    },
  });
  const counts = await run.attack();
  await stage.close();
  print(JSON.stringify({ seed, findings, ...counts }));
  return findings > 0 ? 1 : 0;
}

async function report({ problems, cases, round }: Finding): Promise<void> {
  print(`FOUND with seed ${seed} in round ${round}, ${cases.length} cases:`);
  for (const problem of [...new Set(problems)].slice(0, 12)) print(`- ${problem.slice(0, MAX_PROBLEM_LENGTH)}`);
  if (values['go-on']) return;
  const narrowing = new Narrowing(kindOf(problems[0] ?? ''), NARROWING_LIMIT, print);
  const neededCases = await narrowing.narrow(cases).catch((error: unknown) => void print(`narrowing failed: ${error}`));
  await narrowing.close();
  print(
    neededCases
      ? `Needed (--play): ${JSON.stringify(neededCases)}`
      : 'No part of it makes the problem again by itself.',
  );
}

/** Plays the cases one after another and prints all problems. */
async function replay(file: string): Promise<number> {
  const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[];
  const stage = await createStage({ message: 1, stanza: 1, request: 1, bystander: 1 });
  await stage.renew();
  await stage.gateway.collect();
  const problems = [...(await play(stage, cases)), ...(await problemsOf(stage))];
  for (const problem of problems) print(`- ${problem}`);
  print(`${cases.length} cases, ${problems.length} problems`);
  print(stage.gateway.vitals.lines.slice(-20).join('\n'));
  await stage.close();
  return problems.length > 0 ? 1 : 0;
}

process.exit(await (values.play === undefined ? fuzz() : replay(values.play)));
