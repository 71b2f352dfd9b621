// Loaded into a gateway process before it starts: ends it, as SIGKILL does, at an exact moment of the life of one message.
// The file KILL_FILE names the moment; while there is none, nothing happens.
import { readFileSync } from 'node:fs';
import { StatementSync } from 'node:sqlite';
import pg from 'pg';

interface Moment {
  matches: (sql: string, parameters: readonly unknown[]) => boolean;
  /** Before the statement itself, or after the commit that makes it last. */
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

const moments: Record<string, Moment> = {
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

const file = process.env.KILL_FILE ?? '';
let isLast = false;

function armed(): Moment | undefined {
  try {
    return moments[readFileSync(file, 'utf8')];
  } catch {
    return undefined;
  }
}

const die = (): void => void process.kill(process.pid, 'SIGKILL');

function before(sql: string, parameters: readonly unknown[]): void {
  if (!Object.values(moments).some(({ matches }) => matches(sql, parameters))) return;
  const moment = armed();
  if (!moment?.matches(sql, parameters)) return;
  if (moment.when === 'before') die();
  else isLast = true;
}

function after(sql: string): void {
  if (isLast && sql === 'COMMIT') die();
}

const { run, all } = StatementSync.prototype;
StatementSync.prototype.run = watched(run);
StatementSync.prototype.all = watched(all);

/** Statements take any number of values and answer anything. */
function watched<F extends typeof run | typeof all>(original: F): F {
  const wrapper = function (this: StatementSync, ...parameters: unknown[]): unknown {
    before(this.sourceSQL, parameters);
    const result: unknown = Reflect.apply(original, this, parameters);
    after(this.sourceSQL);
    return result;
  };
  return wrapper as F;
}

const query: unknown = pg.Client.prototype.query;
Object.assign(pg.Client.prototype, {
  query(this: pg.Client, ...given: [string | { text: string; values?: unknown[] }, ...unknown[]]): unknown {
    const [config] = given;
    const sql = typeof config === 'string' ? config : config.text;
    before(sql, typeof config === 'string' ? [] : (config.values ?? []));
    const result: unknown = Reflect.apply(query as typeof Function.prototype, this, given);
    if (!(result instanceof Promise)) return result;
    return result.then((rows: unknown) => {
      after(sql);
      return rows;
    });
  },
});
