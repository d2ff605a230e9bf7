/**
 * What kind of trouble a message shows: one that passes without a change, one that the manifests or rights have to be fixed
 * for, one of what is between Git and the cluster, or one that no pattern knows.
 */
export type MessageCategory = 'transient' | 'user' | 'environment' | 'unknown';

/**
 * Where a message is in an Application: at a resource of the last sync, as the message of the operation, in a
 * condition, or as the health of a resource.
 */
export type MessagePlace = 'resource' | 'operation' | 'condition' | 'health';

/** Tells messages of one cause from all others. */
export interface MessagePattern {
  /** Name of the cause, in kebab case. Several patterns may tell of one cause. */
  readonly cause: string;
  readonly category: Exclude<MessageCategory, 'unknown'>;
  /**
   * Fits the messages. The group `by` is what several failures have in common: the webhook, the account, the cluster. It
   * is matched against texts of strangers, so no part of it repeats what repeats already.
   */
  readonly expression: RegExp;
  /** Places where it counts. @default - every place */
  readonly places?: readonly MessagePlace[];
  /** The rule of thumb that leads from the message to the category. */
  readonly rule: string;
  /** What to do. */
  readonly advice: string;
  /** What prints such messages: repository, version, file. */
  readonly sources: readonly string[];
}
