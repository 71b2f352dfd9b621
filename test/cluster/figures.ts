// The ledgers of both ends compared, and what each disaster cost.

import type { DeviceSessions } from '../../packages/sandbox/src/world/sessions.ts';
import { percentile } from '../bench/figures.ts';
import type { Blow } from './disasters.ts';
import type { Ledger } from './ledger.ts';
import type { Stage } from './stage.ts';
import { until } from './wait.ts';

/** ms for what is still on its way when the traffic has ended. */
const REST_LIMIT = 60_000;

export interface Outcome {
  /** All that must not be; empty: everything was as promised. */
  faults: string[];
  totals: Record<string, number>;
  blows: Record<string, string | number>[];
  /** How attempts to send ended. */
  attempts: Record<string, number>;
}

/** To be called when the traffic has ended. */
export async function compare(stage: Stage, phones: readonly string[], blows: readonly Blow[]): Promise<Outcome> {
  const { ledger, platform } = stage;
  const unheard = () => [...ledger.inbounds.values()].filter(({ heardAt }) => heardAt === undefined);
  await ledger
    .until(
      () => unheard().length === 0,
      REST_LIMIT,
      () => '',
    )
    .catch(() => undefined);
  let shown = new Map<string, string[]>();
  const unseen = () => accepted(ledger).filter((one) => !shown.has(one.text) && !ledger.reported.has(one.id));
  const look = async () => {
    const all = (await Promise.all(phones.map((phone) => platform.shown(phone)))).flat();
    shown = new Map(
      Array.from(
        Map.groupBy(all, ({ text }) => text),
        ([text, same]) => [text, same.map(({ id }) => id)],
      ),
    );
    return unseen().length === 0;
  };
  await until(look, REST_LIMIT, '').catch(() => undefined);
  const devices = await platform.sessions();
  const { checked, strays } = await stage.audit();
  const doubled = ledger.sends.flatMap(({ text, attempts }) => {
    const ids = shown.get(text) ?? [];
    return ids.length > 1 ? [{ text, ids, attempts }] : [];
  });
  const received = [...ledger.inbounds.values()];
  const lists: Record<string, unknown[]> = {
    'inbound messages lost': unheard().map(({ text }) => text),
    'sends lost': unseen(),
    'sends shown twice': doubled,
    'messages under two webhook-ids': received.filter(({ ids }) => ids.size > 1).map(({ text }) => text),
    'messages out of order in their chat': ledger.outOfOrder,
    'messages that nobody sent': ledger.unknown,
    'devices open twice': twice(devices, blows, stage.instances),
    'new QR codes': [...ledger.codes.keys()],
    'devices linked anew': devices.flatMap(({ jid }) => (stage.devices.has(jid) ? [] : [jid])),
    'writes without the lease': strays,
    'stanzas the platform could not answer': await platform.unanswered(),
  };
  const faults = Object.entries(lists).flatMap(([name, list]) =>
    list.length > 0 ? [`${name}: ${list.length}, such as ${JSON.stringify(list.slice(0, 3))}`] : [],
  );
  const counts = Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.length]));
  const posts = [...ledger.posts.values()];
  return {
    faults,
    totals: {
      'sends accepted': accepted(ledger).length,
      'of them told to have failed': accepted(ledger).filter(({ id }) => ledger.reported.has(id)).length,
      'sends refused as uncertain': ledger.sends.filter(({ isUncertain }) => isUncertain).length,
      'inbound messages': received.length,
      'posts to the webhook': posts.reduce((sum, times) => sum + times, 0),
      'duplicates by webhook-id': posts.reduce((sum, times) => sum + times - 1, 0),
      'rows whose writer was checked': checked,
      'sessions replaced': devices.reduce((sum, { replaced }) => sum + replaced, 0),
      ...counts,
    },
    blows: blows.map((blow) => costOf(ledger, devices, { blow, numbers: stage.instances })),
    attempts: Object.fromEntries(
      countOf(ledger.sends.flatMap(({ attempts }) => attempts.map(({ outcome }) => outcome))),
    ),
  };
}

const accepted = (ledger: Ledger) =>
  ledger.sends.flatMap(({ text, accepted }) => (accepted ? [{ text, ...accepted }] : []));

function countOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Devices with two sessions at a moment when nothing excuses it; what excuses it does so once. */
function twice(devices: readonly DeviceSessions[], blows: readonly Blow[], numbers: Stage['instances']): string[] {
  return devices.flatMap(({ jid, sessions }) => {
    const isOwn = (instance: string) => numbers.get(instance) === jid.split(':')[0];
    const excuses = blows.filter(({ mayReplace, affected }) => mayReplace && affected.some(isOwn));
    const ends = sessions.flatMap(({ to, replaced }) => (replaced && to !== null ? [to] : []));
    const used = new Set<Blow>();
    const isExcused = (at: number) => {
      const excuse = excuses.find(({ from, to }) => at >= from && at <= to);
      return excuse !== undefined && !used.has(excuse) && used.add(excuse).has(excuse);
    };
    return ends.flatMap((at) => (isExcused(at) ? [] : [`${jid} at ${at}`]));
  });
}

/** What one blow cost the instances that it cut off, ms. */
function costOf(
  ledger: Ledger,
  devices: readonly DeviceSessions[],
  { blow, numbers }: { blow: Blow; numbers: ReadonlyMap<string, string> },
): Record<string, string | number> {
  const { name, from, to, affected } = blow;
  const after = (times: readonly number[]) => Math.min(...times) - from;
  const sends = affected.map((instance) =>
    after(
      ledger.sends.flatMap(({ instance: of, accepted }) =>
        of === instance && accepted && accepted.askedAt >= from ? [accepted.at] : [],
      ),
    ),
  );
  const received = affected.map((instance) =>
    after(
      [...ledger.inbounds.values()].flatMap(({ instance: of, sentAt, heardAt }) =>
        of === instance && heardAt && sentAt >= from ? [heardAt] : [],
      ),
    ),
  );
  const own = new Set(affected.map((instance) => numbers.get(instance)));
  const gaps = devices
    .filter(({ jid }) => own.has(jid.split(':')[0]))
    .flatMap(({ sessions }) => sessions.map((session, n) => ({ end: session.to, next: sessions[n + 1]?.from })))
    .flatMap(({ end, next }) => (end !== null && next !== undefined && end >= from && end <= to ? [next - end] : []));
  const waits = ledger.sends.flatMap(({ attempts: [first], accepted }) =>
    first && accepted && first.at <= to && accepted.at >= from ? [accepted.at - first.at] : [],
  );
  return {
    disaster: name,
    instances: affected.length,
    ...spread('send again', sends),
    ...spread('received again', received),
    ...spread('offline', gaps),
    'longest send': Math.max(0, ...waits),
  };
}

const spread = (name: string, values: readonly number[]) => ({
  [`${name} p50`]: values.length > 0 ? percentile(values, 0.5) : '–',
  [`${name} max`]: values.length > 0 ? Math.max(...values) : '–',
});
