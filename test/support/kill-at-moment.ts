// Node loads this file into a gateway process before the gateway (`--import`). It kills the process with SIGKILL at an
// exact moment of the life of one message. The file at KILL_FILE contains the name of the moment. Without this file,
// nothing happens.
import { readFileSync } from 'node:fs';
import { StatementSync } from 'node:sqlite';
import pg from 'pg';

interface Moment {
  matches: (sql: string, parameters: readonly unknown[]) => boolean;
  /** `before`: before the statement runs. `committed`: after the COMMIT of its transaction. */
  when: 'before' | 'committed';
}

const isRatchet: Moment['matches'] = (sql, parameters) =>
  sql.startsWith('INSERT INTO auth_key') && parameters.flat().includes('inbound');
const isMessage: Moment['matches'] = (sql) => sql.startsWith('INSERT INTO message (');
const isEvent: Moment['matches'] = (sql) => sql.startsWith('INSERT INTO event (');
const isDeliveryRemoval: Moment['matches'] = (sql) => sql.startsWith('DELETE FROM delivery');

const isClaim: Moment['matches'] = (sql) => sql.startsWith('insert into "request"');
const isAnswer: Moment['matches'] = (sql) => sql.startsWith('update "request"');
const isStatus: Moment['matches'] = (sql) => sql.startsWith('INSERT INTO message_status');

const MOMENTS: Record<string, Moment> = {
  'before the ratchet is stored': { matches: isRatchet, when: 'before' },
  'after the ratchet is stored': { matches: isRatchet, when: 'committed' },
  'before the event is stored': { matches: isMessage, when: 'before' },
  'before any event is stored': { matches: isEvent, when: 'before' },
  'after the event is stored': { matches: isMessage, when: 'committed' },
  'after the delivery': { matches: isDeliveryRemoval, when: 'before' },
  'after the request is claimed': { matches: isClaim, when: 'committed' },
  'before the status is stored': { matches: isStatus, when: 'before' },
  'before the answer is stored': { matches: isAnswer, when: 'before' },
};

const KILL_FILE = process.env.KILL_FILE ?? '';
let killsAtCommit = false;

function armedMoment(): Moment | undefined {
  try {
    return MOMENTS[readFileSync(KILL_FILE, 'utf8')];
  } catch {
    return undefined;
  }
}

const killProcess = (): void => void process.kill(process.pid, 'SIGKILL');

function beforeStatement(sql: string, parameters: readonly unknown[]): void {
  if (!Object.values(MOMENTS).some(({ matches }) => matches(sql, parameters))) return;
  const moment = armedMoment();
  if (!moment?.matches(sql, parameters)) return;
  if (moment.when === 'before') killProcess();
  else killsAtCommit = true;
}

function afterStatement(sql: string): void {
  if (killsAtCommit && sql === 'COMMIT') killProcess();
}

const { run, all } = StatementSync.prototype;
StatementSync.prototype.run = wrapStatement(run);
StatementSync.prototype.all = wrapStatement(all);

/** Wraps run() or all() of a statement, which accept any parameters and return any value. */
function wrapStatement<F extends typeof run | typeof all>(original: F): F {
  const wrapper = function (this: StatementSync, ...parameters: unknown[]): unknown {
    beforeStatement(this.sourceSQL, parameters);
    const result: unknown = Reflect.apply(original, this, parameters);
    afterStatement(this.sourceSQL);
    return result;
  };
  return wrapper as F;
}

const query: unknown = pg.Client.prototype.query;
Object.assign(pg.Client.prototype, {
  query(this: pg.Client, ...parameters: [string | { text: string; values?: unknown[] }, ...unknown[]]): unknown {
    const [config] = parameters;
    const sql = typeof config === 'string' ? config : config.text;
    beforeStatement(sql, typeof config === 'string' ? [] : (config.values ?? []));
    const result: unknown = Reflect.apply(query as typeof Function.prototype, this, parameters);
    if (!(result instanceof Promise)) return result;
    return result.then((rows: unknown) => {
      afterStatement(sql);
      return rows;
    });
  },
});
