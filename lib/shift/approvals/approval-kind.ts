import type { Clock } from '../../core/async';
import type { HttpClient } from '../../core/http';
import type { SecretReader } from '../../core/secret-source';
import type { Schema } from '../../core/validation/schema';
import type { Resume } from '../engine';

/** What is shifted, for whoever is asked. */
export interface ApprovalSubject {
  /** The plan file as it was given. */
  readonly plan: string;
  /** Name of the route in it. */
  readonly route: string;
  /** Identifies its router: the same in each run of the plan. */
  readonly routerId: string;
}

/** What ways of approval are opened with. Whatever reaches outside of the process is here, so that a test can give its own. */
export interface ApprovalContext extends SecretReader {
  /** HTTP services. */
  readonly http: HttpClient;
  readonly clock: Clock;
  /** Takes lines for a person. */
  readonly say: (line: string) => void;
}

/** A way for people to let a shift go beyond a pause. Its file and its line in `registry.ts` are all that there is to add. */
export interface ApprovalKind<Settings> {
  /** Its settings in a plan file. */
  readonly settings: Schema<Settings>;
  /** Asks no one yet. */
  open(settings: Settings, subject: ApprovalSubject, context: ApprovalContext): Resume;
}

/** Gives a kind its types. */
export function approvalKind<Settings>(kind: ApprovalKind<Settings>): ApprovalKind<Settings> {
  return kind;
}
