import type { EngineEvent, StepEventMetadata } from '@pulumi/pulumi/automation';

/** What the engine did, or would do, with one resource. */
export interface Operation {
  /** `create`, `update`, `delete`, `create-replacement`, ... */
  readonly op: string;
  readonly urn: string;
  readonly type: string;
  readonly name: string;
}

/** How one operation of the engine ended; a failure is a value, too. */
export interface Outcome {
  readonly succeeded: boolean;
  /** Everything that the engine printed. */
  readonly log: string;
  readonly events: readonly EngineEvent[];
  /** What happens to resources, in the order in which it began; what stays the same is left out. */
  readonly operations: readonly Operation[];
  /** Error messages of the engine, the program and the providers. */
  readonly errors: readonly string[];
  /** The stack's outputs, after an `up` that succeeded; secrets in plain text. */
  readonly outputs: Readonly<Record<string, any>>;
}

const untouched = ['same', 'read', 'refresh', 'discard'];

/** Reads the engine's events. */
export function outcome(
  succeeded: boolean,
  log: string,
  events: readonly EngineEvent[],
  outputs: Outcome['outputs'] = {},
): Outcome {
  const operations = events
    .map(({ resourcePreEvent }) => resourcePreEvent?.metadata)
    .filter((metadata) => metadata !== undefined && !untouched.includes(metadata.op))
    .filter((metadata) => !isNoteOfComponent(metadata!))
    .map((metadata) => {
      const { op, urn, type } = metadata!;
      return { op, urn, type, name: urn.split('::').at(-1)! };
    });
  const errors = events
    .filter(({ diagnosticEvent }) => diagnosticEvent?.severity === 'error')
    .map(({ diagnosticEvent }) => diagnosticEvent!.message);
  // What failed without a word of the engine, such as a program that could not be loaded, is told by its output.
  const untold = succeeded || errors.length > 0 ? [] : [log.slice(-4_000)];
  return { succeeded, log, events, operations, errors: [...errors, ...untold], outputs };
}

/** Other arguments of a component change nothing but the state: what becomes of its children are operations of their own. */
function isNoteOfComponent({ op, new: registered }: StepEventMetadata): boolean {
  return op === 'update' && registered !== undefined && registered.custom !== true;
}
