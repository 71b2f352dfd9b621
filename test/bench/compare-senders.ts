// Runs the same sends with several senders in turn and compares their rates and costs with those of the first sender.

import type { LoadResult, LoadShape } from './protocol.ts';
import { median, percentile } from './statistics.ts';

export interface Sender {
  name: string;
  send(load: LoadShape): Promise<LoadResult>;
}

export interface SendFigures {
  sender: string;
  'sends/s': number;
  /** Rate divided by the rate of the first sender. */
  ratio: number;
  'p50 ms': number;
  'p99 ms': number;
  'CPU ms/send': number;
  /** CPU time divided by the CPU time of the first sender. */
  'CPU ratio': number;
  [figure: string]: string | number;
}

/**
 * Runs `rounds` rounds. In each round, every sender makes the sends of `shapeOf` once. The order of the senders
 * alternates between rounds. Resolves with the figures of each sender: medians of the rounds, percentiles of all sends.
 */
export async function compareSenders(
  senders: readonly Sender[],
  rounds: number,
  shapeOf: (sender: Sender, round: number) => LoadShape,
): Promise<SendFigures[]> {
  const runs = new Map<Sender, { shape: LoadShape; result: LoadResult }[]>(senders.map((sender) => [sender, []]));
  for (let round = 0; round < rounds; round++) {
    for (const sender of round % 2 === 0 ? senders : senders.toReversed()) {
      const shape = shapeOf(sender, round);
      runs.get(sender)?.push({ shape, result: await sender.send(shape) });
    }
  }
  const figures = [...runs].map(([{ name }, sends]) => {
    const latencies = sends.flatMap(({ result }) => result.latencies);
    return {
      sender: name,
      rate: median(sends.map(({ shape, result }) => (shape.count / result.elapsed) * 1000)),
      cpu: median(sends.map(({ shape, result }) => result.cpu / shape.count)),
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
    };
  });
  const [reference] = figures;
  return figures.map(({ sender, rate, cpu, p50, p99 }) => ({
    sender,
    'sends/s': rate,
    ratio: rate / (reference?.rate ?? Number.NaN),
    'p50 ms': p50,
    'p99 ms': p99,
    'CPU ms/send': cpu,
    'CPU ratio': cpu / (reference?.cpu ?? Number.NaN),
  }));
}
