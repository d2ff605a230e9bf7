import type { Problem, Untyped } from '../../problems';
import { isMapping } from '../../problems';
import { Field } from '../field';
import { pointerTo } from '../json-pointer';
import type { JudgedObject } from '../judged-object';
import type { NamedDecision } from './brought-errors';
import { hardenAnnotation } from './decision';
import { checkDecision } from './check-decision';

/** What Services among the objects declare. */
export interface DeclaredDecisions {
  readonly decisions: readonly NamedDecision[];
  /** What is wrong with them, each with file and line where the Service comes from a file. */
  readonly problems: readonly Problem[];
}

/** Reads the annotation {@link hardenAnnotation} of Services. */
export function declaredDecisions(objects: readonly JudgedObject[]): DeclaredDecisions {
  const decisions: NamedDecision[] = [];
  const problems: Problem[] = [];
  for (const object of objects) {
    const declared = Field.of(object).get('metadata', 'annotations', hardenAnnotation);
    if (object.kind !== 'Service' || object.apiVersion !== 'v1' || !declared.exists) {
      continue;
    }
    const decided = parsed(declared.text);
    const decision = { ...decided, service: `${object.namespace ?? ''}/${object.name}` };
    const wrong: readonly Problem[] =
      decided === undefined
        ? [{ path: '', value: declared.value, allowed: 'a decision in JSON, as an object' }]
        : object.namespace === undefined
          ? [{ path: '', allowed: 'in a Service that names its namespace' }]
          : [
              ...checkDecision(decision).all,
              ...('service' in decided
                ? [{ path: 'service', value: decided['service'], allowed: 'left out: it is this Service' }]
                : []),
            ];
    wrong.forEach((problem) =>
      problems.push({ ...problem, path: `${placeOf(object)} ${problem.path}`.trimEnd() }),
    );
    if (wrong.length === 0) {
      decisions.push({ path: placeOf(object), decision });
    }
  }
  return { decisions, problems };
}

function parsed(text: string | undefined): Untyped | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function placeOf({ source, name }: JudgedObject): string {
  const pointer = pointerTo('metadata', 'annotations', hardenAnnotation);
  const at = source ? `${source.file}:${source.lineOf(pointer)} ` : '';
  return `${at}Service ${name} ${hardenAnnotation}`;
}
