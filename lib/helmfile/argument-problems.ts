import { iamRoleArn } from '../aws';
import { checkInput } from '../bridge';
import type { Problem, Rule } from '../problems';
import { Problems, variableName, wholeNumber } from '../problems';
import type { HelmfileReleaseArgs } from './arguments';

/** A word that can't be taken for a flag. */
const word = (what: string): Rule => ({
  allowed: `${what}, not empty and not beginning with "-"`,
  accepts: (value) => typeof value === 'string' && /^[^-\s]/.test(value),
});

/** @see https://helmfile.readthedocs.io/en/latest/#labels-overview */
const selector: Rule = {
  allowed: 'a label selector such as "tier=front" or "tier=front,name!=web"',
  accepts: (value) =>
    typeof value === 'string' &&
    /^[^=!,\s-][^=!,\s]*!?=[^=!,\s]+(,[^=!,\s-][^=!,\s]*!?=[^=!,\s]+)*$/.test(value),
};

/** Everything that is wrong with the plain values. */
export function argumentProblems(args: HelmfileReleaseArgs): readonly Problem[] {
  const problems = new Problems('HelmfileRelease');
  problems.check('file', args.file, word('the path of a helmfile'));
  if ((args.cluster === undefined) === (args.kubeconfig === undefined)) {
    problems.addSecret('cluster', 'given, or else kubeconfig: one of the two');
  }
  if (args.kubeconfig !== undefined && args.credentials !== undefined) {
    problems.addSecret('credentials', 'left out with kubeconfig, which says itself how to log in');
  }
  checkInput(problems, 'credentials.roleArn', args.credentials?.roleArn, iamRoleArn);
  problems.checkGiven('', args, {
    environment: word('the name of an environment'),
    workingDirectory: word('the path of a folder'),
    helmfile: word('a program'),
    helm: word('a program'),
    concurrency: wholeNumber(1, 100),
    timeoutSeconds: wholeNumber(1, 7200),
  });
  if (args.selectors?.length === 0) {
    problems.add('selectors', [], 'one or more, or left out for every release');
  }
  args.selectors?.forEach((each, position) => problems.check(`selectors[${position}]`, each, selector));
  for (const key of ['stateValuesFiles', 'valuesFiles'] as const) {
    args[key]?.forEach((path, position) => {
      if (typeof path === 'string') {
        problems.check(`${key}[${position}]`, path, word('the path of a file'));
      }
    });
  }
  Object.keys(args.environmentVariables ?? {}).forEach((name) => {
    problems.check(`environmentVariables.${name}`, name, variableName);
    if (/^(KUBECONFIG|HELM_KUBE.*|HELMFILE_KUBE_CONTEXT)$/.test(name)) {
      problems.addSecret(
        `environmentVariables.${name}`,
        'left out: the cluster is said by cluster or kubeconfig',
      );
    }
  });
  return problems.all;
}
