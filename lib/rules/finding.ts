import type { OptionsOf } from '../problems';
import type { Change } from './change';

/** `error`: it will refuse or break something. `warning`: it does so under some circumstances. `info`: worth knowing. */
export type Severity = 'error' | 'warning' | 'info';

/** Every severity, the worst first. */
export const severities: readonly Severity[] = ['error', 'warning', 'info'];

/** What a rule found in one object. */
export interface Finding {
  /** Id of the rule: `WH03`. */
  readonly rule: string;
  /** How much it matters: the rule's severity, unless the finding or a configuration says otherwise. */
  readonly severity: Severity;
  /** What is there, with its names and values: one line. */
  readonly message: string;
  /** Why it hurts: one line. */
  readonly why: string;
  /** How to fix it: one line. */
  readonly fix: string;
  /** Page of the rule. @default - it has none */
  readonly link?: string;
  /** The file that holds the object. @default - the object does not come from a file */
  readonly file?: string;
  /** Line of what `pointer` names, from 1. @default - the object does not come from a file */
  readonly line?: number;
  /** The object. */
  readonly object: ObjectName;
  /** JSON pointer (RFC 6901) of the field, inside the object; a field that is missing is named as if it were there. */
  readonly pointer: string;
  /** JSON pointers of other entries of the object of which the same is said. @default - none */
  readonly also?: readonly string[];
  /** A change of the object that fixes it and can break nothing. @default - none is safe */
  readonly fixPatch?: readonly Change[];
}

/** Names an object. */
export interface ObjectName {
  /** API version, `apps/v1`. */
  readonly apiVersion: string;
  /** Kind, `Deployment`. */
  readonly kind: string;
  /** Namespace of the object. @default - the object belongs to the cluster, or names no namespace */
  readonly namespace?: string;
  /** Name of the object. */
  readonly name: string;
}

export const objectNameKeys: OptionsOf<ObjectName> = {
  apiVersion: 'plain',
  kind: 'plain',
  namespace: 'plain',
  name: 'plain',
};
