import { runInNewContext } from 'node:vm';

/** What Argo Rollouts makes of a measurement, by its `evaluate.EvaluateResult`. */
export function verdictOf(
  { successCondition, failureCondition }: { successCondition: string; failureCondition: string },
  result: unknown,
  nowMs = 0,
): 'pass' | 'fail' | 'inconclusive' {
  if (holds(failureCondition, result, nowMs)) {
    return 'fail';
  }
  return holds(successCondition, result, nowMs) ? 'pass' : 'inconclusive';
}

/** The part of expr that the templates use, over the result of a measurement. Other words are errors, as they are there. */
function holds(condition: string, result: unknown, nowMs: number): boolean {
  const script = condition
    .replace(/\{(\.Id == "\w+")\}/g, '(one) => one$1')
    .replace(/filter\(0\.\.(.*?) - 1, \{(.*?)\}\)/g, (_all, length: string, predicate: string) => {
      return `indices(${length}).filter((index) => ${predicate.replaceAll('#', 'index')})`;
    })
    .replace(/, \{(find\(result, \(one\) => one\.Id == "\w+"\)\.Values)\[#\]\}/g, ', (index) => $1[index]')
    .replaceAll('default(', 'orElse(');
  const words = {
    len: (list: unknown[]) => list.length,
    indices: (length: number) => Array.from({ length }, (_, index) => index),
    map: (list: unknown[], by: (one: unknown) => unknown) => list.map((one) => by(one)),
    find: (list: unknown[], by: (one: unknown) => boolean) => list.find((one) => by(one)),
    count: (list: unknown[], by: (one: unknown) => boolean) => list.filter((one) => by(one)).length,
    sum: (list: number[]) => list.reduce((sum, one) => sum + one, 0),
    mean: (list: number[]) => list.reduce((sum, one) => sum + one, 0) / list.length,
    first: (list: unknown[]) => list[0],
    last: (list: unknown[]) => list.at(-1),
    sort: (list: number[]) => [...list].sort((one, other) => one - other),
    isNaN: (value: number) => Number.isNaN(value),
    isNil: (value: unknown) => value === null,
    orElse: (value: unknown, other: unknown) => value ?? other,
    now: () => nowMs,
    duration: (text: string) => Number(text.replace('s', '')) * 1000,
  };
  return runInNewContext(script, { result, ...words }) as boolean;
}
