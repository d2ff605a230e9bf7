/** A value of a resource that only the update knows. */
export interface UnknownPlace {
  /** URN of the resource. */
  readonly urn: string;
  /** JSON pointer (RFC 6901) in the resource. */
  readonly pointer: string;
}

/** Notes which unknown values are read, while somebody wants to know. Everything here is synchronous. */
export class UnknownReads {
  private places: Map<string, UnknownPlace> | undefined;

  /** Somebody reads an unknown value. */
  public note(place: UnknownPlace): void {
    this.places?.set(`${place.urn} ${place.pointer}`, place);
  }

  /** What a function answers, and the unknown values that were read meanwhile, each once. */
  public during<T>(run: () => T): { readonly value: T; readonly places: readonly UnknownPlace[] } {
    const before = this.places;
    const places = new Map<string, UnknownPlace>();
    this.places = places;
    try {
      const value = run();
      return { value, places: [...places.values()] };
    } finally {
      this.places = before;
    }
  }
}
