/** The type of the resource that every other one hangs below. */
export const stackType = 'pulumi:pulumi:Stack';

/** The parts of a URN that a plan needs. */
export interface UrnParts {
  /** Types of the parents and of the resource itself, joined by `$`. */
  readonly qualifiedType: string;
  readonly type: string;
  readonly name: string;
}

/** Takes a URN apart; a name may itself hold `::`. */
export function urnParts(urn: string): UrnParts {
  const [, , qualifiedType = '', ...name] = urn.split('::');
  return { qualifiedType, type: qualifiedType.split('$').pop() ?? '', name: name.join('::') };
}

/** The qualified type of a child; the stack's own type is no part of it. */
export function qualifiedType(parent: string | undefined, type: string): string {
  return parent === undefined || parent === '' || parent === stackType ? type : `${parent}$${type}`;
}

/** The URN that the engine gives a resource. */
export function makeUrn(project: string, stack: string, qualified: string, name: string): string {
  return `urn:pulumi:${stack}::${project}::${qualified}::${name}`;
}
