import type { PlanDocument } from '../../clusterset';

/** A plan, or what came of it, for a person, a line each. */
export function planLines(document: PlanDocument): readonly string[] {
  const { create, update, delete: remove, keep, skipped, problems, notes, written, failed = [] } = document;
  const told = keep.filter(({ reason }) => reason !== undefined);
  return [
    `Set "${document.clusterSet}", Secrets in namespace "${document.namespace}":`,
    ...create.map(({ secret, arn }) => `  + ${secret}  ${arn ?? ''}`.trimEnd()),
    ...update.map(({ secret, changes }) => `  ~ ${secret}  ${changes.map(changeText).join(', ')}`),
    ...remove.map(({ secret, missingSince }) => `  - ${secret}  missing since ${missingSince}`),
    ...told.map(({ secret, reason }) => `  = ${secret}  ${reason!}`),
    ...skipped.map(({ cluster, arn, reason }) => `  ! ${cluster} (${arn}) left out: ${reason}`),
    `${create.length} to create, ${update.length} to change, ${remove.length} to remove, ${keep.length} as they are, ` +
      `${skipped.length} left out.`,
    ...(written === undefined ? [] : [`${written} written.`]),
    ...problems.map((problem) => `problem: ${problem}`),
    ...notes.map((note) => `note: ${note}`),
    ...failed.map(({ secret, reason }) => `not written: ${secret}: ${reason}`),
  ];
}

function changeText({ field, from, to }: PlanDocument['update'][number]['changes'][number]): string {
  return from === undefined && to === undefined
    ? field
    : `${field}: ${from ?? 'nothing'} -> ${to ?? 'nothing'}`;
}

/** One look of several, as lines of a log; nothing where there is nothing to tell that was not told before. */
export function watchLines(document: PlanDocument, before: PlanDocument | undefined): readonly string[] {
  const linesOf = (each: PlanDocument): readonly string[] =>
    planLines(each).filter((line) => /^( {2}[+~\-=!]|problem|note: |not written)/.test(line));
  const told = new Set(before ? linesOf(before) : []);
  const lines = linesOf(document);
  // A change is told each time; what stays as it is only when it comes up.
  const fresh = lines.filter((line) => /^ {2}[+~-]/.test(line) || !told.has(line));
  return fresh.length === 0 && before ? [] : [...fresh, `${document.written ?? 0} written.`];
}
