// The Dockerfile as a list of instructions, for tests that do what it says without a container engine.

export interface Instruction {
  /** In capitals: `RUN`. */
  keyword: string;
  /** Everything after it, continued lines joined, without comments. */
  text: string;
}

/** The stages in order, each with its instructions; the first list is what stands before any FROM. */
export function stagesOf(dockerfile: string): Instruction[][] {
  const joined = dockerfile.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n\s*/g, ' ');
  const stages: Instruction[][] = [[]];
  for (const line of joined.split('\n').filter((one) => one.trim() !== '')) {
    const [keyword = '', ...rest] = line.trim().split(' ');
    if (keyword === 'FROM') stages.push([]);
    stages.at(-1)?.push({ keyword, text: rest.join(' ').trim() });
  }
  return stages;
}

/** The text of every instruction of a kind. */
export function textsOf(stage: readonly Instruction[], keyword: string): string[] {
  return stage.filter((one) => one.keyword === keyword).map(({ text }) => text);
}

/** The program and its arguments of an instruction in JSON form; throws for any other. */
export function commandOf(text: string): string[] {
  const words: unknown = JSON.parse(text);
  if (!Array.isArray(words)) throw new Error(`no list: ${text}`);
  return words.map(String);
}
