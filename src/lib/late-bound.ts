// A reference to an object that is created later, for objects that depend on each other. A read before the object
// exists throws an error with a clear text.

export class LateBound<T> {
  readonly #name: string;
  #bound: { value: T } | undefined;

  /** `name` is the subject of the error texts. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Sets the value and returns it. Throws Error when it is called again. */
  bind(value: T): T {
    if (this.#bound) throw new Error(`${this.#name} is bound already`);
    this.#bound = { value };
    return value;
  }

  get isBound(): boolean {
    return this.#bound !== undefined;
  }

  /** Throws Error before `bind`. */
  get current(): T {
    if (!this.#bound) throw new Error(`${this.#name} is used before it is created`);
    return this.#bound.value;
  }
}
