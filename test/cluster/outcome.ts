// The result of a run: compares the ledger with the platform, and measures the effects of each disaster.

import type { DeviceSessions } from '../../packages/sandbox/src/world/sessions.ts';
import { percentile } from '../bench/statistics.ts';
import type { DisasterRecord } from './disasters.ts';
import type { Stage } from './environment.ts';
import type { Ledger } from './ledger.ts';
import { until } from './wait.ts';

/** Time for messages that are still in transit when the traffic has ended, ms. */
const REST_LIMIT = 60_000;

export interface Outcome {
  /** The violated guarantees; empty when there are none. */
  faults: string[];
  totals: Record<string, number>;
  disasters: Record<string, string | number>[];
  /** Number of attempts to send by outcome. */
  attempts: Record<string, number>;
}

/** Computes the result. Call it when the traffic has ended. */
export async function computeOutcome(
  stage: Stage,
  phones: readonly string[],
  records: readonly DisasterRecord[],
): Promise<Outcome> {
  const { ledger, platform } = stage;
  const findUnreceived = () => [...ledger.inbounds.values()].filter(({ receivedAt }) => receivedAt === undefined);
  await ledger
    .until(
      () => findUnreceived().length === 0,
      REST_LIMIT,
      () => '',
    )
    .catch(() => undefined);
  let shownIds = new Map<string, string[]>();
  const findUnseen = () => accepted(ledger).filter((one) => !shownIds.has(one.text) && !ledger.failedIds.has(one.id));
  const loadShown = async () => {
    const all = (await Promise.all(phones.map((phone) => platform.shownMessages(phone)))).flat();
    shownIds = new Map(
      Array.from(
        Map.groupBy(all, ({ text }) => text),
        ([text, same]) => [text, same.map(({ id }) => id)],
      ),
    );
    return findUnseen().length === 0;
  };
  await until(loadShown, REST_LIMIT, '').catch(() => undefined);
  const devices = await platform.sessions();
  const { checked, foreignWrites } = await stage.audit();
  const shownTwice = ledger.sends.flatMap(({ text, attempts }) => {
    const ids = shownIds.get(text) ?? [];
    return ids.length > 1 ? [{ text, ids, attempts }] : [];
  });
  const received = [...ledger.inbounds.values()];
  const lists: Record<string, unknown[]> = {
    'inbound messages lost': findUnreceived().map(({ text }) => text),
    'sends lost': findUnseen(),
    'sends shown twice': shownTwice,
    'messages under two webhook-ids': received.filter(({ ids }) => ids.size > 1).map(({ text }) => text),
    'messages out of order in their chat': ledger.outOfOrder,
    'messages without a sender': ledger.unknownTexts,
    'devices open twice': findDoubleSessions(devices, records, stage.instances),
    'new QR codes': [...ledger.qrCodeCounts.keys()],
    'devices linked anew': devices.flatMap(({ jid }) => (stage.devices.has(jid) ? [] : [jid])),
    'writes without the lease': foreignWrites,
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
      'of them told to have failed': accepted(ledger).filter(({ id }) => ledger.failedIds.has(id)).length,
      'sends refused as uncertain': ledger.sends.filter(({ isUncertain }) => isUncertain).length,
      'inbound messages': received.length,
      'posts to the webhook': posts.reduce((sum, times) => sum + times, 0),
      'duplicates by webhook-id': posts.reduce((sum, times) => sum + times - 1, 0),
      'rows whose writer was checked': checked,
      'sessions replaced': devices.reduce((sum, { replaced }) => sum + replaced, 0),
      ...counts,
    },
    disasters: records.map((record) => measureEffects(ledger, devices, { record, numbers: stage.instances })),
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

/** Devices that had two sessions at once, unless a disaster may cause this, once per device. */
function findDoubleSessions(
  devices: readonly DeviceSessions[],
  records: readonly DisasterRecord[],
  numbers: Stage['instances'],
): string[] {
  return devices.flatMap(({ jid, sessions }) => {
    const isOwn = (instance: string) => numbers.get(instance) === jid.split(':')[0];
    const excuses = records.filter(({ mayReplace, affected }) => mayReplace && affected.some(isOwn));
    const ends = sessions.flatMap(({ to, replaced }) => (replaced && to !== null ? [to] : []));
    const used = new Set<DisasterRecord>();
    const isExcused = (at: number) => {
      const excuse = excuses.find(({ from, to }) => at >= from && at <= to);
      return excuse !== undefined && !used.has(excuse) && used.add(excuse).has(excuse);
    };
    return ends.flatMap((at) => (isExcused(at) ? [] : [`${jid} at ${at}`]));
  });
}

/** The effects of one disaster on the instances that it cut off, ms. */
function measureEffects(
  ledger: Ledger,
  devices: readonly DeviceSessions[],
  { record, numbers }: { record: DisasterRecord; numbers: ReadonlyMap<string, string> },
): Record<string, string | number> {
  const { name, from, to, affected } = record;
  const after = (times: readonly number[]) => Math.min(...times) - from;
  const sends = affected.map((instance) =>
    after(
      ledger.sends.flatMap(({ instance: owner, accepted }) =>
        owner === instance && accepted && accepted.requestedAt >= from ? [accepted.at] : [],
      ),
    ),
  );
  const received = affected.map((instance) =>
    after(
      [...ledger.inbounds.values()].flatMap(({ instance: owner, sentAt, receivedAt }) =>
        owner === instance && receivedAt && sentAt >= from ? [receivedAt] : [],
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
