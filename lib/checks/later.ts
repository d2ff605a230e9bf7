/**
 * A value that only a deployment knows: an output of Pulumi, told by one of its methods, since nothing of Pulumi is loaded
 * here.
 */
export interface Later<T> {
  /** What an output is known by; nothing here calls it. */
  get(): T;
}

/** A value, or one that is known later, at any depth. */
export type DeepLater<T> =
  | T
  | Later<T>
  | (T extends object ? { readonly [Key in keyof T]: DeepLater<T[Key]> } : never);
