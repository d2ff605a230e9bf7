import type { JudgedObject } from './judged-object';

/**
 * The objects of a run, found fast.
 *
 * Manifests often leave the namespace out, for whoever applies them to fill in. So where no object has the namespace that
 * is asked for, one that names none is found; and where none is asked for, one of any namespace, if only one namespace
 * has it.
 */
export interface ObjectIndex {
  /** Every object, in the order in which they were given. */
  readonly all: readonly JudgedObject[];
  /**
   * Objects of a kind, whatever the version.
   *
   * @param group API group, `''` for the core group
   */
  ofKind(group: string, kind: string): readonly JudgedObject[];
  /** One object; `namespace` is undefined for what belongs to the cluster. */
  find(group: string, kind: string, namespace: string | undefined, name: string): JudgedObject | undefined;
  /** Objects that name this one as their owner (`metadata.ownerReferences`). */
  ownedBy(owner: JudgedObject): readonly JudgedObject[];
  /**
   * What can be derived from the objects, made at the first question and kept: rules that look at the same things share
   * one walk over the objects.
   *
   * @param derive a function that is defined once, such as one of a module: it is what the result is kept under
   *
   * @example
   * const webhooks = objects.view(admissionWebhooks);
   */
  view<T>(derive: (objects: ObjectIndex) => T): T;
}
