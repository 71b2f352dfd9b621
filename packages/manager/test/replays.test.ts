// The selection of replays that the page shows.
import { expect, it } from 'vitest';
import type { Replay } from '../src/types.d.ts';
import { loadModule } from './page.ts';

interface Replays {
  replayKeyOf(replay: Replay): string;
  replaysToShow(replays: readonly Replay[], updates: ReadonlyMap<string, Replay>): Replay[];
}

const { replayKeyOf, replaysToShow } = await loadModule<Replays>('replays.js');

const replay = (id: string, endpoint: string, progress: number): Replay => ({
  id,
  endpoint: { id: endpoint, url: `https://${endpoint}.test` },
  startedAt: '2026-11-27T10:00:00.000Z',
  ...{ queued: 4, delivered: progress / 25, dead: 0, dropped: 0, progress, done: progress === 100 },
});

/** Replay, endpoint and percentage of each entry that is shown. */
const shown = (replays: Replay[], updates: Replay[] = []) =>
  replaysToShow(replays, new Map(updates.map((update) => [replayKeyOf(update), update]))).map(
    ({ id, endpoint, progress }) => `${id} ${endpoint.id} ${progress} %`,
  );

it('the newest finished replay is shown with all its endpoints, older ones are not', () => {
  const newest = [replay('new', 'a', 100), replay('new', 'b', 100)];
  expect(shown([...newest, replay('old', 'a', 100)])).toEqual(['new a 100 %', 'new b 100 %']);
});

it('running replays are shown before the finished one', () => {
  expect(shown([replay('done', 'a', 100), replay('second', 'a', 25), replay('first', 'a', 50)])).toEqual([
    'second a 25 %',
    'first a 50 %',
    'done a 100 %',
  ]);
});

it('an event of the stream replaces the entry of the same endpoint only when its percentage is higher', () => {
  const entries = [replay('one', 'a', 25), replay('one', 'b', 50)];
  expect(shown(entries, [replay('one', 'a', 75), replay('one', 'b', 25)])).toEqual(['one a 75 %', 'one b 50 %']);
});
