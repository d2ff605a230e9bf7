import { mergeKeyProblems } from '../../../core/application-sets/merge-keys';
import { templateProblems } from '../../../core/application-sets/template-problems';
import type { TemplateProblem } from '../../../core/application-sets/template-problems';
import { toJsonPointer } from '../../object';
import type { RawFinding, Rule } from '../../rule';
import { applicationSets } from '../../views/application-sets';

/** @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/GoTemplate/ */
export const git03: Rule = {
  id: 'GIT03',
  severity: 'error',
  title: 'A template of an ApplicationSet that comes to nothing',
  why: 'Argo CD makes no Application of a template that it can not read, or of a parameter that is not there: what is deployed stays as it is, and the next change never arrives',
  fix: 'write the template as Go reads it, and have every generator and element give what it reads',
  otherwise:
    'a warning where Argo CD makes Applications all the same: with "<no value>" in them without the option missingkey=error, or with the expression as it is without goTemplate',
  *check({ objects }) {
    for (const { object, set } of objects.view(applicationSets)) {
      for (const problem of [...templateProblems(set, placeOf), ...mergeKeyProblems(set, placeOf)]) {
        const { steps, effect, allowed, fault } = problem;
        const why = effects[effect];
        yield {
          object,
          pointer: toJsonPointer(...steps),
          message: fault ?? `it must be ${allowed}`,
          ...(why === undefined ? {} : { severity: 'warning', why }),
        } satisfies RawFinding;
      }
    }
  },
};

const effects: Readonly<Record<TemplateProblem['effect'], string | undefined>> = {
  refused: undefined,
  noValue: 'Argo CD writes "<no value>" for a parameter that is not there, and deploys that',
  asItIs: 'Argo CD leaves what it can not fill in as it is, and deploys that',
};

function placeOf(steps: readonly (string | number)[]): string {
  return toJsonPointer(...steps);
}
