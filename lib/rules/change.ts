/** One change of an object: an operation of JSON Patch (RFC 6902). */
export type Change =
  | {
      /** `add` puts a value where none is, or into a list; `replace` puts it in the place of another. */
      readonly op: 'add' | 'replace';
      /** JSON pointer (RFC 6901) of the place. */
      readonly path: string;
      /** The new value. */
      readonly value: unknown;
    }
  | {
      /** Takes a value away. */
      readonly op: 'remove';
      /** JSON pointer (RFC 6901) of what is taken away. */
      readonly path: string;
    };
