import type { PlainObject, Problems } from '../../core/validation/problems';

/** What a lease has to know of the records that it keeps, and nothing else of them: those of shifts, those of swaps. */
export interface RecordKind<R extends object> {
  /** What a record is of, in one word: `shift`. */
  readonly of: string;
  /** Who else may hold the lease: `another shift of these weights`. */
  readonly another: string;
  /** Version that is written. A document of a later one is refused; one of an earlier one is read. */
  readonly schemaVersion: number;
  /** What the parameter of SSM says that it is. */
  readonly description: string;
  /** Annotation of a Kubernetes Lease that holds the record. */
  readonly annotation: string;
  /** What names of Kubernetes Leases begin with. */
  readonly prefix: string;
  /** Finds what is wrong with a stored record. What else a newer release may have written there is not looked at. */
  readonly check: (value: PlainObject, problems: Problems) => void;
  /** What of a record goes on in further parameters of SSM, where one does not hold all of it. */
  readonly long: LongPart<R>;
  /** Why a record says that the lease was taken away, and by whom. @default - nobody takes such a lease away */
  readonly seizedBy?: (record: R) => SeizedLease | undefined;
}

/** That a lease was taken away. */
export interface SeizedLease {
  /** Why, for a person. */
  readonly why: string;
  /** Who did it: user and machine. */
  readonly by: string;
}

/** What of a record may be long. */
export interface LongPart<R> {
  /** Key of the part; the rest of the record counts where the part can't be read. @default - all of the record */
  readonly key?: keyof R & string;
  /** The part, for an error: `what capacity the shift has raised` … can't be read. */
  readonly read: string;
  /** The part, for an error: `what the record says of raised capacity` … is too long. */
  readonly written: string;
}
