// Goals of the benchmark: figures of one run and their bounds. Most figures are ratios to plain Baileys.

export interface Goal {
  /** The measured figure and its unit. */
  name: string;
  value: number;
  /** The bound: "≥ 0.8" or "≤ 120". */
  goal: string;
  holds: boolean;
}

/** A goal that holds when `value` is `bound` or more. A value that was not measured (NaN) fails. */
export const atLeast = (name: string, value: number, bound: number): Goal => ({
  name,
  value,
  goal: `≥ ${bound}`,
  holds: value >= bound,
});

/** A goal that holds when `value` is `bound` or less. A value that was not measured (NaN) fails. */
export const atMost = (name: string, value: number, bound: number): Goal => ({
  name,
  value,
  goal: `≤ ${bound}`,
  holds: value <= bound,
});

/** The result of a part of the benchmark. */
export interface BenchResult {
  rows: readonly Record<string, string | number>[];
  goals: readonly Goal[];
}
