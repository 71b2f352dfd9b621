// Parses the Dockerfile into stages of instructions, so that tests can run the steps of a build without a container
// engine.

export interface Instruction {
  /** In capitals: `RUN`. */
  keyword: string;
  /** The rest of the instruction: continued lines joined, comments removed. */
  text: string;
}

/** The instructions of each stage, by its name (`FROM … AS name`). Those before the first FROM have the name ''. */
export function stagesOf(dockerfile: string): ReadonlyMap<string, readonly Instruction[]> {
  const joined = dockerfile.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n\s*/g, ' ');
  let stage: Instruction[] = [];
  const stages = new Map<string, Instruction[]>([['', stage]]);
  for (const line of joined.split('\n').filter((text) => text.trim() !== '')) {
    const [keyword = '', ...rest] = line.trim().split(' ');
    if (keyword === 'FROM') {
      const [, as, name] = rest;
      if (as !== 'AS' || !name) throw new Error(`a stage without a name: ${line}`);
      stage = [];
      stages.set(name, stage);
    }
    stage.push({ keyword, text: rest.join(' ').trim() });
  }
  return stages;
}

/** The texts of all instructions with this keyword. */
export function textsOf(stage: readonly Instruction[], keyword: string): string[] {
  return stage.filter((instruction) => instruction.keyword === keyword).map(({ text }) => text);
}

/** The program and its arguments of an instruction in JSON form. Throws Error for the shell form. */
export function commandOf(text: string): string[] {
  const words: unknown = JSON.parse(text);
  if (!Array.isArray(words)) throw new Error(`not a JSON array: ${text}`);
  return words.map(String);
}
