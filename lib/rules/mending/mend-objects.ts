import type { Change } from '../change';
import type { Finding } from '../finding';

/** Findings of one object whose changes can be made together. */
export function compatible(findings: readonly Finding[]): Finding[] {
  const taken: string[] = [];
  return findings.filter(({ fixPatch: mend = [] }) => {
    const roots = mend.map(rootOf);
    const isFree = roots.every((root) => !taken.some((other) => overlap(root, other)));
    if (isFree) {
      taken.push(...roots);
    }
    return isFree;
  });
}

/** What a change may move: a list where an item comes or goes. */
function rootOf({ op, path }: Change): string {
  return op !== 'replace' && /\/(?:\d+|-)$/.test(path) ? path.slice(0, path.lastIndexOf('/')) : path;
}

function overlap(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

/** A change of an object as one of its document. */
export function inDocument(pointer: string, changes: readonly Change[]): Change[] {
  return changes.map((change) => ({ ...change, path: pointer + change.path }));
}
