import type { EngineEvent, OpType } from '@pulumi/pulumi/automation';
import type { ProgramChange } from '../../operate/swap/programs';

type Op = ProgramChange['op'];

/** What a step of the engine means for the resource. A replacement is told in three steps. Those that are missing change nothing. */
const ops: Readonly<Partial<Record<OpType, Op>>> = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  replace: 'replace',
  'create-replacement': 'replace',
  'delete-replaced': 'replace',
  'import-replacement': 'replace',
  'read-replacement': 'replace',
  read: 'read',
  import: 'other',
  discard: 'other',
  'discard-replaced': 'other',
  'remove-pending-replace': 'other',
};

const changesNothing: readonly OpType[] = ['same', 'refresh'];

/** The one that is told, of several steps of one resource: the last. */
const byWeight: readonly Op[] = ['read', 'other', 'update', 'create', 'delete', 'replace'];

/** What a preview would change, by the events that the engine tells. */
export class PreviewedChanges {
  private readonly found = new Map<string, { op: Op; type: string; properties: Set<string> }>();

  /** The next event. */
  public add({ resourcePreEvent }: EngineEvent): void {
    if (resourcePreEvent === undefined) {
      return;
    }
    const { urn, type, diffs, detailedDiff, op: step } = resourcePreEvent.metadata;
    if (changesNothing.includes(step)) {
      return;
    }
    // An operation that a later engine has is a change of some kind.
    const op = ops[step] ?? 'other';
    const known = this.found.get(urn);
    // Its provider changes in a way that Pulumi can't tell as a replacement.
    const isBoth = known !== undefined && op !== known.op && [op, known.op].every(isMade);
    const worst = [op, known?.op ?? op].reduce((one, two) =>
      byWeight.indexOf(one) > byWeight.indexOf(two) ? one : two,
    );
    const properties = known?.properties ?? new Set();
    [...(diffs ?? []), ...Object.keys(detailedDiff ?? {})].forEach((path) => properties.add(firstOf(path)));
    this.found.set(urn, { op: isBoth ? 'replace' : worst, type, properties });
  }

  /** All of them, in the order of the engine. */
  public get all(): readonly ProgramChange[] {
    return [...this.found].map(([name, { op, type, properties }]) => ({
      ...{ op, type, name },
      ...(properties.size > 0 && { properties: [...properties].sort() }),
    }));
  }
}

function isMade(op: Op): boolean {
  return op === 'create' || op === 'delete';
}

/** `defaultActions[0].forward` → `defaultActions` */
function firstOf(path: string): string {
  return /^(?:\["((?:[^"\\]|\\.)*)"\]|[^.[]+)/.exec(path)?.map((part) => part)[1] ?? /^[^.[]*/.exec(path)![0];
}
