// `npm run fuzz -- <seed> <seconds>`: attacks a gateway with cases that the seed fixes. Ends with 1 when something was found, and prints the
// seed, the cases and what of them is needed. Options: `--only message,stanza,request`, `--count <cases of each>`, `--from <first case>`,
// `--go-on` (print and go on), `--play <file>` (JSON of cases, as printed). FUZZ_LOG names a file for the log of the gateway, in detail;
// with FUZZ_PROFILE=1 a finding says what blocked the event loop, at the price of some blocks by the profiler.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Case, Input } from './attacks.ts';
import { problemsOf } from './criteria.ts';
import { kindOf, Narrowing, play } from './narrow.ts';
import { type Finding, Run } from './run.ts';
import { createStage } from './stage.ts';

const INPUTS: readonly Input[] = ['message', 'stanza', 'request'];
/** Seconds to spend on a finding. */
const NARROWING = 180;
const SHOWN = 1_500;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

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

/** libsignal prints sessions that it closes, and what it cannot decrypt. */
for (const name of ['info', 'warn', 'log', 'error'] as const) console[name] = () => undefined;

async function fuzz(): Promise<number> {
  if (!Number.isSafeInteger(seed) || !(seconds > 0)) {
    say(
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
    most: values.count === undefined ? undefined : Number(values.count),
    from: Number(values.from),
    inputs: INPUTS.filter((input) => values.only.split(',').includes(input)),
    killEvery: 10,
    log: say,
    async found(finding) {
      findings++;
      await report(finding);
      if (values['go-on']) await stage.renew();
      return values['go-on'];
    },
  });
  const counts = await run.go();
  await stage.close();
  say(JSON.stringify({ seed, findings, ...counts }));
  return findings > 0 ? 1 : 0;
}

async function report({ problems, cases, round }: Finding): Promise<void> {
  say(`FOUND with seed ${seed} in round ${round}, ${cases.length} cases:`);
  for (const problem of [...new Set(problems)].slice(0, 12)) say(`- ${problem.slice(0, SHOWN)}`);
  if (values['go-on']) return;
  const narrowing = new Narrowing(kindOf(problems[0] ?? ''), NARROWING, say);
  const needed = await narrowing.narrow(cases).catch((error: unknown) => void say(`narrowing failed: ${error}`));
  await narrowing.close();
  say(needed ? `Needed (--play): ${JSON.stringify(needed)}` : 'No part of it makes the problem again by itself.');
}

/** Plays cases one after another and says what is wrong then. */
async function replay(file: string): Promise<number> {
  const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[];
  const stage = await createStage({ message: 1, stanza: 1, request: 1, bystander: 1 });
  await stage.renew();
  await stage.gateway.collect();
  const problems = [...(await play(stage, cases)), ...(await problemsOf(stage))];
  for (const problem of problems) say(`- ${problem}`);
  say(`${cases.length} cases, ${problems.length} problems`);
  say(stage.gateway.vitals.lines.slice(-20).join('\n'));
  await stage.close();
  return problems.length > 0 ? 1 : 0;
}

process.exit(await (values.play === undefined ? fuzz() : replay(values.play)));
