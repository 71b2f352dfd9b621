// Reads the LID map of Baileys 7: which LID (an account id that hides the phone number) belongs to which phone number.

const REVERSE = '_reverse';
/** A phone number or a LID, without domain and device. */
const USER = /^\d{1,20}$/;

/**
 * Collects keys of the type lid-mapping. The id of such a key is a phone number and the value its LID; or the id is a
 * LID with the suffix _reverse and the value its phone number.
 */
export class LidMappings {
  readonly #lidByNumber = new Map<string, string>();
  readonly #numberByLid = new Map<string, string>();

  /** Adds a key. Returns false, and adds nothing, when the key is damaged. */
  add(id: string, value: unknown): boolean {
    const isReverse = id.endsWith(REVERSE);
    const from = isReverse ? id.slice(0, -REVERSE.length) : id;
    if (typeof value !== 'string' || !USER.test(from) || !USER.test(value)) return false;
    (isReverse ? this.#numberByLid : this.#lidByNumber).set(from, value);
    return true;
  }

  get size(): number {
    return this.#lidByNumber.size + this.#numberByLid.size;
  }

  /**
   * Returns phone numbers by LID, and how many keys were left out because they contradict others. A mapping that has
   * keys in both directions takes precedence over a mapping with one key, which can be outdated: when a phone number or
   * a LID changes, Baileys overwrites one key of the old mapping and keeps the other key.
   */
  resolve(): { lidMap: Record<string, string>; contradictions: number } {
    const lidMap: Record<string, string> = Object.create(null);
    const mappedNumbers = new Set<string>();
    let contradictions = 0;
    const add = (lid: string, number: string) => {
      if (lidMap[lid] === number) return;
      if (lidMap[lid] !== undefined || mappedNumbers.has(number)) {
        contradictions += 1;
        return;
      }
      lidMap[lid] = number;
      mappedNumbers.add(number);
    };
    for (const [number, lid] of this.#lidByNumber) if (this.#numberByLid.get(lid) === number) add(lid, number);
    for (const [number, lid] of this.#lidByNumber) add(lid, number);
    for (const [lid, number] of this.#numberByLid) add(lid, number);
    return { lidMap, contradictions };
  }
}
